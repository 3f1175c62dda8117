// Points at which a test may let another thread continue. They exist only when built with `-Xcc -DWEIR_YIELD`.
//
// In that build, gates and mutexes are plain locks. A thread that finds one taken lets another thread continue instead of
// sleeping. So a test can run threads one at a time, in an order of its choice, and causes no deadlock itself.
#ifndef WEIR_YIELD_H
#define WEIR_YIELD_H

#include <pthread.h>
#include <sched.h>

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

enum { weir_at_enter = 0, weir_at_blocked = 1, weir_at_leave = 2, weir_at_atomic = 3, weir_at_wait = 4, weir_at_none = 5 };

// Returns whether a test drives the calling thread. At `weir_at_none` it does nothing else.
typedef bool (*weir_yield_hook)(int32_t where);

// `hook` is called at every yield point of every thread. Set it once, before threads begin.
void weir_yield_set_hook(weir_yield_hook hook);
bool weir_yield_is_built(void);

#if WEIR_YIELD

extern weir_yield_hook _Nullable weir_yield_current;

WEIR_INLINE void weir_yield_point(int32_t where) {
    weir_yield_hook _Nullable hook = __atomic_load_n(&weir_yield_current, __ATOMIC_RELAXED);
    if (hook) hook(where);
    // A thread that no test drives waits for others as for a spinning lock.
    if (where == weir_at_blocked) sched_yield();
}

WEIR_INLINE void weir_mutex_lock(pthread_mutex_t *mutex) {
    weir_yield_point(weir_at_enter);
    while (pthread_mutex_trylock(mutex) != 0) weir_yield_point(weir_at_blocked);
}

WEIR_INLINE void weir_mutex_unlock(pthread_mutex_t *mutex) {
    pthread_mutex_unlock(mutex);
    weir_yield_point(weir_at_leave);
}

// A thread that a test drives never sleeps. It returns at once, as after a spurious wakeup.
WEIR_INLINE void weir_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    weir_yield_hook _Nullable hook = __atomic_load_n(&weir_yield_current, __ATOMIC_RELAXED);
    if (!hook || !hook(weir_at_none)) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    pthread_mutex_unlock(mutex);
    weir_yield_point(weir_at_leave);
    weir_yield_point(weir_at_wait);
    sched_yield();
    weir_mutex_lock(mutex);
}

#else

WEIR_INLINE void weir_yield_point(int32_t where) { (void)where; }
WEIR_INLINE void weir_mutex_lock(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
WEIR_INLINE void weir_mutex_unlock(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }
WEIR_INLINE void weir_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    pthread_cond_wait(condition, mutex);
}

#endif

WEIR_ASSUME_NONNULL_END

#endif

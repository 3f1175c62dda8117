// A lock biased to the thread that uses it first.
//
// Almost every observable is used by only one thread. For that thread, entering and leaving are a few plain loads and stores. The
// first other thread revokes the bias permanently. It forbids new entries, makes every processor see that (`membarrier`), and
// waits until the first thread is out. From then on, all threads use a plain lock. Gates are plain locks from the start where
// that barrier does not exist (Apple platforms, old kernels), and under the thread sanitizer, which does not know it. The
// technique is known from biased locking in Java virtual machines.
//
// No foreign code may run inside: no handler, no `==` of a user's type, no release of a user's object.
#ifndef WEIR_GATE_H
#define WEIR_GATE_H

#include "weir_base.h"
#include "weir_thread.h"
#include "weir_yield.h"

WEIR_ASSUME_NONNULL_BEGIN

typedef struct {
    uintptr_t owner;  // 0 nobody yet, 1 shared permanently, else the address of the owner's thread-local state
    uint32_t busy;    // written by the owner alone: it is inside
    uint32_t lock;    // of a shared gate: 0 free, else the era times 4, and 1 taken, 2 taken and awaited (on Apple
                      // platforms an os_unfair_lock)
} weir_gate;

void weir_gate_prepare(void);
// 1 in a program, and one more in each child that it forks.
uint32_t weir_era(void);
bool weir_gate_enter_slow(weir_gate *gate);
void weir_gate_unlock(weir_gate *gate);

#if WEIR_YIELD

WEIR_INLINE bool weir_gate_enter(weir_gate *gate) {
    weir_yield_point(weir_at_enter);
    while (__atomic_exchange_n(&gate->lock, 1, __ATOMIC_ACQUIRE) != 0) weir_yield_point(weir_at_blocked);
    return false;
}

WEIR_INLINE void weir_gate_leave(weir_gate *gate, bool biased) {
    (void)biased;
    __atomic_store_n(&gate->lock, 0, __ATOMIC_RELEASE);
    weir_yield_point(weir_at_leave);
}

#else

// Returns the argument for `weir_gate_leave`.
WEIR_INLINE bool weir_gate_enter(weir_gate *gate) {
    uintptr_t me = (uintptr_t)weir_thread_current();
    if (WEIR_LIKELY(__atomic_load_n(&gate->owner, __ATOMIC_RELAXED) == me)) {
        __atomic_store_n(&gate->busy, 1, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (WEIR_LIKELY(__atomic_load_n(&gate->owner, __ATOMIC_RELAXED) == me)) return true;
        __atomic_store_n(&gate->busy, 0, __ATOMIC_RELEASE);
    }
    return weir_gate_enter_slow(gate);
}

WEIR_INLINE void weir_gate_leave(weir_gate *gate, bool biased) {
    if (WEIR_LIKELY(biased)) __atomic_store_n(&gate->busy, 0, __ATOMIC_RELEASE);
    else weir_gate_unlock(gate);
}

#endif

// Whether nobody is inside. The answer is reliable only if no other thread runs.
WEIR_INLINE bool weir_gate_is_free(const weir_gate *gate) {
    return __atomic_load_n(&gate->busy, __ATOMIC_ACQUIRE) == 0 && __atomic_load_n(&gate->lock, __ATOMIC_ACQUIRE) == 0;
}

WEIR_ASSUME_NONNULL_END

#endif

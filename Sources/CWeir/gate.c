#define _GNU_SOURCE
#include "weir_gate.h"

#include <sched.h>

enum { unowned = 0, shared = 1 };

#if defined(__APPLE__)

#include <os/lock.h>
_Static_assert(sizeof(os_unfair_lock) == sizeof(uint32_t), "the lock must fit its field");

static bool bias_allowed = false;
void weir_gate_prepare(void) {}
static void heavy_barrier(void) {}
static void lock(weir_gate *gate) { os_unfair_lock_lock((os_unfair_lock_t)&gate->lock); }
void weir_gate_unlock(weir_gate *gate) { os_unfair_lock_unlock((os_unfair_lock_t)&gate->lock); }

#else

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool bias_allowed = false;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void) {
#if !__has_feature(thread_sanitizer)
    bool allowed = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    __atomic_store_n(&bias_allowed, allowed, __ATOMIC_RELAXED);
#endif
}

void weir_gate_prepare(void) { pthread_once(&once, prepare); }

static void heavy_barrier(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
    // A forked child may have to register again. Beyond that it cannot fail; were it to, two threads would be inside.
    prepare();
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) __builtin_trap();
}

static void lock(weir_gate *gate) {
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&gate->lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    if (seen != 2) seen = __atomic_exchange_n(&gate->lock, 2, __ATOMIC_ACQUIRE);
    while (seen != 0) {
        syscall(SYS_futex, &gate->lock, FUTEX_WAIT_PRIVATE, 2, (void *)0, (void *)0, 0);
        seen = __atomic_exchange_n(&gate->lock, 2, __ATOMIC_ACQUIRE);
    }
}

void weir_gate_unlock(weir_gate *gate) {
    if (__atomic_exchange_n(&gate->lock, 0, __ATOMIC_RELEASE) == 2)
        syscall(SYS_futex, &gate->lock, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
}

#endif

// Called with the lock taken: a third thread, which sees `shared` at once, must not pass it before the barrier.
static void make_shared(weir_gate *gate) {
    uintptr_t owner = __atomic_load_n(&gate->owner, __ATOMIC_RELAXED);
    while (owner != shared) {
        if (!__atomic_compare_exchange_n(&gate->owner, &owner, shared, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            continue;
        if (owner != unowned) heavy_barrier();
        return;
    }
}

bool weir_gate_enter_slow(weir_gate *gate) {
    uintptr_t me = (uintptr_t)weir_thread_current();
    uintptr_t owner = __atomic_load_n(&gate->owner, __ATOMIC_RELAXED);
    if (owner == unowned && __atomic_load_n(&bias_allowed, __ATOMIC_RELAXED)) {
        // The first thread to come takes the gate inside one compare-exchange: `busy` counts only for the owner.
        if (__atomic_compare_exchange_n(&gate->owner, &owner, me, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return weir_gate_enter(gate);
    }
    lock(gate);
    make_shared(gate);
    // Whoever was the owner may still be inside (this thread or another one revoked it), but will not be for long.
    while (__atomic_load_n(&gate->busy, __ATOMIC_ACQUIRE) != 0) sched_yield();
    return false;
}

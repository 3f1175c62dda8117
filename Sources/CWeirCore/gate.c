#define _GNU_SOURCE
#include "weir_gate.h"

#include <pthread.h>
#include <sched.h>

enum { unowned = 0, shared = 1 };

// Each forked child increments this. A lock taken in an earlier era belongs to a thread that the child does not have.
static uint32_t era = 1;
static void begin_era(void) { __atomic_store_n(&era, weir_era() + 1, __ATOMIC_RELAXED); }

uint32_t weir_era(void) { return __atomic_load_n(&era, __ATOMIC_RELAXED); }

static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__APPLE__)

#include <os/lock.h>
_Static_assert(sizeof(os_unfair_lock) == sizeof(uint32_t), "the lock must fit its field");

static bool bias_allowed = false;
static void prepare(void) { pthread_atfork(NULL, NULL, begin_era); }
static void heavy_barrier(void) {}
static void lock(weir_gate *gate) { os_unfair_lock_lock((os_unfair_lock_t)&gate->lock); }
void weir_gate_unlock(weir_gate *gate) { os_unfair_lock_unlock((os_unfair_lock_t)&gate->lock); }

#else

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool bias_allowed = false;

static void register_barrier(void) {
#if !__has_feature(thread_sanitizer)
    bool allowed = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    __atomic_store_n(&bias_allowed, allowed, __ATOMIC_RELAXED);
#endif
}

static void prepare(void) {
    pthread_atfork(NULL, NULL, begin_era);
    register_barrier();
}

static void heavy_barrier(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
    // A forked child may have to register again. Otherwise this cannot fail; if it did, two threads would be inside.
    register_barrier();
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) __builtin_trap();
}

static bool change(weir_gate *gate, uint32_t *seen, uint32_t next) {
    return __atomic_compare_exchange_n(&gate->lock, seen, next, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void lock(weir_gate *gate) {
    uint32_t taken = weir_era() << 2 | 1, awaited = weir_era() << 2 | 2, seen = 0;
    if (change(gate, &seen, taken)) return;
    while (true) {
        if (seen == 0 || seen >> 2 != weir_era()) {
            if (change(gate, &seen, awaited)) return;
        } else if (seen == awaited || change(gate, &seen, awaited)) {
            syscall(SYS_futex, &gate->lock, FUTEX_WAIT_PRIVATE, awaited, (void *)0, (void *)0, 0);
            seen = __atomic_load_n(&gate->lock, __ATOMIC_RELAXED);
        }
    }
}

void weir_gate_unlock(weir_gate *gate) {
    if ((__atomic_exchange_n(&gate->lock, 0, __ATOMIC_RELEASE) & 3) == 2)
        syscall(SYS_futex, &gate->lock, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
}

#endif

void weir_gate_prepare(void) { pthread_once(&once, prepare); }

// Call it with the lock taken. A third thread sees `shared` at once, and must not pass the lock before the barrier.
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
        // The first thread takes the gate in one compare-exchange, because `busy` counts only for the owner.
        if (__atomic_compare_exchange_n(&gate->owner, &owner, me, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return weir_gate_enter(gate);
    }
    lock(gate);
    make_shared(gate);
    // The former owner may still be inside (this thread or another one revoked it), but will not be for long.
    for (uint32_t yields = 0; __atomic_load_n(&gate->busy, __ATOMIC_ACQUIRE) != 0; yields++) {
        // In a forked child, a thread of the parent may have left `busy` set: nobody is inside for so long.
        if (weir_era() > 1 && yields > 100000) __atomic_store_n(&gate->busy, 0, __ATOMIC_RELAXED);
        sched_yield();
    }
    return false;
}

#include "weir_clock.h"

#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

uint32_t weir_clock = weir_clock_monotonic;
static uint64_t virtual_now = 0;
static uint64_t virtual_step = 0;
static uint32_t unshifted_clock = weir_clock_monotonic;
static uint64_t shift = 0;

void weir_clock_set(uint32_t clock) {
    __atomic_store_n(&weir_clock, clock, __ATOMIC_RELAXED);
    __atomic_store_n(&shift, 0, __ATOMIC_RELAXED);
}

uint64_t weir_monotonic(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t weir_processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int64_t weir_wall_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

uint32_t weir_clock_best(void) {
#if defined(__x86_64__)
    // Without the invariant-TSC bit the counter may stop or change its rate.
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8))) return weir_clock_ticks;
    return weir_clock_monotonic;
#elif defined(__aarch64__)
    return weir_clock_ticks;
#else
    return weir_clock_monotonic;
#endif
}

uint64_t weir_clock_rate(uint32_t clock) {
    if (clock != weir_clock_ticks) return 1000000000u;
#if defined(__x86_64__)
    static uint64_t measured;
    uint64_t known = __atomic_load_n(&measured, __ATOMIC_RELAXED);
    if (known) return known;
    uint64_t begin = weir_monotonic(), ticks = weir_ticks(), end;
    do end = weir_monotonic(); while (end - begin < 500000);
    ticks = weir_ticks() - ticks;
    uint64_t rate = (uint64_t)((double)ticks * 1e9 / (double)(end - begin));
    __atomic_store_n(&measured, rate, __ATOMIC_RELAXED);
    return rate;
#elif defined(__aarch64__)
    uint64_t rate;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(rate));
    return rate;
#else
    return 1000000000u;
#endif
}

uint64_t weir_clock_virtual_now(void) {
    uint64_t step = __atomic_load_n(&virtual_step, __ATOMIC_RELAXED);
    return __atomic_fetch_add(&virtual_now, step, __ATOMIC_RELAXED);
}

void weir_clock_virtual_set(uint64_t now, uint64_t step) {
    __atomic_store_n(&virtual_now, now, __ATOMIC_RELAXED);
    __atomic_store_n(&virtual_step, step, __ATOMIC_RELAXED);
}

void weir_clock_virtual_advance(uint64_t nanoseconds) {
    __atomic_fetch_add(&virtual_now, nanoseconds, __ATOMIC_RELAXED);
}

void weir_clock_pass(uint64_t nanoseconds) {
    uint32_t clock = __atomic_load_n(&weir_clock, __ATOMIC_RELAXED);
    if (clock == weir_clock_virtual) return;
    if (clock != weir_clock_shifted) {
        __atomic_store_n(&unshifted_clock, clock, __ATOMIC_RELAXED);
        // Fails if another thread has shifted the clock, or begun a recording with another one.
        if (!__atomic_compare_exchange_n(&weir_clock, &clock, weir_clock_shifted, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
            && clock != weir_clock_shifted)
            return;
    }
    double units = (double)nanoseconds * 1e-9 * (double)weir_clock_rate(__atomic_load_n(&unshifted_clock, __ATOMIC_RELAXED));
    // Far below the limit, however often a test skips years.
    __atomic_fetch_add(&shift, units < 0x1p56 ? (uint64_t)units : (uint64_t)1 << 56, __ATOMIC_RELAXED);
}

uint64_t weir_now_slow(void) {
    uint32_t clock = __atomic_load_n(&weir_clock, __ATOMIC_ACQUIRE);
    if (clock == weir_clock_virtual) return weir_clock_virtual_now();
    if (clock != weir_clock_shifted) return weir_monotonic();
    uint64_t now = __atomic_load_n(&unshifted_clock, __ATOMIC_RELAXED) == weir_clock_ticks ? weir_ticks() : weir_monotonic();
    return now + __atomic_load_n(&shift, __ATOMIC_RELAXED);
}

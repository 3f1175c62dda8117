// The clock that stamps records: the processor's tick counter, or else the system's monotonic clock, or a virtual one.
#ifndef WEIR_CLOCK_H
#define WEIR_CLOCK_H

#include "weir_base.h"

// `weir_clock_shifted`: one of the first two, and the virtual time that has passed beside it.
enum { weir_clock_ticks = 1, weir_clock_monotonic = 2, weir_clock_virtual = 3, weir_clock_shifted = 4 };

// The clock that `weir_now` reads.
extern uint32_t weir_clock;
void weir_clock_set(uint32_t clock);

// The best clock of this machine: `weir_clock_ticks` if the counter runs at one rate on all processors.
uint32_t weir_clock_best(void);
// The number of that clock's units in a second. The tick counter of x86 is measured once, in about half a millisecond.
uint64_t weir_clock_rate(uint32_t clock);
// Reads the virtual clock (nanoseconds) and advances it by one step.
uint64_t weir_clock_virtual_now(void);
// Sets the virtual clock, and the step by which each reading advances it.
void weir_clock_virtual_set(uint64_t now, uint64_t step);
void weir_clock_virtual_advance(uint64_t nanoseconds);
// Shifts the clock by time that has passed for a virtual scheduler only, until the clock is set again. Not a virtual clock.
void weir_clock_pass(uint64_t nanoseconds);
uint64_t weir_monotonic(void);
// Nanoseconds for which the calling thread has run. Costs a system call.
uint64_t weir_processor_time(void);
int64_t weir_wall_clock(void);

WEIR_INLINE uint64_t weir_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return weir_monotonic();
#endif
}

uint64_t weir_now_slow(void);

WEIR_INLINE uint64_t weir_now(void) {
    if (WEIR_LIKELY(__atomic_load_n(&weir_clock, __ATOMIC_RELAXED) == weir_clock_ticks)) return weir_ticks();
    return weir_now_slow();
}

#endif

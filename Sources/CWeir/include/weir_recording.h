// Writing records, and the switch that turns recording on.
#ifndef WEIR_RECORDING_H
#define WEIR_RECORDING_H

#include "weir_thread.h"

WEIR_ASSUME_NONNULL_BEGIN

// The open frames that a thread keeps: with their numbers, half of a chunk is the most that a context takes.
enum { weir_frame_capacity = 2048 };

// A signal handler may emit on a thread that it has interrupted inside the recorder. While a record is being written,
// `cursor` is above every address. There is no room for another record then, so the handler takes the slow path, which sees why.
#define WEIR_WRITING ((uintptr_t)1 << 62)

// The field of a chunk that gives the number of bytes of records is at this distance before them.
enum { weir_committed_before_records = 24 };

// Whether the chunk has room for a compact record.
WEIR_INLINE bool weir_has_room(const weir_thread *thread) { return (uintptr_t)thread->cursor < (uintptr_t)thread->limit; }

// Whether a compact record can be written in that generation.
WEIR_INLINE bool weir_record_fits(const weir_thread *thread, uint32_t generation) {
    return thread->generation == generation && weir_has_room(thread);
}

// Returns the position of the record. Reads and marks the cursor by one instruction, so that no signal comes in between.
WEIR_INLINE uint8_t *weir_record_begin(weir_thread *thread) {
#if defined(__x86_64__)
    // Without a lock prefix: other threads never touch the cursor.
    uintptr_t place = WEIR_WRITING;
    __asm__ volatile("xaddq %0, %1" : "+r"(place), "+m"(thread->cursor) : : "cc", "memory");
    return (uint8_t *)place;
#else
    uint8_t *place = __atomic_exchange_n(&thread->cursor, (uint8_t *)WEIR_WRITING, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return place;
#endif
}

// Makes the records up to `end` part of the trace.
WEIR_INLINE void weir_record_commit(weir_thread *thread, uint8_t *end) {
    uint32_t *committed = (uint32_t *)(thread->payload - weir_committed_before_records);
    __atomic_store_n(committed, (uint32_t)(end - thread->payload), __ATOMIC_RELEASE);
    *(uint8_t *volatile *)&thread->cursor = end;
}

// The record that was begun is not written.
WEIR_INLINE void weir_record_cancel(weir_thread *thread) {
    uint32_t *committed = (uint32_t *)(thread->payload - weir_committed_before_records);
    *(uint8_t *volatile *)&thread->cursor = thread->payload + *committed;
}

// The recorder's slow parts, which a signal handler must not enter on a thread that is inside of one.
WEIR_INLINE void weir_enter_inside(void) {
    weir_this_thread.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
WEIR_INLINE void weir_leave_inside(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    weir_this_thread.inside--;
}
// Whether the calling code is a signal handler that has interrupted the recorder on this thread.
WEIR_INLINE bool weir_has_interrupted_recorder(void) {
    return weir_this_thread.inside != 0 || (uintptr_t)weir_this_thread.cursor >= WEIR_WRITING;
}

// Events that were lost since they came from such handlers, in this process.
uint64_t weir_interrupting_events(void);
void weir_count_interrupting(uint64_t count);

// 0: nothing is recorded. Otherwise the generation that records belong to, which only rises. The initial value is neither: the
// first use of anything leaves its fast path and checks the environment for whether to record.
extern uint32_t weir_generation;

WEIR_INLINE uint32_t weir_recording(void) { return __atomic_load_n(&weir_generation, __ATOMIC_RELAXED); }
void weir_recording_set(uint32_t generation);
// Call it once the environment has been checked. Unless that began a recording, nothing is recorded.
void weir_recording_asked(void);
// Advances from one generation to the next, unless recording was stopped in between.
void weir_recording_advance(uint32_t from, uint32_t to);

// The first generation of the recording if it leaves out nodes of some modules; else 0.
extern uint32_t weir_chosen_modules;
WEIR_INLINE uint32_t weir_choosing(void) { return __atomic_load_n(&weir_chosen_modules, __ATOMIC_RELAXED); }
void weir_choosing_set(uint32_t generation);

// Reasons for deliveries to leave the shortest path of recording, so that this asks one question for all of them.
enum {
    // A task of this process has carried a cause of its own. It matters only if nothing is open on a thread.
    weir_detour_causes = 1,
    // The current or last recording has signposts.
    weir_detour_signposts = 2,
    // It has write sites.
    weir_detour_write_sites = 4,
    weir_detour_all = 7,
};
extern uint8_t weir_detours;
WEIR_INLINE bool weir_takes_detour(uint8_t reasons) {
    return (__atomic_load_n(&weir_detours, __ATOMIC_RELAXED) & reasons) != 0;
}

// Whether the current or last recording has signposts.
WEIR_INLINE bool weir_has_signposts(void) { return weir_takes_detour(weir_detour_signposts); }
void weir_signposts_set(bool on);

// Whether the current or last recording has write sites: the lines that write.
WEIR_INLINE bool weir_has_write_sites(void) { return weir_takes_detour(weir_detour_write_sites); }
void weir_write_sites_set(bool on);

// Whether a task may carry a cause of its own, or another reason calls for the same path.
WEIR_INLINE bool weir_tasks_carry_causes(void) { return weir_takes_detour(weir_detour_all); }
WEIR_INLINE void weir_tasks_carry_from_now_on(void) {
    if (!weir_takes_detour(weir_detour_causes)) __atomic_fetch_or(&weir_detours, weir_detour_causes, __ATOMIC_RELAXED);
}

WEIR_ASSUME_NONNULL_END

#endif

// The recorder's state for each thread, and the switch that turns recording on.
#ifndef WEIR_THREAD_H
#define WEIR_THREAD_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// An emission or stimulus that is open on this thread.
typedef struct {
    uint64_t sequence;
    uint32_t node; // 0: a stimulus, hop or batch
    uint32_t subscription;
} weir_frame;

typedef struct {
    // All zero until the thread's first record. `generation` then differs from the recorder's, so the slow path is taken.
    uint8_t *_Nullable cursor;      // where the next record begins; beyond `WEIR_WRITING` while one is being written
    uint8_t *_Nullable limit;       // the last place at which a compact record may begin
    uint8_t *_Nullable payload;     // where the records of the chunk begin
    uint64_t last_stamp;
    uint64_t sequence;              // of the last record
    uint32_t generation;            // that the chunk belongs to
    uint32_t session;               // that `sequence` and the frames belong to
    uint32_t depth;                 // open frames
    uint32_t policy;                // how much of each value is recorded
    weir_frame *_Nullable frames;   // `weir_frame_capacity` of them; deeper ones are counted, not kept
    void *_Nullable keeper;         // the slow path's own state
    uint32_t inside;                // locks and slow parts of the recorder that the thread is in
    uint32_t turn;                  // deliveries and batches that are open, and two flags (see below)
    void *_Nullable settling;       // what waits for the end of a turn; made when first needed
    uint8_t main;                   // 0: not known; 1: the main thread; 2: another
    bool serves;                    // it may run work of an actor or the main queue, and is not the main thread
    bool tracks_reads;              // see `TrackedReads`
    bool hides_nodes;               // a private value is being made into something: see `PrivateMaking`
} weir_thread;

enum { weir_frame_capacity = 256 };

#if defined(__ELF__)
extern _Thread_local weir_thread weir_this_thread __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local weir_thread weir_this_thread;
#endif

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

WEIR_INLINE bool weir_tracks_reads(void) { return weir_this_thread.tracks_reads; }
WEIR_INLINE void weir_set_tracks_reads(bool tracks_reads) { weir_this_thread.tracks_reads = tracks_reads; }

WEIR_INLINE bool weir_hides_nodes(void) { return weir_this_thread.hides_nodes; }
// Returns the former value.
WEIR_INLINE bool weir_set_hides_nodes(bool hides_nodes) {
    bool former = weir_this_thread.hides_nodes;
    weir_this_thread.hides_nodes = hides_nodes;
    return former;
}

// A turn is everything that one write causes on its thread. It ends when no delivery is open.
static const uint32_t weir_turn_pending = 0x80000000u; // something waits for the turn to settle
static const uint32_t weir_turn_batch = 0x40000000u;   // inside a batch: writes are delivered later

// Returns whether it began inside a batch.
WEIR_INLINE bool weir_turn_begin(void) { return (++weir_this_thread.turn & weir_turn_batch) != 0; }
WEIR_INLINE void weir_turn_end(void) { weir_this_thread.turn--; }
WEIR_INLINE bool weir_turn_is_open(void) { return weir_this_thread.turn != 0; }
// Whether only the outermost delivery is open, and something waits for the turn to settle.
WEIR_INLINE bool weir_turn_must_settle(void) { return weir_this_thread.turn == (weir_turn_pending | 1); }
WEIR_INLINE void weir_turn_set(uint32_t flag, bool on) {
    if (on) weir_this_thread.turn |= flag;
    else weir_this_thread.turn &= ~flag;
}
// Whether a delivery or batch is open inside another one.
WEIR_INLINE bool weir_turn_is_nested(void) { return (weir_this_thread.turn & ~(weir_turn_pending | weir_turn_batch)) > 1; }
WEIR_INLINE bool weir_turn_is(uint32_t flag) { return (weir_this_thread.turn & flag) != 0; }

// 0: nothing is recorded. Otherwise the generation that records belong to, which only rises. The initial value is neither: the
// first use of anything leaves its fast path and checks the environment for whether to record.
extern uint32_t weir_generation;

// The number of renders of observable models that run at once, inside the writes that cause them.
extern uint32_t weir_renders_at_once;

WEIR_INLINE bool weir_renders_run_at_once(void) { return __atomic_load_n(&weir_renders_at_once, __ATOMIC_RELAXED) != 0; }
WEIR_INLINE void weir_renders_at_once_add(int32_t count) {
    __atomic_fetch_add(&weir_renders_at_once, (uint32_t)count, __ATOMIC_RELAXED);
}

WEIR_INLINE weir_thread *weir_thread_current(void) { return &weir_this_thread; }
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

// Whether a task of this process has ever carried a cause of its own. It matters only if nothing is open on a thread.
extern bool weir_tasks_carried;
WEIR_INLINE bool weir_tasks_carry_causes(void) { return __atomic_load_n(&weir_tasks_carried, __ATOMIC_RELAXED); }
WEIR_INLINE void weir_tasks_carry_from_now_on(void) { __atomic_store_n(&weir_tasks_carried, true, __ATOMIC_RELAXED); }

WEIR_ASSUME_NONNULL_END

#endif

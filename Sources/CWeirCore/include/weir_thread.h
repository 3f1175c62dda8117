// The state of each thread: that of the recorder, and that of the turn that is open on it.
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
    weir_frame *_Nullable frames;   // the outermost ones; deeper ones are counted, not kept
    void *_Nullable keeper;         // the slow path's own state
    uint32_t inside;                // locks and slow parts of the recorder that the thread is in
    uint32_t turn;                  // deliveries and batches that are open, and two flags (see below)
    void *_Nullable settling;       // what waits for the end of a turn; made when first needed
    uint8_t main;                   // 0: not known; 1: the main thread; 2: another
    bool serves;                    // it may run work of an actor or the main queue, and is not the main thread
    bool tracks_reads;              // see `TrackedReads`
    bool hides_nodes;               // a private value is being made into something: see `PrivateMaking`
} weir_thread;

#if defined(__ELF__)
extern _Thread_local weir_thread weir_this_thread __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local weir_thread weir_this_thread;
#endif

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

// The number of renders of observable models that run at once, inside the writes that cause them.
extern uint32_t weir_renders_at_once;

WEIR_INLINE bool weir_renders_run_at_once(void) { return __atomic_load_n(&weir_renders_at_once, __ATOMIC_RELAXED) != 0; }
WEIR_INLINE void weir_renders_at_once_add(int32_t count) {
    __atomic_fetch_add(&weir_renders_at_once, (uint32_t)count, __ATOMIC_RELAXED);
}

WEIR_INLINE weir_thread *weir_thread_current(void) { return &weir_this_thread; }

WEIR_ASSUME_NONNULL_END

#endif

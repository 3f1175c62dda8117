// What the recorder keeps for each thread, and the switch that turns recording on.
#ifndef WEIR_THREAD_H
#define WEIR_THREAD_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// An emission or stimulus that is open on this thread.
typedef struct {
    uint64_t sequence;
    uint32_t node; // 0: a stimulus
    uint32_t subscription;
} weir_frame;

typedef struct {
    // All zero until the thread's first record; `generation` differs from the recorder's then, so the slow path is taken.
    uint8_t *_Nullable cursor;      // where the next record begins
    uint8_t *_Nullable limit;       // the last place at which a compact record may begin
    uint8_t *_Nullable payload;     // where the records of the chunk begin
    uint32_t *_Nullable committed;  // the chunk's field of that name
    uint64_t last_stamp;
    uint64_t sequence;              // of the last record
    uint32_t generation;            // that the chunk belongs to
    uint32_t session;               // that `sequence` and the frames belong to
    uint32_t depth;                 // open frames
    uint32_t policy;                // how much of each value is recorded
    weir_frame *_Nullable frames;   // `weir_frame_capacity` of them; deeper ones are counted, not kept
    void *_Nullable keeper;         // the slow path's own state
} weir_thread;

enum { weir_frame_capacity = 256 };

#if defined(__ELF__)
extern _Thread_local weir_thread weir_this_thread __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local weir_thread weir_this_thread;
#endif

// 0: nothing is recorded. Otherwise the generation that records belong to; it only ever rises.
extern uint32_t weir_generation;

WEIR_INLINE weir_thread *weir_thread_current(void) { return &weir_this_thread; }
WEIR_INLINE uint32_t weir_recording(void) { return __atomic_load_n(&weir_generation, __ATOMIC_RELAXED); }
void weir_recording_set(uint32_t generation);
// Goes from one generation to the next, unless recording was stopped in the meantime.
void weir_recording_advance(uint32_t from, uint32_t to);

WEIR_ASSUME_NONNULL_END

#endif

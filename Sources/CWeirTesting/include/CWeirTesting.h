// The allocations of the Swift runtime, reported as they happen, and weak references; only for tests of leaks.
#ifndef CWEIRTESTING_H
#define CWEIRTESTING_H

#include <stdbool.h>
#include <stdint.h>

// Calls `seen` for each object allocated from now on, on the thread that allocates it, but not for allocations of `seen` itself.
// The object has only its header yet. Call this once.
void weir_allocations_watch(void (*_Nonnull seen)(void *_Nonnull object));
// Whether allocations of this program are seen at all. They are not if the runtime is linked statically.
bool weir_allocations_are_seen(void);

// The number of objects that the calling thread has allocated so far.
uint64_t weir_allocations_count(void);

// A weak reference of the Swift runtime, to any heap object: instances, closures, boxes.
typedef struct weir_weak {
    void *_Nullable opaque;
} weir_weak;
void weir_weak_set(weir_weak *_Nonnull weak, void *_Nonnull object);
// The object, retained; NULL if it is gone.
void *_Nullable weir_weak_retain(weir_weak *_Nonnull weak);
void weir_weak_clear(weir_weak *_Nonnull weak);
void weir_object_release(void *_Nonnull object);

#endif

// What the Swift runtime allocates, told as it happens, and references that do not hold; for tests of leaks only.
#ifndef CWEIRTESTING_H
#define CWEIRTESTING_H

#include <stdbool.h>
#include <stdint.h>

// Calls `seen` for each object that is allocated from now on, on the thread that allocates it, and not for what `seen`
// allocates itself. The object has its header, and nothing else yet. To be called once.
void weir_allocations_watch(void (*_Nonnull seen)(void *_Nonnull object));
// Whether allocations of this program come by here at all: not where the runtime is linked statically.
bool weir_allocations_are_seen(void);

// How many objects the calling thread has allocated so far.
uint64_t weir_allocations_count(void);

// A weak reference of the Swift runtime's own, to any heap object: instances, closures, boxes.
typedef struct weir_weak {
    void *_Nullable opaque;
} weir_weak;
void weir_weak_set(weir_weak *_Nonnull weak, void *_Nonnull object);
// The object, retained; NULL: it is gone.
void *_Nullable weir_weak_retain(weir_weak *_Nonnull weak);
void weir_weak_clear(weir_weak *_Nonnull weak);
void weir_object_release(void *_Nonnull object);

#endif

#define _GNU_SOURCE
#include "CWeirTesting.h"

#include <dlfcn.h>
#include <stddef.h>

typedef void *(*allocate_object)(const void *metadata, size_t size, size_t alignment);

static allocate_object original;
static void (*observer)(void *);
static bool is_called;
static _Thread_local bool is_observing;
static _Thread_local uint64_t count;

// Replaces the runtime's function of the same name, and calls it. A program that links a test library finds this one first. (The
// runtime has a hook for instruments, but with it on, its retain loses registers that callers rely on.)
// It is weak, so that a statically linked runtime takes precedence.
__attribute__((weak)) void *swift_allocObject(const void *metadata, size_t size, size_t alignment) {
    allocate_object allocate = __atomic_load_n(&original, __ATOMIC_RELAXED);
    if (!allocate) {
        allocate = (allocate_object)dlsym(RTLD_NEXT, "swift_allocObject");
        __atomic_store_n(&original, allocate, __ATOMIC_RELAXED);
    }
    void *object = allocate(metadata, size, alignment);
    count++;
    void (*seen)(void *) = __atomic_load_n(&observer, __ATOMIC_ACQUIRE);
    if (seen && !is_observing) {
        is_observing = true;
        __atomic_store_n(&is_called, true, __ATOMIC_RELAXED);
        seen(object);
        is_observing = false;
    }
    return object;
}

void weir_allocations_watch(void (*seen)(void *)) { __atomic_store_n(&observer, seen, __ATOMIC_RELEASE); }
uint64_t weir_allocations_count(void) { return count; }
bool weir_allocations_are_seen(void) { return __atomic_load_n(&is_called, __ATOMIC_RELAXED); }

extern void *swift_weakInit(weir_weak *, void *);
extern void *swift_weakLoadStrong(weir_weak *);
extern void swift_weakDestroy(weir_weak *);
extern void swift_release(void *);

void weir_weak_set(weir_weak *weak, void *object) { swift_weakInit(weak, object); }
void *weir_weak_retain(weir_weak *weak) { return swift_weakLoadStrong(weak); }
void weir_weak_clear(weir_weak *weak) { swift_weakDestroy(weak); }
void weir_object_release(void *object) { swift_release(object); }

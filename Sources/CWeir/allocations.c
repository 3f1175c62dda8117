#define _GNU_SOURCE
#include "weir_allocations.h"

#include <dlfcn.h>

typedef void *(*allocate_object)(const void *metadata, size_t size, size_t alignment);

// The runtime's own door for instruments: a pointer to the function that allocates, and a switch that makes it be asked.
// Looked up, not linked: a runtime without the door must still be able to load us.
static const char *const door = "_swift_allocObject";
static const char *const door_switch = "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly";

static allocate_object *place;
static allocate_object original;
static void (*observer)(void *);
static _Thread_local bool is_observing;

static void *allocate_and_tell(const void *metadata, size_t size, size_t alignment) {
    void *object = original(metadata, size, alignment);
    void (*seen)(void *) = __atomic_load_n(&observer, __ATOMIC_ACQUIRE);
    if (seen && !is_observing) {
        is_observing = true;
        seen(object);
        is_observing = false;
    }
    return object;
}

bool weir_allocations_watch(void (*seen)(void *)) {
    if (!place) {
        allocate_object *found = dlsym(RTLD_DEFAULT, door);
        bool *enabled = dlsym(RTLD_DEFAULT, door_switch);
        if (!found || !enabled) return false;
        original = *found;
        place = found;
        __atomic_store_n(&observer, seen, __ATOMIC_RELEASE);
        __atomic_store_n(found, allocate_and_tell, __ATOMIC_RELEASE);
        // It stays open: a thread may be on its way through.
        __atomic_store_n(enabled, true, __ATOMIC_RELEASE);
        return true;
    }
    __atomic_store_n(&observer, seen, __ATOMIC_RELEASE);
    return true;
}

void weir_allocations_unwatch(void) { __atomic_store_n(&observer, NULL, __ATOMIC_RELEASE); }

extern void *swift_weakInit(weir_weak *, void *);
extern void *swift_weakLoadStrong(weir_weak *);
extern void swift_weakDestroy(weir_weak *);
extern void swift_release(void *);

void weir_weak_set(weir_weak *weak, void *object) { swift_weakInit(weak, object); }
void *weir_weak_retain(weir_weak *weak) { return swift_weakLoadStrong(weak); }
void weir_weak_clear(weir_weak *weak) { swift_weakDestroy(weak); }
void weir_object_release(void *object) { swift_release(object); }

#include "../CWeirCore/swift_tasks.h"
#include "weir_platform.h"

// Compiled Swift calls these to find out where it runs.
extern serial_executor swift_task_getCurrentExecutor(void) WEIR_WEAK __attribute__((swiftcall));
extern const void *swift_task_getCurrent(void) WEIR_WEAK __attribute__((swiftcall));
extern uint64_t swift_task_getJobTaskId(const void *task) WEIR_WEAK __attribute__((swiftcall));
extern serial_executor swift_task_getMainExecutor(void) WEIR_WEAK __attribute__((swiftcall));

#if defined(__APPLE__)
// On Apple platforms the main queue belongs to the main thread.
static bool is_main_queue(void) { return false; }
#else
// If `main` sleeps forever, any of Dispatch's threads may run the main queue. Reading its label takes no lock.
extern const char *dispatch_queue_get_label(const void *queue) WEIR_WEAK;
extern const char _dispatch_main_q[] WEIR_WEAK;
static bool is_main_queue(void) {
    if (!dispatch_queue_get_label || !_dispatch_main_q) return false;
    return dispatch_queue_get_label(NULL) == dispatch_queue_get_label(_dispatch_main_q);
}
#endif

uintptr_t weir_executor(void) {
    static uintptr_t main_identity = 0;
    if (swift_task_getCurrentExecutor && swift_task_getMainExecutor) {
        uintptr_t identity = (uintptr_t)swift_task_getCurrentExecutor().identity;
        if (identity != 0) {
            uintptr_t known = __atomic_load_n(&main_identity, __ATOMIC_RELAXED);
            if (known == 0) {
                known = (uintptr_t)swift_task_getMainExecutor().identity;
                __atomic_store_n(&main_identity, known, __ATOMIC_RELAXED);
            }
            return identity == known ? WEIR_MAIN_EXECUTOR : identity;
        }
    }
    return is_main_queue() ? WEIR_MAIN_EXECUTOR : 0;
}

uint64_t weir_current_task_number(void) {
    const void *task = swift_task_getCurrent ? swift_task_getCurrent() : 0;
    return task && swift_task_getJobTaskId ? swift_task_getJobTaskId(task) : 0;
}

// The runtime has this for tools that inspect memory.
extern const void *const _swift_concurrency_debug_asyncTaskSlabMetadata WEIR_WEAK;

uintptr_t weir_task_slab_kind(void) {
    const void *const *kind = &_swift_concurrency_debug_asyncTaskSlabMetadata;
    return kind ? (uintptr_t)*kind : 0;
}

uintptr_t weir_current_task(void) { return swift_task_getCurrent ? (uintptr_t)swift_task_getCurrent() : 0; }

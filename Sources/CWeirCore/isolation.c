#include "swift_tasks.h"
#include "weir_isolation.h"
#include "weir_runtime.h"

// With the flag 0 it does not ask an executor to check, which would abort the process if the executor said no.
extern bool swift_task_isCurrentExecutorWithFlags(serial_executor executor, uint64_t flags) WEIR_WEAK
    __attribute__((swiftcall));
extern serial_executor swift_task_getCurrentExecutor(void) WEIR_WEAK __attribute__((swiftcall));

enum { weir_is_main = 1, weir_is_not_main = 2 };

bool weir_find_main_thread(void) {
    bool is_main = weir_thread_is_main();
    weir_this_thread.main = is_main ? weir_is_main : weir_is_not_main;
    return is_main;
}

bool weir_executor_is_current(const void *identity, uintptr_t implementation) {
    serial_executor executor = {identity, implementation};
    if (swift_task_isCurrentExecutorWithFlags) return swift_task_isCurrentExecutorWithFlags(executor, 0);
    // An older runtime lacks that function. If it does not recognize the executor, the work waits for the actor.
    return swift_task_getCurrentExecutor && swift_task_getCurrentExecutor().identity == identity;
}

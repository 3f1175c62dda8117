// The isolation in which code runs, in the terms of Swift actors.
#ifndef WEIR_ISOLATION_H
#define WEIR_ISOLATION_H

#include "weir_base.h"
#include "weir_thread.h"

WEIR_ASSUME_NONNULL_BEGIN

// Asks the system whether the calling thread is the main thread, and keeps the answer.
bool weir_find_main_thread(void);

// Whether the calling thread is the main thread. All code there is in the main actor's isolation.
WEIR_INLINE bool weir_on_main_thread(void) {
    uint8_t known = weir_this_thread.main;
    if (WEIR_LIKELY(known != 0)) return known == 1;
    return weir_find_main_thread();
}

// Whether code on the calling thread is now in the isolation of that executor, according to the runtime. Never aborts.
bool weir_executor_is_current(const void *_Nullable identity, uintptr_t implementation);

WEIR_ASSUME_NONNULL_END

#endif

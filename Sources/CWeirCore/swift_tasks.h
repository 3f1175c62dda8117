#pragma once
// What both C modules need to call the runtime of Swift's concurrency. A program without concurrency does not link it, so calls are weak.

#include <stdint.h>

/// An executor, as the runtime passes it.
typedef struct {
    const void *identity;
    uintptr_t implementation;
} serial_executor;

#if defined(__APPLE__)
#define WEIR_WEAK __attribute__((weak_import))
#else
#define WEIR_WEAK __attribute__((weak))
#endif

#ifndef WEIR_BASE_H
#define WEIR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// always_inline: a C function that Swift calls without inlining costs about 1 ns.
#define WEIR_INLINE static inline __attribute__((always_inline))
#define WEIR_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define WEIR_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define WEIR_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")

#endif

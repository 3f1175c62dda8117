// Sorts numbers. This is in C because a debug build of Swift would take a hundred times as long.
#ifndef WEIR_SORT_H
#define WEIR_SORT_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

typedef struct {
    uint64_t key;
    uint64_t value;
} weir_pair;

// Sorts by key, and pairs with the same key by value.
void weir_sort_pairs(weir_pair *pairs, size_t count);

WEIR_ASSUME_NONNULL_END

#endif

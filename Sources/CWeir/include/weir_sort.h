// Sorts numbers; in C, as a debug build of Swift would take a hundred times as long for it.
#ifndef WEIR_SORT_H
#define WEIR_SORT_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

typedef struct {
    uint64_t key;
    uint64_t value;
} weir_pair;

// Sorts by the keys, and pairs of the same key by their values.
void weir_sort_pairs(weir_pair *pairs, size_t count);

WEIR_ASSUME_NONNULL_END

#endif

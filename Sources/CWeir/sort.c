#include "weir_sort.h"

#include <stdlib.h>

static int compare(const void *first, const void *second) {
    const weir_pair *one = first, *other = second;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return (one->value > other->value) - (one->value < other->value);
}

void weir_sort_pairs(weir_pair *pairs, size_t count) { qsort(pairs, count, sizeof *pairs, compare); }

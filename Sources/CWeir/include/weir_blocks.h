// The memory that glibc's allocator gave out, block by block: as it lies in memory, without asking the allocator.
#ifndef WEIR_BLOCKS_H
#define WEIR_BLOCKS_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// A piece of memory that is blocks from its beginning to its end.
typedef struct weir_area {
    uintptr_t start, end;
} weir_area;

// Calls `found` with each area in [`start`, `end`), which must be readable and whose ends lie at pages. An area is
// believed only if its blocks follow each other up to its end, so with another allocator there is none. Looks until a moment
// of `weir_monotonic`: a sanitizer reserves more memory than can be read.
void weir_areas(
    uintptr_t start, uintptr_t end, uint64_t until, void (*found)(void *_Nullable context, const weir_area *area),
    void *_Nullable context);

// Where the block in use begins that holds `place`, as malloc gave it back; 0: that is free memory, or the allocator's own,
// or nobody has written its first two words since it was free.
// `next` is where to begin, the area's start at first; it moves on, so places must rise. `key` is what `weir_free_key` says.
uintptr_t weir_find_block(const weir_area *area, uintptr_t *next, uintptr_t place, uintptr_t key);

// What the allocator notes in a block that a thread gave back and that it keeps for that thread; 0: nothing.
uintptr_t weir_free_key(void);

WEIR_ASSUME_NONNULL_END

#endif

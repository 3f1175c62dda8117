// The memory that glibc's allocator gave out, block by block. It is read from memory, without asking the allocator.
#ifndef WEIR_BLOCKS_H
#define WEIR_BLOCKS_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// A piece of memory that consists of blocks from its beginning to its end.
typedef struct weir_area {
    uintptr_t start, end;
} weir_area;

// Calls `found` with each area in [`start`, `end`), which must be readable and begin and end at pages. An area counts only if its
// blocks follow each other up to its end, so another allocator has none. Stops at the time `until` of `weir_processor_time`, because a
// sanitizer reserves more memory than can be read.
void weir_areas(
    uintptr_t start, uintptr_t end, uint64_t until, void (*found)(void *_Nullable context, const weir_area *area),
    void *_Nullable context);

// The start of the block in use that contains `place`, as malloc returned it. Returns 0 if the memory is free or the allocator's
// own, or if nobody has written its first two words since it was free.
// `next` is where the search begins: at first the start of the area. It moves on, so `place` must ascend. `key` comes from
// `weir_free_key`.
uintptr_t weir_find_block(const weir_area *area, uintptr_t *next, uintptr_t place, uintptr_t key);

// The mark that the allocator leaves in a freed block that it keeps for the thread; 0 if it leaves none.
uintptr_t weir_free_key(void);

WEIR_ASSUME_NONNULL_END

#endif

#include "weir_blocks.h"

#include "weir_clock.h"

#include <stdlib.h>

#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8

// The two words before a block describe it: the size of the previous block if that is free, and its own size with three flags.
// Source: glibc, malloc/malloc.c ("Chunks of memory are maintained using a boundary tag method") and arena.c.
enum {
    page = 4096,
    heap_alignment = 64 << 20,
    header = 16,
    least_size = 32,
    largest_fast_size = 128,
    previous_in_use = 1,
    is_mapped = 2,
    marks = 7,
};

// This reads memory that is free, or not the program's, so a sanitizer must not check it.
#pragma clang attribute push(__attribute__((no_sanitize("address", "thread"))), apply_to = function)

static uintptr_t word(uintptr_t address) { return *(const volatile uintptr_t *)address; }
static uintptr_t size_at(uintptr_t chunk) { return word(chunk + 8) & ~(uintptr_t)marks; }

static bool is_size(uintptr_t size, uintptr_t most) { return size >= least_size && (size & 15) == 0 && size <= most; }

// Whether blocks follow each other from `chunk` to `end`. If an arena continues elsewhere, its last size is too small for a block.
static bool reaches(uintptr_t chunk, uintptr_t end) {
    while (chunk + header <= end) {
        uintptr_t size = size_at(chunk);
        if (!is_size(size, end - chunk)) return size <= header && end - chunk <= 2 * least_size;
        chunk += size;
    }
    return chunk == end;
}

// The end of the part of an arena that begins at `start`, and the address of its first block. `start` must have the alignment of
// arena parts.
static uintptr_t arena_end(uintptr_t start, uintptr_t limit, uintptr_t *first) {
    uintptr_t size = word(start + 16);
    if (size < page || size % page != 0 || size > heap_alignment || size > limit - start) return 0;
    uintptr_t end = start + size;
    // A description of the arena precedes the first block. Its length differs among versions.
    for (uintptr_t chunk = start + 32; chunk < start + page; chunk += 16) {
        if (!is_size(size_at(chunk), end - chunk) || !reaches(chunk, end)) continue;
        *first = chunk;
        return end;
    }
    return 0;
}

void weir_areas(
    uintptr_t start, uintptr_t end, uint64_t until, void (*found)(void *context, const weir_area *area), void *context) {
    while (start < end) {
        if (start % (256 * page) == 0 && weir_processor_time() > until) return;
        weir_area area = {start, 0};
        uintptr_t noted = word(start + 8), size = noted & ~(uintptr_t)marks;
        if (start % heap_alignment == 0) area.end = arena_end(start, end, &area.start);
        if (area.end == 0 && word(start) == 0) {
            bool is_large = (noted & marks) == is_mapped && size % page == 0 && size >= page && size <= end - start;
            if (is_large) area.end = start + size;
            else if ((noted & marks) == previous_in_use && is_size(size, end - start) && reaches(start, end)) area.end = end;
        }
        if (area.end != 0) found(context, &area);
        start = area.end != 0 ? area.end : start + page;
    }
}

// Whether a block is in a list of free ones of its size. Its first word leads to the next one, mixed with the word's own address.
static bool is_in_fast_list(uintptr_t chunk, uintptr_t size, const weir_area *area) {
    if (size > largest_fast_size) return false;
    uintptr_t next = word(chunk + header) ^ (chunk + header) >> 12;
    if (next == 0) return true;
    return (next & 15) == 0 && next >= area->start && next < area->end && size_at(next) == size;
}

uintptr_t weir_find_block(const weir_area *area, uintptr_t *next, uintptr_t place, uintptr_t key) {
    uintptr_t chunk = *next, end = area->end;
    bool is_large = (word(chunk + 8) & is_mapped) != 0;
    // A block in use extends into the word that would hold its size if it were free.
    uintptr_t overlap = is_large ? 0 : 8;
    while (chunk + header <= place) {
        uintptr_t size = size_at(chunk);
        if (!is_size(size, end - chunk)) return 0;
        if (place >= chunk + size + overlap) {
            chunk += size;
            continue;
        }
        *next = chunk;
        uintptr_t block = chunk + header;
        if (is_large) return block;
        // The last block was never allocated.
        if (chunk + size + header > end || (word(chunk + size + 8) & previous_in_use) == 0) return 0;
        bool is_kept = key != 0 && word(block + 8) == key;
        return is_kept || is_in_fast_list(chunk, size, area) ? 0 : block;
    }
    return 0;
}

uintptr_t weir_free_key(void) {
    void *block = malloc(24);
    if (!block) return 0;
    uintptr_t address = (uintptr_t)block;
    __asm__ volatile("" : "+r"(address) : : "memory");
    free(block);
    __asm__ volatile("" : "+r"(address) : : "memory");
    return word(address + 8);
}

#pragma clang attribute pop

#else

void weir_areas(
    uintptr_t start, uintptr_t end, uint64_t until, void (*found)(void *context, const weir_area *area), void *context) {
    (void)start, (void)end, (void)until, (void)found, (void)context;
}

uintptr_t weir_find_block(const weir_area *area, uintptr_t *next, uintptr_t place, uintptr_t key) {
    (void)area, (void)next, (void)place, (void)key;
    return 0;
}

uintptr_t weir_free_key(void) { return 0; }

#endif

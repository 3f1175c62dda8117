#include "weir_symbols.h"

#include <stdbool.h>
#include <string.h>

enum { entry_size = 24 };

size_t weir_find_symbols(const void *symbols, size_t count, const char *names, size_t name_bytes, const char *prefix,
                         const char *suffix, uint32_t *found, size_t most) {
    size_t before = strlen(prefix), after = strlen(suffix), all = 0;
    for (size_t index = 0; index < count && index <= UINT32_MAX && all < most; index++) {
        uint32_t offset;
        memcpy(&offset, (const char *)symbols + index * entry_size, sizeof offset);
        if (offset >= name_bytes || name_bytes - offset <= before) continue;
        const char *name = names + offset;
        if (strncmp(name, prefix, before) != 0) continue;
        size_t length = strnlen(name, name_bytes - offset);
        if (length == name_bytes - offset || length < before + after) continue;
        if (memcmp(name + length - after, suffix, after) == 0) found[all++] = (uint32_t)index;
    }
    return all;
}

// The address and size of a symbol; false: it is neither of data nor of code in this file.
static bool place_of(const void *symbols, size_t index, uint64_t *address, uint64_t *size) {
    const unsigned char *entry = (const unsigned char *)symbols + index * entry_size;
    unsigned kind = entry[4] & 0xf;
    memcpy(address, entry + 8, sizeof *address);
    memcpy(size, entry + 16, sizeof *size);
    return *address != 0 && (kind == 1 || kind == 2);
}

ptrdiff_t weir_symbol_at(const void *symbols, size_t count, uint64_t address) {
    uint64_t nearest = 0, start, size;
    ptrdiff_t found = -1;
    for (size_t index = 0; index < count; index++) {
        if (!place_of(symbols, index, &start, &size) || start > address || start < nearest) continue;
        bool contains = address - start < (size > 0 ? size : 1);
        if (start > nearest) {
            nearest = start;
            found = -1;
        }
        if (found < 0 && contains) found = (ptrdiff_t)index;
    }
    return found;
}

ptrdiff_t weir_symbol_named(const void *symbols, size_t count, const char *names, size_t name_bytes, const char *name) {
    size_t length = strlen(name);
    for (size_t index = 0; index < count; index++) {
        uint32_t offset;
        uint64_t start, size;
        memcpy(&offset, (const char *)symbols + index * entry_size, sizeof offset);
        if (offset >= name_bytes || name_bytes - offset <= length) continue;
        if (memcmp(names + offset, name, length + 1) == 0 && place_of(symbols, index, &start, &size)) return (ptrdiff_t)index;
    }
    return -1;
}

#include "weir_symbols.h"

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

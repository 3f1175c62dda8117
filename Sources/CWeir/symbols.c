#include "weir_symbols.h"

#include <string.h>

// Of longer names only this part is read: a damaged file could repeat one long name in every symbol.
enum { longest_name = 1 << 16 };

static size_t entry_size(const weir_symbol_table *table) { return table->format == weir_elf_symbols ? 24 : 16; }

// The address and size of a symbol; false: it is neither of data nor of code in this file.
static bool read_place(const weir_symbol_table *table, size_t index, uint64_t *address, uint64_t *size) {
    const unsigned char *entry = (const unsigned char *)table->symbols + index * entry_size(table);
    memcpy(address, entry + 8, sizeof *address);
    if (table->format == weir_elf_symbols) {
        unsigned kind = entry[4] & 0xf;
        memcpy(size, entry + 16, sizeof *size);
        return *address != 0 && (kind == 1 || kind == 2);
    }
    // Not a line for a debugger (N_STAB), and defined in a section (N_SECT).
    unsigned kind = entry[4], section = entry[5];
    if ((kind & 0xe0) != 0 || (kind & 0x0e) != 0x0e || section == 0 || section > table->section_count) return false;
    uint64_t end = table->section_ends[section - 1];
    if (*address == 0 || *address > end) return false;
    *size = end - *address;
    return true;
}

// The rest of the names from that of the symbol on, and its number of bytes; NULL: there is none.
static const char *name_start(const weir_symbol_table *table, size_t index, size_t *rest) {
    uint32_t offset;
    memcpy(&offset, (const char *)table->symbols + index * entry_size(table), sizeof offset);
    if (offset >= table->name_bytes) return NULL;
    const char *name = table->names + offset;
    *rest = table->name_bytes - offset;
    if (table->format == weir_elf_symbols) return name;
    // Without '_' it is a label of the assembler, or '<redacted>' in the system's libraries.
    if (*name != '_') return NULL;
    *rest -= 1;
    return name + 1;
}

bool weir_symbol_read(const weir_symbol_table *table, size_t index, weir_symbol *symbol) {
    size_t rest;
    if (!read_place(table, index, &symbol->address, &symbol->size)) return false;
    symbol->name = name_start(table, index, &rest);
    symbol->name_length = symbol->name ? strnlen(symbol->name, rest < longest_name ? rest : longest_name) : 0;
    return true;
}

bool weir_symbol_address(const weir_symbol_table *table, size_t index, uint64_t *address) {
    uint64_t size;
    return read_place(table, index, address, &size);
}

size_t weir_find_symbols(const weir_symbol_table *table, const char *prefix, const char *suffix, uint32_t *found, size_t most) {
    size_t before = strlen(prefix), after = strlen(suffix), all = 0, rest;
    uint64_t address, size;
    for (size_t index = 0; index < table->count && index <= UINT32_MAX && all < most; index++) {
        const char *name = name_start(table, index, &rest);
        if (!name || rest <= before || strncmp(name, prefix, before) != 0) continue;
        size_t length = strnlen(name, rest < longest_name ? rest : longest_name);
        if (length < before + after || !read_place(table, index, &address, &size)) continue;
        if (memcmp(name + length - after, suffix, after) == 0) found[all++] = (uint32_t)index;
    }
    return all;
}

ptrdiff_t weir_symbol_at(const weir_symbol_table *table, uint64_t address) {
    uint64_t nearest = 0, start, size;
    ptrdiff_t found = -1;
    size_t rest;
    for (size_t index = 0; index < table->count; index++) {
        if (!read_place(table, index, &start, &size) || start > address || start < nearest) continue;
        bool contains = address - start < (size > 0 ? size : 1);
        if (start > nearest) {
            nearest = start;
            found = -1;
        }
        if (found < 0 && contains && name_start(table, index, &rest)) found = (ptrdiff_t)index;
    }
    return found;
}

ptrdiff_t weir_symbol_named(const weir_symbol_table *table, const char *name) {
    size_t length = strlen(name), rest;
    uint64_t start, size;
    for (size_t index = 0; index < table->count; index++) {
        const char *here = name_start(table, index, &rest);
        if (!here || rest <= length || memcmp(here, name, length + 1) != 0) continue;
        if (read_place(table, index, &start, &size)) return (ptrdiff_t)index;
    }
    return -1;
}

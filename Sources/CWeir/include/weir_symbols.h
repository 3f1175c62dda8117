// Searches the symbols of a program. This is in C because a debug build of Swift would take a hundred times as long.
#ifndef WEIR_SYMBOLS_H
#define WEIR_SYMBOLS_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// How a symbol is written.
typedef enum {
    // `Elf64_Sym`: 24 bytes.
    weir_elf_symbols,
    // `nlist_64` of Mach-O: 16 bytes; names begin with '_', which is not part of the name here.
    weir_mach_symbols,
} weir_symbol_format;

// The symbols of a program file or of a loaded image. Nothing outside these bytes is read.
typedef struct {
    weir_symbol_format format;
    const void *_Nullable symbols;
    size_t count;
    // The last byte is 0. NULL if there are no symbols.
    const char *_Nullable names;
    size_t name_bytes;
    // Where each section of a Mach-O image ends, by its number from 1.
    const uint64_t *_Nullable section_ends;
    size_t section_count;
} weir_symbol_table;

// A symbol of data or code in this file.
typedef struct {
    uint64_t address;
    // The number of bytes; 0: unknown. A symbol of Mach-O has no size: here it extends to the end of its section.
    uint64_t size;
    // NULL if it is outside the names, or is not a name of the source.
    const char *_Nullable name;
    size_t name_length;
} weir_symbol;

// Reads the symbol at `index`, which is less than the count; false: it is not of data or code in this file.
bool weir_symbol_read(const weir_symbol_table *table, size_t index, weir_symbol *symbol);

// The same without the name, which takes longer.
bool weir_symbol_address(const weir_symbol_table *table, size_t index, uint64_t *address);

// The indices of at most `most` symbols whose names begin with `prefix` and end with `suffix`.
size_t weir_find_symbols(const weir_symbol_table *table, const char *prefix, const char *suffix, uint32_t *found, size_t most);

// The first of the symbols that contain the address and begin nearest to it; -1: none. Reads all of them.
ptrdiff_t weir_symbol_at(const weir_symbol_table *table, uint64_t address);

// The first symbol with this name; -1: none.
ptrdiff_t weir_symbol_named(const weir_symbol_table *table, const char *name);

WEIR_ASSUME_NONNULL_END

#endif

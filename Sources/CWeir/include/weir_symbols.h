// Searches the symbols of a program file. This is in C because a debug build of Swift would take a hundred times as long.
#ifndef WEIR_SYMBOLS_H
#define WEIR_SYMBOLS_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// The indices of at most `most` symbols, of 24 bytes each, whose names begin with `prefix` and end with `suffix`.
size_t weir_find_symbols(const void *symbols, size_t count, const char *names, size_t name_bytes, const char *prefix,
                         const char *suffix, uint32_t *found, size_t most);

// The first of the symbols of 24 bytes each whose data or code contains the address; -1: none. Reads all of them.
ptrdiff_t weir_symbol_at(const void *symbols, size_t count, uint64_t address);

// The first symbol of data or code with this name; -1: none.
ptrdiff_t weir_symbol_named(const void *symbols, size_t count, const char *names, size_t name_bytes, const char *name);

WEIR_ASSUME_NONNULL_END

#endif

// The programs and libraries that are loaded into this process, and the names of their symbols.
#ifndef WEIR_MODULES_H
#define WEIR_MODULES_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// A piece of a loaded module's memory.
typedef struct {
    // The module's file; empty for the program itself.
    const char *path;
    // The difference between addresses in memory and addresses in the file.
    uintptr_t base;
    // The segment's address and size, and the part of it that comes from the file.
    uintptr_t start, size, file_size, file_offset;
    bool is_writable;
} weir_segment;

// Calls `visit` for each loaded segment, module by module. The path lives only as long as the call. Only where
// programs are ELF files.
void weir_each_segment(void (*visit)(void *_Nullable context, const weir_segment *segment), void *_Nullable context);

// The exported symbol that starts at or before the address, or NULL.
const char *_Nullable weir_exported_symbol(uintptr_t address);

// A mangled Swift name in readable form, which the caller must free; NULL if it is not mangled.
char *_Nullable weir_demangle(const char *name, size_t length);

// The first occurrence of the pattern in the bytes, or NULL.
const void *_Nullable weir_find(const void *bytes, size_t length, const void *pattern, size_t pattern_length);

WEIR_ASSUME_NONNULL_END

#endif

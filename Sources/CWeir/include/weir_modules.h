// The programs and libraries that are loaded into this process, and the names of their symbols.
#ifndef WEIR_MODULES_H
#define WEIR_MODULES_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// A piece of a loaded module's memory.
typedef struct {
    // The module's file; empty for the program itself.
    const char *path;
    // What is added to the addresses of the file.
    uintptr_t base;
    // Where it is, and how many bytes of it come from the file.
    uintptr_t start, size, file_size, file_offset;
    bool is_writable;
} weir_segment;

// Calls `visit` for each loaded segment, module by module. The path lives only as long as the call. ELF only.
void weir_each_segment(void (*visit)(void *_Nullable context, const weir_segment *segment), void *_Nullable context);

// The exported symbol that starts at or before the address, or NULL.
const char *_Nullable weir_exported_symbol(uintptr_t address);
// What some module exports under that name; NULL: none does.
const void *_Nullable weir_exported_address(const char *name);

// What a mangled Swift name says, to be given to `free`; NULL: it is no such name.
char *_Nullable weir_demangle(const char *name, size_t length);

// The first place in the bytes where the pattern stands, or NULL.
const void *_Nullable weir_find(const void *bytes, size_t length, const void *pattern, size_t pattern_length);

WEIR_ASSUME_NONNULL_END

#endif

// The toolchain's own reflection library (libswiftRemoteMirror), opened at run time and looking at this process: an oracle
// for tests. Its functions take and give structures, which Swift cannot call by an address alone.
#ifndef REMOTE_MIRROR_H
#define REMOTE_MIRROR_H

#include <stdint.h>

// How a type is laid out; `kind` is 0 where the library cannot tell.
typedef struct {
    uint32_t kind, size, alignment, stride, field_count;
} mirror_type;

// A field, capture or case of a type.
typedef struct {
    const char *name;
    uint32_t offset, kind;
    uint64_t type;
} mirror_field;

// Loads the library and shows it every image of this process; the number of images, 0: it cannot be used here.
int mirror_open(const char *path);

mirror_type mirror_of_object(uintptr_t object);
mirror_field mirror_field_of_object(uintptr_t object, unsigned index);
mirror_type mirror_of_type(uint64_t type);
mirror_field mirror_field_of_type(uint64_t type, unsigned index);

#endif

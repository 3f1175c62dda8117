#define _GNU_SOURCE
#include "remote_mirror.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    void *begin, *end;
    uint64_t offset;
} section;

typedef struct {
    section fields, associated, builtin, captures, type_references, strings;
    uint64_t local_start, remote_start;
} image_sections;

static void *context;
static int image_count, memory_file;
static void (*add_image)(void *, image_sections);
static mirror_type (*object_type)(void *, uintptr_t), (*type_type)(void *, uint64_t);
static mirror_field (*object_field)(void *, uintptr_t, unsigned), (*type_field)(void *, uint64_t, unsigned);

// Sizes of a pointer and of a `size_t`; masks of a pointer; where addresses begin that can be objects.
static int query_layout(void *reader, int question, void *in, void *out) {
    switch (question) {
    case 0:
    case 1: *(uint8_t *)out = 8; return 1;
    case 2: *(uint64_t *)out = ~0ull; return 1;
    case 3: *(uint8_t *)out = 0; return 1;
    case 4: *(uint64_t *)out = 4096; return 1;
    case 5: *(uint8_t *)out = 0; return 1;
    default: return 0;
    }
}

static void free_bytes(void *reader, const void *bytes, void *token) { free((void *)bytes); }

static const void *read_bytes(void *reader, uint64_t address, uint64_t size, void **token) {
    void *bytes = malloc(size ? size : 1);
    if (bytes && pread(memory_file, bytes, size, (off_t)address) == (ssize_t)size) return bytes;
    free(bytes);
    return NULL;
}

static uint64_t text_length(void *reader, uint64_t address) { return strlen((const char *)address); }

static uint64_t symbol_address(void *reader, const char *name, uint64_t length) {
    char copy[1024];
    if (length >= sizeof copy) return 0;
    memcpy(copy, name, length);
    copy[length] = 0;
    return (uint64_t)dlsym(RTLD_DEFAULT, copy);
}

static void take_section(image_sections *sections, const char *name, uint64_t start, uint64_t size) {
    section *place = !strcmp(name, "swift5_fieldmd")    ? &sections->fields
                     : !strcmp(name, "swift5_assocty")  ? &sections->associated
                     : !strcmp(name, "swift5_builtin")  ? &sections->builtin
                     : !strcmp(name, "swift5_capture")  ? &sections->captures
                     : !strcmp(name, "swift5_typeref")  ? &sections->type_references
                     : !strcmp(name, "swift5_reflstr")  ? &sections->strings
                                                        : NULL;
    if (!place) return;
    place->begin = (void *)start;
    place->end = (void *)(start + size);
}

static int show_image(struct dl_phdr_info *image, size_t size, void *data) {
    const char *path = image->dlpi_name && *image->dlpi_name ? image->dlpi_name : "/proc/self/exe";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0) return 0;
    void *bytes = fstat(file, &status) == 0 ? mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED) return 0;
    const Elf64_Ehdr *header = bytes;
    const Elf64_Shdr *table = (const void *)((char *)bytes + header->e_shoff);
    const char *names = (const char *)bytes + table[header->e_shstrndx].sh_offset;
    image_sections sections = {.local_start = image->dlpi_addr, .remote_start = image->dlpi_addr};
    for (int index = 0; index < header->e_shnum; index++)
        take_section(&sections, names + table[index].sh_name, image->dlpi_addr + table[index].sh_addr,
                     table[index].sh_size);
    munmap(bytes, status.st_size);
    if (sections.fields.begin || sections.captures.begin) {
        add_image(context, sections);
        image_count++;
    }
    return 0;
}

int mirror_open(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    memory_file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    void *(*create)(void *, void *, void *, void *, void *, void *) =
        dlsym(library, "swift_reflection_createReflectionContextWithDataLayout");
    add_image = dlsym(library, "swift_reflection_addReflectionInfo");
    object_type = dlsym(library, "swift_reflection_infoForInstance");
    object_field = dlsym(library, "swift_reflection_childOfInstance");
    type_type = dlsym(library, "swift_reflection_infoForTypeRef");
    type_field = dlsym(library, "swift_reflection_childOfTypeRef");
    if (memory_file < 0 || !create || !add_image || !object_type || !object_field || !type_type || !type_field) return 0;
    context = create(NULL, query_layout, free_bytes, read_bytes, text_length, symbol_address);
    dl_iterate_phdr(show_image, NULL);
    return image_count;
}

mirror_type mirror_of_object(uintptr_t object) { return object_type(context, object); }
mirror_field mirror_field_of_object(uintptr_t object, unsigned index) { return object_field(context, object, index); }
mirror_type mirror_of_type(uint64_t type) { return type_type(context, type); }
mirror_field mirror_field_of_type(uint64_t type, unsigned index) { return type_field(context, type, index); }

#else
int mirror_open(const char *path) { return 0; }
mirror_type mirror_of_object(uintptr_t object) { return (mirror_type){0}; }
mirror_field mirror_field_of_object(uintptr_t object, unsigned index) { return (mirror_field){0}; }
mirror_type mirror_of_type(uint64_t type) { return (mirror_type){0}; }
mirror_field mirror_field_of_type(uint64_t type, unsigned index) { return (mirror_field){0}; }
#endif

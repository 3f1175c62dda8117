#define _GNU_SOURCE
#include "weir_modules.h"

#include <dlfcn.h>
#include <string.h>

extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *buffer_size, uint32_t flags);

char *weir_demangle(const char *name, size_t length) { return swift_demangle(name, length, NULL, NULL, 0); }

const char *weir_exported_symbol(uintptr_t address) {
    Dl_info information;
    return dladdr((const void *)address, &information) ? information.dli_sname : NULL;
}

const void *weir_find(const void *bytes, size_t length, const void *pattern, size_t pattern_length) {
    return memmem(bytes, length, pattern, pattern_length);
}

#if defined(__ELF__)
#include <link.h>

typedef struct {
    void (*visit)(void *, const weir_segment *);
    void *context;
} segment_visitor;

static int visit_module(struct dl_phdr_info *module, size_t size, void *data) {
    segment_visitor *visitor = data;
    (void)size;
    for (int index = 0; index < module->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[index];
        if (header->p_type != PT_LOAD) continue;
        weir_segment segment = {
            .path = module->dlpi_name ? module->dlpi_name : "",
            .base = module->dlpi_addr,
            .start = module->dlpi_addr + header->p_vaddr,
            .size = header->p_memsz,
            .file_size = header->p_filesz,
            .file_offset = header->p_offset,
            .is_writable = (header->p_flags & PF_W) != 0,
        };
        visitor->visit(visitor->context, &segment);
    }
    return 0;
}

void weir_each_segment(void (*visit)(void *, const weir_segment *), void *context) {
    segment_visitor visitor = {visit, context};
    dl_iterate_phdr(visit_module, &visitor);
}
#endif

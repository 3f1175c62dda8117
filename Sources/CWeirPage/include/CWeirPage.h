// The script and the style of the report page, which `#embed` copies from the files in `Resources`.
#ifndef CWEIRPAGE_H
#define CWEIRPAGE_H

#include <stddef.h>

// A file. `name` is that of a module, without `.js`; the bytes are UTF-8 and live as long as the program.
typedef struct weir_page_file {
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t count;
} weir_page_file;

size_t weir_page_module_count(void);
// The modules in the order of their dependencies; `index` is less than the count.
weir_page_file weir_page_module(size_t index);
weir_page_file weir_page_style(void);

#endif

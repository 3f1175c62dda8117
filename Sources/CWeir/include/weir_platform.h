// Calls of the platform that Swift cannot reach, or reaches differently on each platform.
#ifndef WEIR_PLATFORM_H
#define WEIR_PLATFORM_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// Asks for large pages, so that the processor needs fewer entries to map addresses. Without support, nothing happens.
void weir_prefer_large_pages(void *memory, size_t length);
// Makes the processor fetch the memory at `place`, which will be read soon. It need not be readable.
WEIR_INLINE void weir_prefetch(const void *place) { __builtin_prefetch(place); }

// A variable of the environment; NULL in a process that has more rights than its caller (setuid).
const char *_Nullable weir_environment(const char *name);
// The system's number for the calling thread.
uint32_t weir_thread_number(void);
// The executor that runs the current work on the calling thread, though the work may have been on another thread before: the
// address of an actor's executor, WEIR_MAIN_EXECUTOR, or 0 if none is known.
uintptr_t weir_executor(void);
static const uintptr_t WEIR_MAIN_EXECUTOR = 1;
// The address of the task that runs on the calling thread; 0 if there is none.
uintptr_t weir_current_task(void);
// The first word of each block of memory from which a task allocates its frames; 0: unknown.
uintptr_t weir_task_slab_kind(void);
// A number of that task, which no other task has; 0 if there is none.
uint64_t weir_current_task_number(void);
// The program's name, without its folder.
const char *weir_program_name(void);
// Allocates the file's space for the bytes, so that writing to a mapping of them cannot fail. Returns 0 or an errno.
int weir_allocate(int file, int64_t offset, int64_t length);
// Writes to the start of a file; a partial write is an error. Returns 0 or an errno.
int weir_write_start(int file, const void *bytes, size_t length);
// The largest file that this process may write, in bytes (`ulimit -f`); UINT64_MAX if unlimited. Exceeding it kills the process.
uint64_t weir_file_size_limit(void);
// Writes to standard error. Gives up silently if nobody reads it or there is no space.
void weir_say(const uint8_t *bytes, size_t length);
// Whether the pages of a mapping are present.
typedef enum {
    weir_present,
    // The system cannot make them present ahead of time.
    weir_untouched,
    // A store to them would end the program: the file is shorter than the mapping, or has no space, or the disk fails.
    weir_unwritable,
} weir_presence;
// Makes the pages of a mapping present and writable at once, which is cheaper than a fault for each page.
weir_presence weir_populate(void *mapping, size_t length);
// Opens a file for writing, and creates it if `create`. Never follows a symbolic link; no other program inherits the file.
int weir_open_trace(const char *path, bool create);
// Removes a name of a file. Returns 0, or -1 and errno.
int weir_remove(const char *path);
// Locks the file for this writer. Returns 0, or an errno if another process has it.
int weir_lock_trace(int file);
// Unlocks the file. Closing it is not enough: mappings, and the descriptors of forked children, keep the lock.
void weir_unlock_trace(int file);

// A range of addresses of this process.
typedef struct weir_mapping {
    uintptr_t start, end;
    bool is_readable, is_executable;
    // Whether it belongs to a file: the program, a library, or another one.
    bool is_file;
    // Whether it is writable, and belongs to no file and no stack.
    bool is_heap;
} weir_mapping;
// Calls `found` for each range in ascending order, without the system's own; false if the system does not list them.
bool weir_mappings(void (*found)(void *_Nullable context, const weir_mapping *mapping), void *_Nullable context);
// The first word in [`from`, `to`) that equals one of the `count` ascending values in `wanted`; NULL if there is none. A filter of
// `size` words (`weir_filter_size`), all 0 before it was filled, excludes most others.
const uintptr_t *_Nullable weir_find_word(
    const uintptr_t *from, const uintptr_t *to, const uintptr_t *_Nullable wanted, size_t count, const uint64_t *filter,
    size_t size);
size_t weir_filter_size(size_t count);
void weir_fill_filter(uint64_t *filter, size_t size, const uintptr_t *_Nullable wanted, size_t count);

// Starts a thread that receives no signals, because they are for the program. NULL if it could not be started.
void *_Nullable weir_thread_start(void (*run)(void *context), void *context);
// The same for a thread that nobody waits for. False if it could not be started.
bool weir_thread_start_alone(void (*run)(void *_Nullable context), void *_Nullable context);
// Waits for the thread's end.
void weir_thread_join(void *thread);

WEIR_ASSUME_NONNULL_END

#endif

// Calls of the platform that Swift cannot reach, or reaches differently on each platform.
#ifndef WEIR_PLATFORM_H
#define WEIR_PLATFORM_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// Asks for large pages, of which the processor needs fewer to know where memory is. Where there are none, nothing happens.
void weir_prefer_large_pages(void *memory, size_t length);
// Tells the processor that what is at `place` will be read soon; it need not be readable.
WEIR_INLINE void weir_prefetch(const void *place) { __builtin_prefetch(place); }

// A variable of the environment; NULL in a process that runs with more rights than its caller (setuid).
const char *_Nullable weir_environment(const char *name);
// The system's number for the calling thread.
uint32_t weir_thread_number(void);
// Whether the calling thread is the one that the program began with.
bool weir_thread_is_main(void);
// What runs its work in turn on the calling thread now, though it may have been on another thread before: the address of
// an actor's executor; WEIR_MAIN_EXECUTOR; 0: none that is known.
uintptr_t weir_executor(void);
static const uintptr_t WEIR_MAIN_EXECUTOR = 1;
// The address of the task that runs on the calling thread; 0: none.
uintptr_t weir_current_task(void);
// The program's name, without its folder.
const char *weir_program_name(void);
// Gives the file room for the bytes, so that writing to a mapping of them cannot fail; 0 or an errno.
int weir_allocate(int file, int64_t offset, int64_t length);
// Writes to the start of a file, all of it or nothing that counts; 0 or an errno.
int weir_write_start(int file, const void *bytes, size_t length);
// Most bytes that this process may have in a file (`ulimit -f`); UINT64_MAX: no limit. Who grows a file beyond it is killed.
uint64_t weir_file_size_limit(void);
// Writes to standard error, and gives up quietly where nobody reads that or it has no room.
void weir_say(const uint8_t *bytes, size_t length);
// Whether the pages of a mapping are there.
typedef enum {
    weir_present,
    // The system does not know how to make them so ahead of time.
    weir_untouched,
    // A store to them would end the program: the file is shorter than the mapping, or has no room, or the disk fails.
    weir_unwritable,
} weir_presence;
// Makes the pages of a mapping present and writable at once, which is cheaper than a fault for each.
weir_presence weir_populate(void *mapping, size_t length);
// Opens for writing, creating if `create`: never through a symbolic link, never inherited by another program.
int weir_open_trace(const char *path, bool create);
// Takes a name from its file; 0, or -1 and errno.
int weir_remove(const char *path);
// Takes the file for this writer alone; 0, or an errno when another process has it.
int weir_lock_trace(int file);
// Lets go of it. Closing is not enough: mappings, and the descriptors of forked children, keep the lock.
void weir_unlock_trace(int file);

// A range of addresses of this process.
typedef struct weir_mapping {
    uintptr_t start, end;
    bool is_readable, is_executable;
    // It came with the program or a library, or from another file.
    bool is_file;
    // It can be written, and belongs to no file and no stack.
    bool is_heap;
} weir_mapping;
// Calls `found` for each, in rising order, without those of the system's own; false: the system does not list them.
bool weir_mappings(void (*found)(void *_Nullable context, const weir_mapping *mapping), void *_Nullable context);
// The first word in [`from`, `to`) whose value is one of the `count` in `wanted`, which rise; NULL: none.
const uintptr_t *_Nullable weir_find_word(
    const uintptr_t *_Nullable from, const uintptr_t *_Nullable to, const uintptr_t *_Nullable wanted, size_t count);

// Starts a thread to which no signal is delivered: signals are the program's business. NULL: it could not be started.
void *_Nullable weir_thread_start(void (*run)(void *context), void *context);
// The same, of a thread for whose end nobody waits. False: it could not be started.
bool weir_thread_start_alone(void (*run)(void *_Nullable context), void *_Nullable context);
// Waits for the thread's end.
void weir_thread_join(void *thread);

// Takes a strong reference to a Swift object, unless that is being released. Its memory must still be there.
extern void *_Nullable swift_tryRetain(void *object);
WEIR_INLINE bool weir_try_retain(void *object) { return swift_tryRetain(object) != NULL; }

WEIR_ASSUME_NONNULL_END

#endif

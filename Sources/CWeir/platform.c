#define _GNU_SOURCE
#include "weir_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__APPLE__)

const char *weir_environment(const char *name) { return issetugid() ? NULL : getenv(name); }

uint32_t weir_thread_number(void) {
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    return (uint32_t)number;
}

bool weir_thread_is_main(void) { return pthread_main_np() != 0; }
const char *weir_program_name(void) { return getprogname(); }

int weir_allocate(int file, int64_t offset, int64_t length) {
    fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, length, 0};
    struct stat status;
    if (fstat(file, &status) != 0) return errno;
    if (status.st_size >= offset + length) return 0;
    if (fcntl(file, F_PREALLOCATE, &store) == -1) return errno;
    return ftruncate(file, offset + length) == 0 ? 0 : errno;
}

#else
#include <sys/auxv.h>
#include <sys/syscall.h>

extern char *program_invocation_short_name;

const char *weir_environment(const char *name) { return getauxval(AT_SECURE) ? NULL : getenv(name); }
uint32_t weir_thread_number(void) { return (uint32_t)syscall(SYS_gettid); }
bool weir_thread_is_main(void) { return syscall(SYS_gettid) == getpid(); }
const char *weir_program_name(void) { return program_invocation_short_name; }

int weir_allocate(int file, int64_t offset, int64_t length) {
    int result;
    struct rlimit most;
    // Beyond this limit the system does not only refuse: it kills, with SIGXFSZ.
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY
        && (uint64_t)(offset + length) > most.rlim_cur)
        return EFBIG;
    do result = posix_fallocate(file, offset, length); while (result == EINTR);
    return result;
}
#endif

void weir_prefer_large_pages(void *memory, size_t length) {
#if defined(MADV_HUGEPAGE)
    madvise(memory, length, MADV_HUGEPAGE);
#else
    (void)memory, (void)length;
#endif
}

bool weir_populate(void *mapping, size_t length) {
#if defined(MADV_POPULATE_WRITE)
    return madvise(mapping, length, MADV_POPULATE_WRITE) == 0;
#elif defined(__linux__)
    return madvise(mapping, length, 23) == 0; // MADV_POPULATE_WRITE, since Linux 5.14
#else
    (void)mapping;
    (void)length;
    return false;
#endif
}

int weir_open_trace(const char *path, bool create) {
    int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT | O_EXCL : 0);
    int file;
    do file = open(path, flags, 0600); while (file < 0 && errno == EINTR);
    return file;
}

void weir_unlock_trace(int file) { flock(file, LOCK_UN); }

int weir_lock_trace(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

typedef struct {
    void (*run)(void *);
    void *context;
    pthread_t thread;
} started_thread;

static void *run_thread(void *started) {
    ((started_thread *)started)->run(((started_thread *)started)->context);
    return NULL;
}

void *weir_thread_start(void (*run)(void *), void *context) {
    started_thread *started = malloc(sizeof *started);
    if (!started) return NULL;
    started->run = run;
    started->context = context;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&started->thread, NULL, run_thread, started);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result == 0) return started;
    free(started);
    return NULL;
}

void weir_thread_join(void *thread) {
    pthread_join(((started_thread *)thread)->thread, NULL);
    free(thread);
}

// In C, as it reads all memory, and a debug build of Swift would take a hundred times as long for it.
const uintptr_t *weir_find_word(
    const uintptr_t *from, const uintptr_t *to, const uintptr_t *wanted, size_t count) {
    if (count == 0) return NULL;
    uintptr_t least = wanted[0], most = wanted[count - 1];
    for (const uintptr_t *place = from; place < to; place++) {
        uintptr_t word = *place;
        if (word - least > most - least) continue;
        // The first one that is not smaller.
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (wanted[middle] < word) low = middle + 1; else high = middle;
        }
        if (low < count && wanted[low] == word) return place;
    }
    return NULL;
}

#if defined(__linux__)
// A line of the system's list: "7f00-7f80 r-xp 00000000 08:01 123 /lib/libc.so".
static bool read_mapping(const char *line, weir_mapping *mapping) {
    char *rest;
    mapping->start = strtoul(line, &rest, 16);
    if (*rest++ != '-') return false;
    mapping->end = strtoul(rest, &rest, 16);
    if (*rest++ != ' ' || strlen(rest) < 4) return false;
    mapping->is_readable = rest[0] == 'r';
    mapping->is_executable = rest[2] == 'x';
    bool is_written = rest[1] == 'w';
    const char *name = rest + 4;
    for (int field = 0; field < 3; field++) {
        while (*name == ' ') name++;
        while (*name != ' ' && *name != 0) name++;
    }
    while (*name == ' ') name++;
    mapping->is_file = *name == '/';
    mapping->is_heap = mapping->is_readable && is_written && !mapping->is_file && strncmp(name, "[stack", 6) != 0;
    // [vvar], [vdso], [vsyscall]: not to be read.
    return strncmp(name, "[v", 2) != 0;
}

// With memory of its own and no lock: it may be called in a forked child.
bool weir_mappings(void (*found)(void *, const weir_mapping *), void *context) {
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[8192];
    size_t length = 0;
    for (;;) {
        ssize_t count = read(file, text + length, sizeof text - 1 - length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        length += (size_t)count;
        text[length] = 0;
        char *line = text;
        for (char *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            weir_mapping mapping;
            if (read_mapping(line, &mapping)) found(context, &mapping);
        }
        length -= (size_t)(line - text);
        // A path that does not end is longer than any that the system allows.
        if (length == sizeof text - 1) length = 0;
        memmove(text, line, length);
    }
    close(file);
    return true;
}
#else
bool weir_mappings(void (*found)(void *, const weir_mapping *), void *context) {
    (void)found, (void)context;
    return false;
}
#endif

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
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)

const char *weir_environment(const char *name) { return issetugid() ? NULL : getenv(name); }

uint32_t weir_thread_number(void) {
    uint64_t number = 0;
    pthread_threadid_np(NULL, &number);
    return (uint32_t)number;
}

const char *weir_program_name(void) { return getprogname(); }

static int allocate(int file, int64_t offset, int64_t length) {
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
const char *weir_program_name(void) { return program_invocation_short_name; }

static int allocate(int file, int64_t offset, int64_t length) {
    int result;
    do result = posix_fallocate(file, offset, length); while (result == EINTR);
    return result;
}
#endif

// Signals that the system sends to a thread when it refuses the thread's write. Unhandled, each ends the program.
typedef struct {
    sigset_t refusals, mask;
    bool was_pending[2];
} held_refusals;

static const int refusals[2] = {SIGXFSZ, SIGPIPE};

static void hold_refusals(held_refusals *held) {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    sigemptyset(&held->refusals);
    for (int which = 0; which < 2; which++) {
        sigaddset(&held->refusals, refusals[which]);
        held->was_pending[which] = sigismember(&pending, refusals[which]) == 1;
    }
    pthread_sigmask(SIG_BLOCK, &held->refusals, &held->mask);
}

// Removes the signals that arrived since `hold_refusals`. A signal that was pending before stays for the program.
static void release_refusals(const held_refusals *held) {
    int failure = errno;
    for (int which = 0; which < 2; which++) {
        sigset_t pending, one;
        sigemptyset(&pending);
        sigpending(&pending);
        if (held->was_pending[which] || sigismember(&pending, refusals[which]) != 1) continue;
        sigemptyset(&one);
        sigaddset(&one, refusals[which]);
#if defined(__APPLE__)
        int taken;
        sigwait(&one, &taken);
#else
        struct timespec at_once = {0, 0};
        while (sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR) {}
#endif
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
    errno = failure;
}

uint64_t weir_file_size_limit(void) {
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? most.rlim_cur : UINT64_MAX;
}

int weir_allocate(int file, int64_t offset, int64_t length) {
    if ((uint64_t)(offset + length) > weir_file_size_limit()) return EFBIG;
    // The limit may be lowered at any moment.
    held_refusals held;
    hold_refusals(&held);
    int result = allocate(file, offset, length);
    release_refusals(&held);
    return result;
}

int weir_write_start(int file, const void *bytes, size_t length) {
    if (length > weir_file_size_limit()) return EFBIG;
    held_refusals held;
    hold_refusals(&held);
    ssize_t count;
    do count = pwrite(file, bytes, length, 0); while (count < 0 && errno == EINTR);
    release_refusals(&held);
    return count < 0 ? errno : (size_t)count == length ? 0 : ENOSPC;
}

void weir_say(const uint8_t *bytes, size_t length) {
    held_refusals held;
    hold_refusals(&held);
    while (length > 0) {
        ssize_t count = write(STDERR_FILENO, bytes, length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        bytes += count;
        length -= (size_t)count;
    }
    release_refusals(&held);
}

void weir_prefer_large_pages(void *memory, size_t length) {
#if defined(MADV_HUGEPAGE)
    madvise(memory, length, MADV_HUGEPAGE);
#else
    (void)memory, (void)length;
#endif
}

weir_presence weir_populate(void *mapping, size_t length) {
#if defined(__linux__)
#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23 // since Linux 5.14
#endif
    if (madvise(mapping, length, MADV_POPULATE_WRITE) == 0) return weir_present;
    // If a store would raise SIGBUS, this call only reports it.
    return errno == EFAULT || errno == EHWPOISON ? weir_unwritable : weir_untouched;
#else
    (void)mapping, (void)length;
    return weir_untouched;
#endif
}

int weir_open_trace(const char *path, bool create) {
    int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT | O_EXCL : 0);
    int file;
    do file = open(path, flags, 0600); while (file < 0 && errno == EINTR);
    return file;
}

int weir_remove(const char *path) { return unlink(path); }

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

static void *run_thread_alone(void *started) {
    void (*run)(void *) = ((started_thread *)started)->run;
    void *context = ((started_thread *)started)->context;
    free(started);
    run(context);
    return NULL;
}

static started_thread *start(
    void *(*first)(void *), const pthread_attr_t *attributes, void (*run)(void *), void *context) {
    started_thread *started = malloc(sizeof *started);
    if (!started) return NULL;
    started->run = run;
    started->context = context;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int result = pthread_create(attributes ? &thread : &started->thread, attributes, first, started);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result == 0) return started;
    free(started);
    return NULL;
}

void *weir_thread_start(void (*run)(void *), void *context) { return start(run_thread, NULL, run, context); }

bool weir_thread_start_alone(void (*run)(void *), void *context) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool has_started = start(run_thread_alone, &attributes, run, context) != NULL;
    pthread_attr_destroy(&attributes);
    return has_started;
}

void weir_thread_join(void *thread) {
    pthread_join(((started_thread *)thread)->thread, NULL);
    free(thread);
}

// This is in C because it reads all memory: a debug build of Swift would take a hundred times as long.
// For the same reason it looks at eight words at once, and at most of the rest for one bit each.
typedef uintptr_t eight_words
    __attribute__((vector_size(8 * sizeof(uintptr_t)), aligned(sizeof(uintptr_t)), may_alias));

// At most one of 32 bits of a filter is set. Objects are at multiples of 16, so the lowest four bits of a word tell nothing.
size_t weir_filter_size(size_t count) {
    size_t size = 1;
    while (size < count / 2) size *= 2;
    return size;
}

void weir_fill_filter(uint64_t *filter, size_t size, const uintptr_t *wanted, size_t count) {
    for (size_t i = 0; i < count; i++)
        filter[(wanted[i] >> 10) & (size - 1)] |= (uint64_t)1 << ((wanted[i] >> 4) % 64);
}

static bool is_wanted(uintptr_t word, const uintptr_t *wanted, size_t count) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (wanted[middle] < word) low = middle + 1; else high = middle;
    }
    return low < count && wanted[low] == word;
}

const uintptr_t *weir_find_word(
    const uintptr_t *from, const uintptr_t *to, const uintptr_t *wanted, size_t count, const uint64_t *filter,
    size_t size) {
    if (count == 0) return NULL;
    uintptr_t least = wanted[0], most = wanted[count - 1];
    // The upper bits that all wanted words have in common.
    uintptr_t mask = ~(uintptr_t)0;
    while ((least & mask) != (most & mask)) mask <<= 1;
    eight_words none = {0}, masks = none + mask, common = none + (least & mask);
    const uintptr_t *place = from;
    while (place < to) {
        while (to - place >= 8 && !__builtin_reduce_or((*(const eight_words *)place & masks) == common)) place += 8;
        for (const uintptr_t *end = to - place < 8 ? to : place + 8; place < end; place++) {
            uintptr_t word = *place;
            if (!(filter[(word >> 10) & (size - 1)] >> ((word >> 4) % 64) & 1)) continue;
            if (word - least <= most - least && is_wanted(word, wanted, count)) return place;
        }
    }
    return NULL;
}

#if defined(__linux__)
// Parses a line of the system's list: "7f00-7f80 r-xp 00000000 08:01 123 /lib/libc.so".
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
    // [vvar], [vdso] and [vsyscall] must not be read.
    return strncmp(name, "[v", 2) != 0;
}

// Uses its own buffer and no lock, so a forked child may call it.
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
        // A path that does not end here is longer than the system allows.
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

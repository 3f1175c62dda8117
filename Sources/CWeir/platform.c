#define _GNU_SOURCE
#include "weir_platform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
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
const uintptr_t *weir_find_word(const uintptr_t *from, const uintptr_t *to, uintptr_t least, uintptr_t most) {
    for (const uintptr_t *place = from; place < to; place++) {
        if (*place - least <= most - least) return place;
    }
    return NULL;
}

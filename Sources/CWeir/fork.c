#define _GNU_SOURCE
#include "weir_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__linux__)

static void close_files(unsigned first, unsigned last) {
#if defined(SYS_close_range)
    if (first <= last) syscall(SYS_close_range, first, last, 0);
#else
    (void)first, (void)last;
#endif
}

// Only what may be called in the child of a process with threads.
static void become_quiet(int output, pid_t parent, uint32_t milliseconds) {
    // The program's handlers must not run in here: they would work on what belongs to the parent.
    struct sigaction usual;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
    // A child must not outlive a parent that is killed while it waits.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    // One byte: to the system that means no dump at all, also where dumps are piped to a program.
    struct rlimit core = {1, 1};
    if (setrlimit(RLIMIT_CORE, &core) != 0) {
        core.rlim_cur = core.rlim_max = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
    // Where memory runs short, the system is to end this process, and not the program.
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        weir_write_all(score, "1000", 4);
        close(score);
    }
#if defined(__GLIBC__)
    // What is looked at in here must not go away: the allocator keeps what it gets back.
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
    int null = open("/dev/null", O_RDWR);
    if (null >= 0)
        for (int file = 0; file < 3; file++)
            if (file != output) dup2(null, file);
    close_files(3, (unsigned)output - 1);
    close_files((unsigned)output + 1, ~0u);
    struct itimerval limit = {{0, 0}, {milliseconds / 1000, (milliseconds % 1000) * 1000 + 1}};
    setitimer(ITIMER_REAL, &limit, NULL);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

int weir_fork(weir_child *child, uint32_t milliseconds, void (*body)(void *, int), void *context) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return errno;
    // The child's end is to block, and not to be one of the standard files.
    int output = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    int failure = errno;
    close(ends[1]);
    if (output < 0) {
        close(ends[0]);
        return failure;
    }
    fcntl(output, F_SETFL, fcntl(output, F_GETFL) & ~O_NONBLOCK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    pid_t process = fork();
    failure = errno;
    if (process == 0) {
        become_quiet(output, parent, milliseconds);
        body(context, output);
        _exit(0);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(output);
    if (process < 0) {
        close(ends[0]);
        return failure;
    }
    child->process = process;
    child->output = ends[0];
    child->status = weir_child_runs;
    return 0;
}

#else

int weir_fork(weir_child *child, uint32_t milliseconds, void (*body)(void *, int), void *context) {
    (void)child, (void)milliseconds, (void)body, (void)context;
    return ENOSYS;
}

#endif

long weir_child_read(const weir_child *child, void *buffer, size_t size, int milliseconds) {
    struct pollfd waiting = {child->output, POLLIN, 0};
    // A signal of the program's is no reason to fail; the time that it cost is not counted.
    int ready = poll(&waiting, 1, milliseconds);
    if (ready <= 0) return -1;
    ssize_t count;
    do count = read(child->output, buffer, size); while (count < 0 && errno == EINTR);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
    return count;
}

static int status(weir_child *child, int options) {
    if (child->status != weir_child_runs) return child->status;
    int status = 0;
    pid_t found;
    do found = waitpid(child->process, &status, options); while (found < 0 && errno == EINTR);
    if (found == 0) return weir_child_runs;
    child->status =
        found < 0 ? weir_child_gone : WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) == 0 ? 0 : SIGABRT;
    return child->status;
}

bool weir_child_has_ended(weir_child *child) { return status(child, WNOHANG) != weir_child_runs; }

bool weir_child_sleeps(const weir_child *child) {
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", child->process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return false;
    text[count] = 0;
    // The program's name, in parentheses, may hold anything.
    const char *name = strrchr(text, ')');
    return name && name[1] == ' ' && name[2] == 'S';
}

int weir_child_end(weir_child *child, bool ends) {
    int result = status(child, WNOHANG);
    if (result == weir_child_runs) {
        // While nobody has waited for it, its number is its own: no other process is killed.
        if (ends) kill(child->process, SIGKILL);
        result = status(child, 0);
    }
    close(child->output);
    return result;
}

bool weir_write_all(int file, const void *bytes, size_t count) {
    const char *place = bytes;
    while (count > 0) {
        ssize_t written = write(file, place, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        place += written;
        count -= (size_t)written;
    }
    return true;
}

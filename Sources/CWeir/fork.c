#define _GNU_SOURCE
#include "weir_fork.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <malloc.h>
#include <sys/syscall.h>
#endif

#if defined(MSG_NOSIGNAL)
#define WEIR_NO_SIGNAL MSG_NOSIGNAL
#else
#define WEIR_NO_SIGNAL 0
#endif

// The open channels to children, by their numbers plus one; 0: a free place. A number leaves before its file is closed, because
// the next open file may get the same number. A channel that finds no place stays open in the forked children of the program.
enum { most_channels = 32 };
static int channels[most_channels];

static void replace_channel(int before, int after) {
    for (int place = 0; place < most_channels; place++) {
        int found = before;
        if (__atomic_compare_exchange_n(&channels[place], &found, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
    }
}

void weir_forget_children(void) {
    for (int place = 0; place < most_channels; place++) {
        int found = __atomic_exchange_n(&channels[place], 0, __ATOMIC_SEQ_CST);
        if (found != 0) close(found - 1);
    }
}

#if defined(__linux__)

static void close_files(unsigned first, unsigned last) {
#if defined(SYS_close_range)
    if (first <= last) syscall(SYS_close_range, first, last, 0);
#else
    (void)first, (void)last;
#endif
}

// The child's own state.
enum { tick_milliseconds = 20 };
static pid_t parent;
static volatile uint32_t ticks_left;

// A signal at the parent's death would arrive when the forking thread ends, which is too early.
static void tick(int number) {
    if (getppid() != parent) _exit(1);
    if (ticks_left == 0 || --ticks_left > 0) return;
    signal(number, SIG_DFL);
    raise(number);
}

void weir_child_limit(uint32_t milliseconds) {
    ticks_left = milliseconds == 0 ? 0 : milliseconds / tick_milliseconds + 1;
}

// Uses only calls that are allowed in the forked child of a process with threads.
static void become_quiet(int channel) {
    // The program's handlers must not run here: they would work on data that belongs to the parent.
    struct sigaction usual;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);
    usual.sa_handler = tick;
    usual.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &usual, NULL);
    // With a limit of one byte, the system makes no dump at all, even if dumps are piped to a program.
    struct rlimit core = {1, 1};
    if (setrlimit(RLIMIT_CORE, &core) != 0) {
        core.rlim_cur = core.rlim_max = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
    // If memory runs short, the system should end this process and not the program.
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        weir_write_all(score, "1000", 4);
        close(score);
    }
#if defined(__GLIBC__)
    // The examined memory must not go away, so the allocator keeps what is freed.
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
    int null = open("/dev/null", O_RDWR);
    if (null >= 0)
        for (int file = 0; file < 3; file++)
            if (file != channel) dup2(null, file);
    close_files(3, (unsigned)channel - 1);
    close_files((unsigned)channel + 1, ~0u);
    struct itimerval ticks = {{0, tick_milliseconds * 1000}, {0, tick_milliseconds * 1000}};
    setitimer(ITIMER_REAL, &ticks, NULL);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

int weir_fork(weir_child *child, void (*body)(void *, int), void *context) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    // The child's end must not be one of the standard files.
    int channel = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    int failure = errno;
    close(ends[1]);
    if (channel < 0) {
        close(ends[0]);
        return failure;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t here = getpid();
    pid_t process = fork();
    failure = errno;
    if (process == 0) {
        parent = here;
        become_quiet(channel);
        body(context, channel);
        _exit(0);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(channel);
    if (process < 0) {
        close(ends[0]);
        return failure;
    }
    child->process = process;
    child->channel = ends[0];
    replace_channel(0, ends[0] + 1);
    child->status = weir_child_runs;
    return 0;
}

#else

int weir_fork(weir_child *child, void (*body)(void *, int), void *context) {
    (void)child, (void)body, (void)context;
    return ENOSYS;
}

void weir_child_limit(uint32_t milliseconds) { (void)milliseconds; }

#endif

// A signal to the program is no reason to fail. The time that it takes is not counted.
static bool is_ready(const weir_child *child, short what, int milliseconds) {
    struct pollfd waiting = {child->channel, what, 0};
    return poll(&waiting, 1, milliseconds) > 0;
}

long weir_child_read(const weir_child *child, void *buffer, size_t size, int milliseconds) {
    if (!is_ready(child, POLLIN, milliseconds)) return -1;
    ssize_t count;
    do count = recv(child->channel, buffer, size, MSG_DONTWAIT); while (count < 0 && errno == EINTR);
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
    return count;
}

bool weir_child_write(const weir_child *child, const void *bytes, size_t count, int milliseconds) {
    const char *place = bytes;
    while (count > 0) {
        if (!is_ready(child, POLLOUT, milliseconds)) return false;
        // If the child is gone, this must fail without a signal to this process.
        ssize_t written = send(child->channel, place, count, MSG_DONTWAIT | WEIR_NO_SIGNAL);
        if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (written <= 0) return false;
        place += written;
        count -= (size_t)written;
    }
    return true;
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
    // The program's name is in parentheses and may contain any characters.
    const char *name = strrchr(text, ')');
    return name && name[1] == ' ' && name[2] == 'S';
}

int weir_child_end(weir_child *child, bool ends) {
    int result = status(child, WNOHANG);
    if (result == weir_child_runs) {
        // Until somebody has waited for the child, no other process has its number, so none is killed.
        if (ends) kill(child->process, SIGKILL);
        result = status(child, 0);
    }
    if (child->channel >= 0) {
        replace_channel(child->channel + 1, 0);
        close(child->channel);
        child->channel = -1;
    }
    return result;
}

bool weir_read_all(int file, void *bytes, size_t count) {
    char *place = bytes;
    while (count > 0) {
        ssize_t got = read(file, place, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        place += got;
        count -= (size_t)got;
    }
    return true;
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

void *weir_share_page(void) {
    void *page = mmap(NULL, WEIR_SHARED_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

void weir_unshare_page(void *page) { munmap(page, WEIR_SHARED_PAGE); }

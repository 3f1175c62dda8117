#define _GNU_SOURCE
#include "CWeirSoak.h"

#include <signal.h>
#include <unistd.h>

#if defined(__GLIBC__) || defined(__APPLE__)

#include <execinfo.h>

static void write_stack(int number) {
    (void)number;
    void *frames[64];
    int count = backtrace(frames, 64);
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
    write(STDERR_FILENO, "--\n", 3);
}

void weir_stacks_prepare(void) {
    // Its first use loads a library, which a signal handler must not do.
    void *frames[1];
    backtrace(frames, 1);
    signal(SIGUSR1, write_stack);
}

#else

void weir_stacks_prepare(void) { signal(SIGUSR1, SIG_IGN); }

#endif

void weir_stacks_ask(pthread_t thread) { pthread_kill(thread, SIGUSR1); }

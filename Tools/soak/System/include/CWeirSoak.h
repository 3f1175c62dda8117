// System functions for the soak tools.
#ifndef CWEIRSOAK_H
#define CWEIRSOAK_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

// Installs a handler of SIGUSR1, which writes the stack of its thread to standard error.
void weir_stacks_prepare(void);
// Makes `thread` write its stack soon; it must not have ended.
void weir_stacks_ask(pthread_t thread);

// Limits of a child process. 0: no limit.
typedef struct {
    uint64_t file_bytes; // only the soft limit: the child may raise it
    uint64_t memory_bytes; // address space
    uint32_t cpu_seconds;
} weir_soak_limits;

// Starts a program in a process of its own. Its standard input is empty, its standard output `output`, its standard error
// `errors`. It ends with this process. Returns 0, or an errno.
int weir_soak_spawn(
    const char *path, char *const *arguments, char *const *environment, int output, int errors,
    const weir_soak_limits *limits, pid_t *process);

// `fork`, which Swift does not import.
pid_t weir_soak_fork(void);

// Whether a status of `wait4` is that of an exit, and its code; else the number of the signal.
int weir_soak_has_exited(int status);
int weir_soak_exit_code(int status);
int weir_soak_signal(int status);

#endif

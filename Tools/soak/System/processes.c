#define _GNU_SOURCE
#include "CWeirSoak.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

static void limit(int resource, uint64_t most, int is_soft) {
    struct rlimit both;
    if (most == 0 || getrlimit(resource, &both) != 0) return;
    both.rlim_cur = most;
    if (!is_soft) both.rlim_max = most;
    setrlimit(resource, &both);
}

int weir_soak_spawn(
    const char *path, char *const *arguments, char *const *environment, int output, int errors,
    const weir_soak_limits *limits, pid_t *process) {
    pid_t parent = getpid();
    *process = fork();
    if (*process < 0) return errno;
    if (*process > 0) return 0;
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(126);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    // A crash ends at once, without a core dump.
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    limit(RLIMIT_FSIZE, limits->file_bytes, 1);
#if defined(RLIMIT_AS)
    limit(RLIMIT_AS, limits->memory_bytes, 0);
#endif
    limit(RLIMIT_CPU, limits->cpu_seconds, 1);
    execve(path, arguments, environment);
    _exit(127);
}

pid_t weir_soak_fork(void) { return fork(); }

int weir_soak_has_exited(int status) { return WIFEXITED(status); }
int weir_soak_exit_code(int status) { return WEXITSTATUS(status); }
int weir_soak_signal(int status) { return WTERMSIG(status); }

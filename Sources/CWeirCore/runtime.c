#define _GNU_SOURCE
#include "weir_runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

const void *weir_exported_address(const char *name) { return dlsym(RTLD_DEFAULT, name); }

#if defined(__APPLE__)
bool weir_thread_is_main(void) { return pthread_main_np() != 0; }
#else
#include <sys/syscall.h>

bool weir_thread_is_main(void) { return syscall(SYS_gettid) == getpid(); }
#endif

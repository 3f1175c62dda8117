// Stacks of threads that do not come back, written to standard error.
#ifndef CWEIRSOAK_H
#define CWEIRSOAK_H

#include <pthread.h>

// Installs a handler of SIGUSR1.
void weir_stacks_prepare(void);
// `thread`, which must not have ended, soon writes its stack.
void weir_stacks_ask(pthread_t thread);

#endif

#include "weir_thread.h"

_Thread_local weir_thread weir_this_thread;
uint32_t weir_renders_at_once = 0;

#include "weir_yield.h"

#if WEIR_YIELD

weir_yield_hook weir_yield_current = 0;

void weir_yield_set_hook(weir_yield_hook hook) { __atomic_store_n(&weir_yield_current, hook, __ATOMIC_RELAXED); }
bool weir_yield_is_built(void) { return true; }

#else

void weir_yield_set_hook(weir_yield_hook hook) { (void)hook; }
bool weir_yield_is_built(void) { return false; }

#endif

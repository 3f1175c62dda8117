// Features that Swift lacks, or has only behind a call: the tick counter, thread-local state, atomics, the gate.
// No logic of Weir's own is here.
#ifndef CWEIR_H
#define CWEIR_H

#include "weir_atomics.h"
#include "weir_blocks.h"
#include "weir_clock.h"
#include "weir_fork.h"
#include "weir_gate.h"
#include "weir_isolation.h"
#include "weir_modules.h"
#include "weir_platform.h"
#include "weir_sort.h"
#include "weir_symbols.h"
#include "weir_thread.h"
#include "weir_yield.h"

#endif

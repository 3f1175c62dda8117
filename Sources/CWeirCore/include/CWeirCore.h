// What the observable core needs of C: thread-local state, atomics, the gate. No logic of Weir's own is here.
#ifndef CWEIRCORE_H
#define CWEIRCORE_H

#include "weir_atomics.h"
#include "weir_gate.h"
#include "weir_isolation.h"
#include "weir_runtime.h"
#include "weir_thread.h"
#include "weir_yield.h"

#endif

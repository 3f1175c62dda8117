// What recording needs of C, and with it `CWeirCore`: the tick counter, the place of a record, the platform, a forked child.
// No logic of Weir's own is here.
#ifndef CWEIR_H
#define CWEIR_H

#include "CWeirCore.h"
#include "weir_blocks.h"
#include "weir_clock.h"
#include "weir_fork.h"
#include "weir_frames.h"
#include "weir_modules.h"
#include "weir_platform.h"
#include "weir_recording.h"
#include "weir_sort.h"
#include "weir_symbols.h"

#endif

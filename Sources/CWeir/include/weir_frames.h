// The calls that are open on this thread.
#ifndef WEIR_FRAMES_H
#define WEIR_FRAMES_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// Stores the return addresses of the open calls, innermost first, and returns how many there are, at most `most`.
//
// Follows the frame pointers, which Swift code keeps, and reads nothing outside of the thread's stack. Code without frame
// pointers ends the list, or leaves calls out. The first call on a thread asks the system for the bounds of its stack.
int weir_return_addresses(uintptr_t *addresses, int most);

WEIR_ASSUME_NONNULL_END

#endif

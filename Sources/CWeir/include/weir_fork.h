// A forked child that looks at the memory of this process, and says what it found through a pipe.
#ifndef WEIR_FORK_H
#define WEIR_FORK_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

typedef struct {
    int process; // the child's number
    int output;  // what it writes can be read here; does not block
    int status;  // how it ended, once that is known
} weir_child;

// No signal: it still runs; or somebody else has waited for it, so that nobody knows how it ended.
enum { weir_child_runs = -1, weir_child_gone = -2 };

// Runs `body` in a forked child, which ends with it: without handlers of signals or of the exit, without a core dump, with
// no file open but the one to write to, mute. After `milliseconds` the system ends it. Returns 0, or an errno.
int weir_fork(weir_child *child, uint32_t milliseconds, void (*body)(void *context, int output), void *context);

// Reads what is there, after waiting for it for at most so many milliseconds. -1: nothing came in this time; 0: nothing
// will come any more.
long weir_child_read(const weir_child *child, void *buffer, size_t size, int milliseconds);

// Whether it has ended.
bool weir_child_has_ended(weir_child *child);
// Whether it waits for something: it must never, for more than a moment; perhaps for a lock that was taken as it was forked.
bool weir_child_sleeps(const weir_child *child);
// Waits for the child's end, which it brings about if `ends`, and closes what belongs to it. Returns how it ended: 0 as it
// should, else the signal that ended it, or `weir_child_gone`.
int weir_child_end(weir_child *child, bool ends);

// Writes all of it; false: nobody reads any more.
bool weir_write_all(int file, const void *bytes, size_t count);

WEIR_ASSUME_NONNULL_END

#endif

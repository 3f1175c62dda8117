// A forked child that looks at the memory of this process; it and its parent talk through a socket.
#ifndef WEIR_FORK_H
#define WEIR_FORK_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

typedef struct {
    int process; // the child's number
    int channel; // to it and from it
    int status;  // how it ended, once that is known
} weir_child;

// No signal: it still runs; or somebody else has waited for it, so that nobody knows how it ended.
enum { weir_child_runs = -1, weir_child_gone = -2 };

// Runs `body` in a forked child, which ends with it: without handlers of signals or of the exit, without a core dump, with
// no file open but the channel, mute. It ends itself when its parent has ended. Returns 0, or an errno.
int weir_fork(weir_child *child, void (*body)(void *context, int channel), void *context);
// In the child: it ends itself, by SIGALRM, so many milliseconds from now.
void weir_child_limit(uint32_t milliseconds);

// Reads what is there, after waiting for it for at most so many milliseconds. -1: nothing came in this time; 0: nothing
// will come any more.
long weir_child_read(const weir_child *child, void *buffer, size_t size, int milliseconds);
// Writes to the child; false: it has ended, or has not read on for so many milliseconds.
bool weir_child_write(const weir_child *child, const void *bytes, size_t count, int milliseconds);

// Whether it has ended.
bool weir_child_has_ended(weir_child *child);
// Whether it waits for something: it must never, for more than a moment; perhaps for a lock that was taken as it was forked.
bool weir_child_sleeps(const weir_child *child);
// Waits for the child's end, which it brings about if `ends`, and closes what belongs to it. Returns how it ended: 0 as it
// should, else the signal that ended it, or `weir_child_gone`.
int weir_child_end(weir_child *child, bool ends);

// Reads `count` bytes; false: nobody writes them any more.
bool weir_read_all(int file, void *bytes, size_t count);
// Writes all of it; false: nobody reads any more.
bool weir_write_all(int file, const void *bytes, size_t count);

WEIR_ASSUME_NONNULL_END

#endif

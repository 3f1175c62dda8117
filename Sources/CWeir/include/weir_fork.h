// A forked child that reads the memory of this process. It and its parent communicate through a socket.
#ifndef WEIR_FORK_H
#define WEIR_FORK_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

typedef struct {
    int process; // the child's number
    int channel; // in both directions
    int status;  // how it ended, once known
} weir_child;

// Not a signal: the child still runs, or somebody else has waited for it, so its end is unknown.
enum { weir_child_runs = -1, weir_child_gone = -2 };

// Runs `body` in a forked child, which ends after it. The child has no signal or exit handlers, no core dump, no open file but
// the channel, and no output. It ends itself when its parent has ended. Returns 0, or an errno.
int weir_fork(weir_child *child, void (*body)(void *context, int channel), void *context);
// Called in the child: ends it by SIGALRM after this many milliseconds.
void weir_child_limit(uint32_t milliseconds);

// Reads the available bytes, after waiting for them for at most this many milliseconds. Returns -1 if nothing arrived in this
// time, and 0 if nothing more will arrive.
long weir_child_read(const weir_child *child, void *buffer, size_t size, int milliseconds);
// Writes to the child; false if it has ended, or has not read for this many milliseconds.
bool weir_child_write(const weir_child *child, const void *bytes, size_t count, int milliseconds);

// Whether the child has ended.
bool weir_child_has_ended(weir_child *child);
// Whether the child sleeps. It must not for more than a moment: it may wait for a lock that was taken when it was forked.
bool weir_child_sleeps(const weir_child *child);
// Waits for the child's end and closes its channel, once; kills the child first if `ends`. Returns 0 if it ended as it should, else
// the signal that ended it, or `weir_child_gone`.
int weir_child_end(weir_child *child, bool ends);
// Called in a forked child of the program, to which no walk belongs: closes the channels to all children.
void weir_forget_children(void);

// A page of zeros that a child and its parent share; NULL: the system has no memory.
#define WEIR_SHARED_PAGE 4096
void *_Nullable weir_share_page(void);
void weir_unshare_page(void *page);

// Reads `count` bytes; false if the writer has closed its end.
bool weir_read_all(int file, void *bytes, size_t count);
// Writes all bytes; false if the reader has closed its end.
bool weir_write_all(int file, const void *bytes, size_t count);

WEIR_ASSUME_NONNULL_END

#endif

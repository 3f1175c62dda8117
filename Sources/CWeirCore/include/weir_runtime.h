// Functions of the system and of the Swift runtime that Swift cannot call.
#ifndef WEIR_RUNTIME_H
#define WEIR_RUNTIME_H

#include "weir_base.h"

WEIR_ASSUME_NONNULL_BEGIN

// The address that some module exports under that name; NULL if none does.
const void *_Nullable weir_exported_address(const char *name);

// Whether the calling thread is the main thread.
bool weir_thread_is_main(void);

// Retains a Swift object, unless it is being released. Its memory must still be there.
extern void *_Nullable swift_tryRetain(void *object);
WEIR_INLINE bool weir_try_retain(void *object) { return swift_tryRetain(object) != NULL; }

WEIR_ASSUME_NONNULL_END

#endif

#define _GNU_SOURCE
#include "weir_frames.h"

#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(ptrauth_returns)
#include <ptrauth.h>
#define WEIR_PLAIN_ADDRESS(address) ((uintptr_t)ptrauth_strip((void *)(address), ptrauth_key_return_address))
#endif
#endif
#ifndef WEIR_PLAIN_ADDRESS
#define WEIR_PLAIN_ADDRESS(address) (address)
#endif

// The bounds of this thread's stack; both 1: the system does not say.
static _Thread_local uintptr_t stack_low, stack_high;

static void find_stack(void) {
    stack_low = stack_high = 1;
#if defined(__APPLE__)
    stack_high = (uintptr_t)pthread_get_stackaddr_np(pthread_self());
    stack_low = stack_high - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
        stack_low = (uintptr_t)low;
        stack_high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&attributes);
#endif
}

// A caller's frame has a higher address. A value that is no frame ends the walk, or yields a number that is no address of code.
__attribute__((noinline, no_sanitize("address", "thread")))
int weir_return_addresses(uintptr_t *addresses, int most) {
    // An async function marks its frame in the upper bits of the pointer.
    const uintptr_t mark = (uintptr_t)((uint64_t)0xF << 60);
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (stack_high == 0) find_stack();
    if (frame < stack_low) return 0;
    int count = 0;
    while (count < most && frame % sizeof(uintptr_t) == 0 && frame < stack_high
           && stack_high - frame >= 2 * sizeof(uintptr_t)) {
        uintptr_t next = ((const uintptr_t *)frame)[0] & ~mark;
        uintptr_t address = WEIR_PLAIN_ADDRESS(((const uintptr_t *)frame)[1]);
        if (address == 0) break;
        addresses[count++] = address;
        if (next <= frame) break;
        frame = next;
    }
    return count;
}

// Atomic accesses to memory that Swift declares as plain integers and pointers.
#ifndef WEIR_ATOMICS_H
#define WEIR_ATOMICS_H

#include "weir_base.h"
#include "weir_yield.h"

WEIR_ASSUME_NONNULL_BEGIN

WEIR_INLINE uint32_t weir_load_u32(const uint32_t *place) {
    weir_yield_point(weir_at_atomic);
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}
WEIR_INLINE uint64_t weir_load_u64(const uint64_t *place) { return __atomic_load_n(place, __ATOMIC_RELAXED); }
WEIR_INLINE uint32_t weir_load_acquire_u32(const uint32_t *place) {
    weir_yield_point(weir_at_atomic);
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}
WEIR_INLINE uint64_t weir_load_acquire_u64(const uint64_t *place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }
WEIR_INLINE void weir_store_u32(uint32_t *place, uint32_t value) {
    weir_yield_point(weir_at_atomic);
    __atomic_store_n(place, value, __ATOMIC_RELAXED);
}
WEIR_INLINE void weir_store_u64(uint64_t *place, uint64_t value) {
    weir_yield_point(weir_at_atomic);
    __atomic_store_n(place, value, __ATOMIC_RELAXED);
}
WEIR_INLINE void weir_store_release_u32(uint32_t *place, uint32_t value) {
    weir_yield_point(weir_at_atomic);
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}
WEIR_INLINE void weir_store_release_u64(uint64_t *place, uint64_t value) {
    weir_yield_point(weir_at_atomic);
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}
WEIR_INLINE uint32_t weir_add_u32(uint32_t *place, uint32_t value) {
    weir_yield_point(weir_at_atomic);
    return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}
WEIR_INLINE uint64_t weir_add_u64(uint64_t *place, uint64_t value) {
    return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}
WEIR_INLINE bool weir_compare_exchange_u64(uint64_t *place, uint64_t expected, uint64_t value) {
    weir_yield_point(weir_at_atomic);
    return __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
WEIR_INLINE bool weir_compare_exchange_u32(uint32_t *place, uint32_t expected, uint32_t value) {
    weir_yield_point(weir_at_atomic);
    return __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
WEIR_INLINE bool weir_load_bool(const bool *place) {
    weir_yield_point(weir_at_atomic);
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}
WEIR_INLINE void weir_store_bool(bool *place, bool value) {
    weir_yield_point(weir_at_atomic);
    __atomic_store_n(place, value, __ATOMIC_RELAXED);
}
WEIR_INLINE bool weir_exchange_bool(bool *place, bool value) {
    weir_yield_point(weir_at_atomic);
    return __atomic_exchange_n(place, value, __ATOMIC_ACQ_REL);
}
WEIR_INLINE void *_Nullable weir_load_pointer(void *_Nullable const *_Nonnull place) {
    weir_yield_point(weir_at_atomic);
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}
WEIR_INLINE void *_Nullable weir_load_acquire_pointer(void *_Nullable const *_Nonnull place) {
    weir_yield_point(weir_at_atomic);
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}
WEIR_INLINE bool weir_compare_exchange_pointer(
    void *_Nullable *_Nonnull place, void *_Nullable expected, void *_Nullable value) {
    weir_yield_point(weir_at_atomic);
    return __atomic_compare_exchange_n(place, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
WEIR_INLINE void weir_store_release_pointer(void *_Nullable *_Nonnull place, void *_Nullable value) {
    weir_yield_point(weir_at_atomic);
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

WEIR_ASSUME_NONNULL_END

#endif

#include "weir_recording.h"

// No recording reaches this generation.
#define WEIR_UNASKED UINT32_MAX

uint32_t weir_generation = WEIR_UNASKED;
uint8_t weir_detours = 0;
uint32_t weir_chosen_modules = 0;

void weir_choosing_set(uint32_t generation) { __atomic_store_n(&weir_chosen_modules, generation, __ATOMIC_SEQ_CST); }

static void detours_set(uint8_t reason, bool on) {
    if (on) {
        __atomic_fetch_or(&weir_detours, reason, __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_and(&weir_detours, (uint8_t)~reason, __ATOMIC_RELAXED);
    }
}

void weir_signposts_set(bool on) { detours_set(weir_detour_signposts, on); }
void weir_write_sites_set(bool on) { detours_set(weir_detour_write_sites, on); }

void weir_recording_set(uint32_t generation) { __atomic_store_n(&weir_generation, generation, __ATOMIC_SEQ_CST); }

void weir_recording_advance(uint32_t from, uint32_t to) {
    __atomic_compare_exchange_n(&weir_generation, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

void weir_recording_asked(void) { weir_recording_advance(WEIR_UNASKED, 0); }

static uint64_t interrupting_events = 0;

uint64_t weir_interrupting_events(void) { return __atomic_load_n(&interrupting_events, __ATOMIC_RELAXED); }

void weir_count_interrupting(uint64_t count) { __atomic_fetch_add(&interrupting_events, count, __ATOMIC_RELAXED); }

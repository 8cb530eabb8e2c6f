// What instrumented code may ask of the runtime. No other header: parsed once for every kernel compiled.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct kl_uint3 { unsigned x, y, z; };

extern "C" {
// thread coordinates
kl_uint3 kl_thread_index(void);
kl_uint3 kl_block_index(void);
kl_uint3 kl_block_size(void);
kl_uint3 kl_grid_size(void);
// memory: kl_move logs a load of the source and a store of the destination in pieces, kl_copy logs nothing
void kl_move(void *to, const void *from, unsigned size, unsigned piece);
void kl_copy(void *to, const void *from, size_t size);
enum { KL_LOAD = 1, KL_STORE = 2, KL_ATOMIC = 3, KL_SWAP = 4 };
void kl_local(void *array, size_t size);  // an array on the stack: its accesses count as local memory
void kl_note(const void *address, unsigned size, int kind);
// synchronisation
int kl_barrier(int value);
enum { KL_COUNT = 0, KL_AND = 1, KL_OR = 2 };
int kl_barrier_reduce(int value, int how);
unsigned kl_exchange(unsigned mask, uint64_t value);  // waits for the lanes of the mask; returns those that came
uint64_t kl_exchanged(unsigned lane);                 // the value that lane brought
unsigned kl_active(void);
unsigned kl_lane(void);
// spaces
extern __thread unsigned char kl_dynamic_shared[];
unsigned kl_to_shared(const void *generic);
void *kl_from_shared(unsigned address);
int kl_is_shared(const void *generic);
int kl_is_global(const void *generic);
// host side
void *kl_allocate(size_t bytes);
void kl_release(void *allocation);
void kl_upload(void *to, const void *from, size_t bytes);
void kl_run(const char *name, int line, const unsigned grid[3], const unsigned block[3], size_t dynamic, void (*body)(void *), void *context);
void kl_name(const void *allocation, const char *name);
unsigned kl_clock(void);
}

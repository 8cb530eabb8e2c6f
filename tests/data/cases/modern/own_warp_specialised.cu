// origin: own
// Warp specialisation with named barriers, tiles taken from an atomic counter, a toggled buffer.
#include <cstdint>
__device__ __forceinline__ void bar_sync(int id, int n) { asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int n) { asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
template <int R> __device__ __forceinline__ void set_regs() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(R)); }
__global__ void k(const float *g, float *o, unsigned *next, unsigned tiles)
{
    __shared__ float s[2][32 * 33];
    __shared__ unsigned tile;
    const int wg = threadIdx.x / 128, t = threadIdx.x % 128;
    for (int b = 0;; b ^= 1) {
        if (threadIdx.x == 0) tile = atomicAdd(next, 1u);
        __syncthreads();
        const unsigned m = tile;
        if (m >= tiles) break;
        if (wg == 0) {
            set_regs<40>();
            for (int i = t; i < 1024; i += 128) s[b][i / 32 * 33 + i % 32] = g[(size_t)m * 1024 + i]; //= all: shared store w=1 | global load s=4
            bar_arrive(1 + b, 256);
        } else {
            bar_sync(1 + b, 256);
            for (int i = t; i < 1024; i += 128) o[(size_t)m * 1024 + i] = s[b][i % 32 * 33 + i / 32]; //= all: shared load w=1 | global store s=4
            s[b][t * 4] = 0; //= all: shared store w=4
        }
        __syncthreads();
    }
}
void go(const float *g, float *o, unsigned *n) { k<<<132, 256>>>(g, o, n, 4096); }

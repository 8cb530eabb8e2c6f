// origin: own
// One struct over dynamic shared memory, with unions and mbarriers; pointers carved out of it by a cursor; a CRTP kernel body.
//   transposed write of 8-byte values at pitch 8 words: lanes r * 8: 4 ways per half warp of 16... float2 [32][4]: word 8 r: half
//   a warp of 16 rows: 16 * 8 = 128 words over 32 banks -> 4 ways a half -> 8 wavefronts; row-wise 2
#include <cstdint>
struct alignas(128) SharedStorage {
    union {
        float mainloop[2][1024];
        float2 epilogue[32][4];
    };
    alignas(8) uint64_t full[2];
    int tile;
};
template <class Derived> struct Body {
    __device__ void operator()(const float *g, float2 *o, SharedStorage &s) const {
        const auto &self = static_cast<const Derived &>(*this);
        for (int stage = 0; stage < 2; stage++)
            for (int i = threadIdx.x; i < 1024; i += 32) s.mainloop[stage][i] = g[stage * 1024 + i];  //= all: shared store w=1 | global load s=4
        __syncwarp();
        float2 a[4];
        for (int c = 0; c < 4; c++) a[c] = self.fragment(s, c);
        __syncwarp();
        for (int c = 0; c < 4; c++) s.epilogue[threadIdx.x][c] = a[c];                                //= all: shared store w=8
        __syncwarp();
        for (int i = threadIdx.x; i < 128; i += 32) o[i] = (&s.epilogue[0][0])[i];                    //= all: shared load w=2 | global store s=8
    }
};
struct Rows : Body<Rows> { __device__ float2 fragment(SharedStorage &s, int c) const { return {s.mainloop[0][c * 32 + threadIdx.x], s.mainloop[1][c * 32 + threadIdx.x]}; } };   //= Rows: shared load w=1
struct Columns : Body<Columns> { __device__ float2 fragment(SharedStorage &s, int c) const { return reinterpret_cast<float2 &>(s.mainloop[c / 2][threadIdx.x * 32 + c % 2 * 2]); } };   //= Columns: shared load w=32
template <class B> __global__ void __launch_bounds__(32) body(const float *g, float2 *o)
{
    extern __shared__ char raw[];
    auto &storage = *reinterpret_cast<SharedStorage *>(raw);
    if (threadIdx.x == 0) storage.tile = 1;                                                           //= all: shared store w=1
    B{}(g, o, storage);
}
struct Cursor {
    char *at;
    template <class T> __device__ T *take(int n) { T *p = reinterpret_cast<T *>(at); at += (n * sizeof(T) + 15) / 16 * 16; return p; }
};
__global__ void carved(const float *g, float *o, int n)
{
    extern __shared__ char raw[];
    Cursor cursor{raw};
    float *a = cursor.take<float>(33 * 32);
    double *b = cursor.take<double>(64);
    a[threadIdx.x * 33] = g[threadIdx.x];                                                             //= all: shared store w=1 | global load s=4
    b[threadIdx.x * 2] = g[threadIdx.x];                                                              //= all: shared store w=4
    __syncthreads();
    o[threadIdx.x] = a[threadIdx.x * 33 % 32] + (float)b[threadIdx.x];                                //= all: shared load w=2 | global store s=4
}
void go(const float *g, float2 *o)
{
    body<Rows><<<1, 32, sizeof(SharedStorage)>>>(g, o);
    body<Columns><<<1, 32, sizeof(SharedStorage)>>>(g, o);
    carved<<<1, 32, 8192>>>(g, (float *)o, 1);
}

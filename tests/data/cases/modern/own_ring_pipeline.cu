// origin: own
// A ring of stages filled by cp.async through pipeline primitives; the tile's layout is a type that a concept asks for.
//   copy: 8 lanes a row of 128 bytes: a quarter of a warp is one row -> 4 wavefronts, 16 sectors
//   column of floats: pitch 32 words: 32 ways; pitch 36 (16-byte rows stay aligned): 4r mod 32: 8 rows differ -> 4 ways
#include <cuda_pipeline.h>
#include <concepts>
template <class L> concept Layout = requires { { L::pitch } -> std::convertible_to<int>; { L::at(0, 0) } -> std::same_as<int>; };
template <int P> struct Pitched { static constexpr int pitch = P; __host__ __device__ static constexpr int at(int r, int c) { return r * P + c; } };
template <Layout L, int Stages> struct Ring {
    float (&s)[Stages][32 * L::pitch];
    int head = 0, tail = 0;
    __device__ void fill(const float *g, int k) {
        for (int i = threadIdx.x; i < 32 * 8; i += blockDim.x)
            __pipeline_memcpy_async(&s[head][L::at(i / 8, i % 8 * 4)], g + k * 1024 + i * 4, 16);   //= all: shared copy w=4 | global copy s=16
        __pipeline_commit();
        head = (head + 1) % Stages;
    }
    __device__ float column(int c) {
        __pipeline_wait_prior(Stages - 2);
        __syncthreads();
        float a = s[tail][L::at(threadIdx.x % 32, c)];                                                //= Pitched<32>,3: shared load w=32 | Pitched<36>,4: shared load w=4
        tail = (tail + 1) % Stages;
        return a;
    }
};
template <Layout L, int Stages> __global__ void __launch_bounds__(64) ring(const float *g, float *o, int tiles)
{
    __shared__ __align__(16) float s[Stages][32 * L::pitch];
    Ring<L, Stages> r{s};
#pragma unroll
    for (int k = 0; k < Stages - 1; k++) r.fill(g, k);
    float a = 0;
    for (int k = 0; k < tiles; k++) {
        a += r.column(k % 32);
        if (k + Stages - 1 < tiles) r.fill(g, k + Stages - 1);
        else __pipeline_commit();
    }
    o[blockIdx.x * 64 + threadIdx.x] = a;                                                             //= all: global store s=4
}
void go(const float *g, float *o) { ring<Pitched<32>, 3><<<8, 64>>>(g, o, 16); ring<Pitched<36>, 4><<<8, 64>>>(g, o, 16); }

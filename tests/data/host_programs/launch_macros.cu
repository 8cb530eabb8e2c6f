#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d\n", __FILE__, __LINE__); exit(1); } } while (0)
#define LAUNCH(kernel, n, ...) do { const int block_ = 128; kernel<<<((n) + block_ - 1) / block_, block_>>>(__VA_ARGS__); CHECK(cudaGetLastError()); } while (0)
#define DISPATCH(B, ...) switch (B) { case 64: { constexpr int BS = 64; __VA_ARGS__; } break; case 128: { constexpr int BS = 128; __VA_ARGS__; } break; default: abort(); }
#define BENCH(name, reps, body) { cudaEvent_t s, t; cudaEventCreate(&s); cudaEventCreate(&t); for (int r = 0; r < reps; ++r) { body; } float ms; cudaEventElapsedTime(&ms, s, t); printf("%s %f\n", name, ms); }
template <int BS> __global__ void k(float *x, int n) { x[threadIdx.x] = n; }
__global__ void s(float *x, int n) { x[threadIdx.x] = n; }
__global__ void m(float *x, int w, int h) { x[threadIdx.x] = w; }
inline dim3 grid2d(int w, int h, dim3 b) { return dim3((w + b.x - 1) / b.x, (h + b.y - 1) / b.y); }
static inline unsigned next_pow2(unsigned v) { unsigned p = 1; while (p < v) p <<= 1; return p; }
int main()
{
    const int N = 1 << 14; float *x;
    CHECK(cudaMalloc(&x, N * sizeof(float)));
    LAUNCH(s, N, x, N);
    for (int B : {64, 128}) DISPATCH(B, (k<BS><<<N / BS, BS, BS * sizeof(float)>>>(x, N)))
    BENCH("m", 10, (m<<<grid2d(1000, 700, dim3(16, 16)), dim3(16, 16)>>>(x, 1000, 700)))
    int t = next_pow2(300); s<<<(int)std::ceil(N / (double)t), t>>>(x, 1);
    int lg = (int)log2((double)N); s<<<lg, 1 << (lg / 2)>>>(x, 2);
    float frac = 0.5f; s<<<(int)(N * frac), 64>>>(x, 3);
    size_t sh = std::min<size_t>(48 * 1024, N * sizeof(float)); s<<<2, 64, sh>>>(x, 4);
    int i = 0; do { s<<<1 << i, 256>>>(x, i); } while (++i < 4);
    for (int n = N; n > 1000; n /= 3) s<<<n, 32>>>(x, n);
    int len = 5000; while (len > 1) { int b = (len + 511) / 512; s<<<b, 512>>>(x, len); len = b; }
}

// origin: our own
#include <stdint.h>
#define BINS 64
__global__ void mask(const int *x, unsigned *h, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[x[i] & (BINS - 1)], 1u); }  // expect: KL208 all 4,194,304 updates go to at most 64 addresses: 65,536 or more on the busiest
__global__ void mod(const unsigned *x, unsigned *h, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(h + x[i] % BINS, 1u); }  // expect: KL208 all 4,194,304 updates go to at most 64 addresses: 65,536 or more on the busiest
__global__ void flt(const float *x, unsigned *h, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; int b = (int)(x[i] * BINS); b = min(max(b, 0), BINS - 1); atomicAdd(&h[b], 1u); }  // expect: KL208 all 4,194,304 updates go to at most 64 addresses: 65,536 or more on the busiest
__global__ void big(const int *x, unsigned *h, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(&h[x[i]], 1u); }
__global__ void perblock(const uint8_t *x, unsigned *h, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(&h[blockIdx.x * 256 + x[i]], 1u); }
__global__ void maybe(const uint8_t *x, unsigned *h, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (x[i] > 3) atomicAdd(&h[x[i]], 1u); }  // expect: KL208 all updates go to at most 256 addresses
__global__ void fsum(const uint8_t *x, const float *v, float *h, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; atomicAdd(&h[x[i]], v[i]); }  // expect: KL208 all updates go to at most 256 addresses
void go(const int *x, const unsigned *y, const float *f, const uint8_t *c, unsigned *h, float *g, int n) { int N = 1 << 22; mask<<<100, 256>>>(x, h, N); mod<<<N / 256, 256>>>(y, h, N); flt<<<N / 256, 256>>>(f, h, N); big<<<N / 256, 256>>>(x, h, N); perblock<<<N / 256, 256>>>(c, h, N); maybe<<<N / 256, 256>>>(c, h, N); fsum<<<(n + 255) / 256, 256>>>(c, f, g, n); }

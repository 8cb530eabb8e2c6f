// origin: our own
// right: block 1024; 32-way conflict; launch via macro that picks template by size
#define CASE(N) case N: k<N><<<grid, 1024, 0, s>>>(p); break;
template <int N> __global__ void k(float *p)
{
    __shared__ float t[1024 + 32];
    t[threadIdx.x] = p[blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    p[blockIdx.x * 1024 + threadIdx.x] = t[(threadIdx.x * N) % 1024];  // expect: KL101 32 wavefronts per request instead of 1
}
void go(float *p, int n, int grid, cudaStream_t s) { switch (n) { CASE(1) CASE(32) default: break; } }

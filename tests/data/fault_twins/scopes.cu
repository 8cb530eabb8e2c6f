// updates that are atomic for their own block alone
#include <cuda_runtime.h>
__global__ void b_scope_1(int *sum, const int *a) { atomicAdd_block(&sum[0], a[blockIdx.x * blockDim.x + threadIdx.x]); }
__global__ void g_scope_1(int *sum, const int *a) { atomicAdd(&sum[0], a[blockIdx.x * blockDim.x + threadIdx.x]); }
__global__ void b_scope_2(unsigned *hist, const unsigned char *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd_block(&hist[threadIdx.x & 63], 1u);
}
__global__ void g_scope_2(unsigned *hist, const unsigned char *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd_block(&hist[blockIdx.x * 64 + (threadIdx.x & 63)], 1u);
}
__global__ void b_scope_3(int *m, const int *a) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicMax_block(&s, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax_block(m, s);
}
__global__ void g_scope_3(int *m, const int *a) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicMax_block(&s, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(m, s);
}
#define ADD atomicAdd_block
__global__ void b_scope_4(int *c) { ADD(c, 1); }
__global__ void b_scope_5(int *c) { asm volatile("red.relaxed.cta.global.add.s32 [%0], 1;" :: "l"(c) : "memory"); }
__global__ void g_scope_4(int *c) { asm volatile("red.relaxed.gpu.global.add.s32 [%0], 1;" :: "l"(c) : "memory"); }
__global__ void g_scope_5(int *c) { atomicAdd_block(c + blockIdx.x, 1); }
int main() {
    int *s, *a; unsigned *h; unsigned char *c;
    cudaMalloc(&s, 4096); cudaMalloc(&a, 1 << 20); cudaMalloc(&h, 1 << 20); cudaMalloc(&c, 1 << 20);
    b_scope_1<<<8, 256>>>(s, a); g_scope_1<<<8, 256>>>(s, a);
    b_scope_2<<<8, 256>>>(h, c, 2000); g_scope_2<<<8, 256>>>(h, c, 2000);
    b_scope_3<<<8, 256>>>(s, a); g_scope_3<<<8, 256>>>(s, a);
    b_scope_4<<<4, 64>>>(s); b_scope_5<<<4, 64>>>(s); g_scope_4<<<4, 64>>>(s); g_scope_5<<<4, 64>>>(s);
}

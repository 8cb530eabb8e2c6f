#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
__global__ void cg_reduce(const float *in, float *out, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    __shared__ float partial[8];
    float v = 0;
    for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size()) v += in[i];
    v = cg::reduce(tile, v, cg::plus<float>());
    if (tile.thread_rank() == 0) partial[tile.meta_group_rank()] = v;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        v = tile.thread_rank() < tile.meta_group_size() ? partial[tile.thread_rank()] : 0.f;
        v = cg::reduce(tile, v, cg::plus<float>());
        if (tile.thread_rank() == 0) out[blockIdx.x] = v;
    }
}
__global__ void cg_tile4(const int *in, int *out, int n) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0 && i < n) out[i / 4] = v;
}
template <int STAGES> __global__ void pipelined(const float4 *in, float4 *out, int tiles) {
    __shared__ float4 buffer[STAGES][64];
    int t = threadIdx.x;
    const float4 *src = in + blockIdx.x * tiles * 64;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < tiles) __pipeline_memcpy_async(&buffer[s][t], &src[s * 64 + t], 16);
        __pipeline_commit();
    }
    float4 acc = {0, 0, 0, 0};
    for (int i = 0; i < tiles; i++) {
        int next = i + STAGES - 1;
        if (next < tiles) __pipeline_memcpy_async(&buffer[next % STAGES][t], &src[next * 64 + t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        float4 v = buffer[i % STAGES][t ^ 3];
        acc.x += v.x; acc.y += v.y; acc.z += v.z; acc.w += v.w;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = acc;
}
__device__ __forceinline__ void cp16(unsigned dst, const void *src) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(dst), "l"(src));
}
__device__ __forceinline__ void ldsm4(unsigned &a, unsigned &b, unsigned &c, unsigned &d, unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
}
__device__ __forceinline__ void mma16816(float *c, const unsigned *a, const unsigned *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__global__ void mma_tile(const half *A, const half *B, float *C, int K) {
    __shared__ __align__(16) half As[16][40], Bs[8][40];
    int lane = threadIdx.x;
    float c[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k += 32) {
        for (int e = lane; e < 64; e += 32) cp16((unsigned)__cvta_generic_to_shared(&As[e / 4][e % 4 * 8]), A + (e / 4) * K + k + e % 4 * 8);
        cp16((unsigned)__cvta_generic_to_shared(&Bs[lane / 4][lane % 4 * 8]), B + (lane / 4) * K + k + lane % 4 * 8);
        asm volatile("cp.async.commit_group;\n");
        asm volatile("cp.async.wait_group 0;\n");
        __syncwarp();
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned a[4], b[2];
            ldsm4(a[0], a[1], a[2], a[3], (unsigned)__cvta_generic_to_shared(&As[lane % 16][kk + lane / 16 * 8]));
            b[0] = *(unsigned *)&Bs[lane / 4][kk + lane % 4 * 2];
            b[1] = *(unsigned *)&Bs[lane / 4][kk + lane % 4 * 2 + 8];
            mma16816(c, a, b);
        }
        __syncwarp();
    }
    int r = lane / 4, col = lane % 4 * 2;
    C[r * 8 + col] = c[0];
    C[r * 8 + col + 1] = c[1];
    C[(r + 8) * 8 + col] = c[2];
    C[(r + 8) * 8 + col + 1] = c[3];
}
__global__ void vector_ptx(const float *in, float *out, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float a, b, c, d;
    asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(in + 4 * i));
    asm volatile("st.global.cs.v2.f32 [%0], {%1,%2};" ::"l"(out + 4 * i), "f"(a + b), "f"(c) : "memory");
    asm volatile("st.global.v2.f32 [%0], {%1,%2};" ::"l"(out + 4 * i + 2), "f"(d), "f"(c - d) : "memory");
}
__global__ void warp_roles(const float *in, float *out, int tiles) {
    __shared__ float ring[2][96];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float s = 0;
    for (int t = 0; t <= tiles; t++) {
        if (warp == 0 && t < tiles) {
#pragma unroll
            for (int k = 0; k < 3; k++) ring[t & 1][lane + 32 * k] = in[(blockIdx.x * tiles + t) * 96 + lane + 32 * k];
        }
        if (warp != 0 && t > 0) s += ring[(t - 1) & 1][lane * 3 + (warp - 1)];
        __syncthreads();
    }
    if (warp) out[(blockIdx.x * 3 + warp - 1) * 32 + lane] = s;
}
__global__ void swizzled(const uint4 *in, uint4 *out, int n) {
    __shared__ uint4 tile[16][8];
    int r = threadIdx.x / 8, c = threadIdx.x % 8;
    tile[r][c ^ (r & 7)] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    int r2 = threadIdx.x % 16, c2 = threadIdx.x / 16;
    out[blockIdx.x * 128 + threadIdx.x] = tile[r2][c2 ^ (r2 & 7)];
}
__global__ void red_ptx(unsigned *counters, const unsigned *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned k = keys[i] % 64;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counters + k), "r"(1u) : "memory");
    }
}
__global__ void ticket(float *data, unsigned *lock, int n) {
    __shared__ unsigned mine;
    if (threadIdx.x == 0) mine = atomicAdd(lock, 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[mine * n + i] = mine;
    __threadfence();
    if (threadIdx.x == 0 && atomicInc(lock + 1, gridDim.x - 1) == gridDim.x - 1) lock[2] = 1;
}

static float *floats(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<float> h(n);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = shift + scale * float((s >> 8) & 0xffff) / 65536.0f; }
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}
static __half *halves(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<__half> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = __float2half(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    __half *d;
    cudaMalloc(&d, n * sizeof(__half));
    cudaMemcpy(d, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *ints(size_t n, unsigned modulus, unsigned step = 7, T first = 0) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++) h[i] = first + T((i * step) % modulus);
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}


int main() {
    cg_reduce<<<4, 128>>>(floats(1500), zeros<float>(4), 1500);
    cg_tile4<<<4, 96>>>(ints<int>(350, 77), zeros<int>(96), 350);
    pipelined<2><<<3, 64>>>((float4 *)floats(3 * 5 * 256), (float4 *)zeros<float>(3 * 256), 5);
    pipelined<3><<<3, 64>>>((float4 *)floats(3 * 5 * 256), (float4 *)zeros<float>(3 * 256), 5);
    mma_tile<<<1, 32>>>(halves(16 * 96), halves(8 * 96), zeros<float>(128), 96);
    vector_ptx<<<3, 96>>>(floats(1000), zeros<float>(1000), 250);
    warp_roles<<<3, 128>>>(floats(3 * 4 * 96), zeros<float>(3 * 96), 4);
    swizzled<<<3, 128>>>((uint4 *)ints<int>(3 * 512, 1000), (uint4 *)zeros<int>(3 * 512), 384);
    red_ptx<<<3, 96>>>(zeros<unsigned>(64), ints<unsigned>(280, 1000, 7), 280);
    ticket<<<4, 64>>>(zeros<float>(400), zeros<unsigned>(3), 100);
    return finish("asynchronous");
}

#include <cuda_pipeline.h>
__global__ void stage(float4 *out, const float4 *in, int n)
{
    __shared__ float4 tile[2][256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], &in[blockIdx.x * 256 + t], 16);
    __pipeline_commit();
    for (int k = 0; k < n; ++k) {
        __pipeline_memcpy_async(&tile[(k + 1) & 1][t], &in[(k * 64 + blockIdx.x) * 256 + t], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = tile[k & 1][255 - t];
        out[(k * 64 + blockIdx.x) * 256 + t] = v;
        __syncthreads();
    }
}
int main() { float4 *o, *i; cudaMalloc(&o, 8 * 64 * 256 * 16); cudaMalloc(&i, 8 * 64 * 256 * 16); stage<<<64, 256>>>(o, i, 8); }

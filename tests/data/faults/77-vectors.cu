// Vector accesses and their tails.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

static void must(cudaError_t e)
{
    if (e == cudaSuccess) return;
    std::printf("failed: %s\n", cudaGetErrorString(e));
    std::exit(1);
}

static bool wanted(int argc, char **argv, const char *run)
{
    for (int i = 1; i < argc; i++)
        if (!std::strcmp(argv[i], run)) return true;
    return argc < 2;
}

__global__ void copy4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 3) / 4) reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
}

__global__ void copy4_rest(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
    int j = n / 4 * 4 + i;
    if (j < n) out[j] = in[j];
}

__global__ void rows2(const float *in, float *out, int cols)
{
    const float2 *row = (const float2 *)(in + blockIdx.x * cols);
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols / 2; c += blockDim.x) s += row[c].x + row[c].y;
    atomicAdd(&out[blockIdx.x], s);
}

struct Particle { float x, y, z; };
__global__ void particles(const Particle *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = *(const float4 *)&in[i];
        out[i] = v.x + v.y + v.z;
    }
}

__global__ void particles_plain(const Particle *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle p = in[i];
        out[i] = p.x + p.y + p.z;
    }
}

__global__ void shared_pairs(const float *in, float *out)
{
    __shared__ float s[130];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 2) s[128 + t] = 0.0f;
    __syncthreads();
    float2 v = *(float2 *)&s[t];
    out[blockIdx.x * 128 + t] = v.x + v.y;
}

__global__ void shared_pairs_even(const float *in, float *out)
{
    __shared__ __align__(8) float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 128] = 0.0f;
    __syncthreads();
    float2 v = *(float2 *)&s[2 * t];
    out[blockIdx.x * 128 + t] = v.x + v.y;
}

int main(int argc, char **argv)
{
    const int n = 1022;
    float *in, *out;
    must(cudaMalloc(&in, 4 * n * sizeof(float)));
    must(cudaMalloc(&out, n * sizeof(float)));
    must(cudaMemset(in, 0, 4 * n * sizeof(float)));
    if (wanted(argc, argv, "copy4_tail")) {
        copy4<<<2, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "copy4_even")) {
        copy4<<<2, 128>>>(in, out, 1020);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "copy4_rest")) {
        copy4_rest<<<2, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "rows2_odd")) {
        rows2<<<4, 32>>>(in, out, 101);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "rows2_even")) {
        rows2<<<4, 32>>>(in, out, 102);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "particles")) {
        particles<<<8, 128>>>((const Particle *)in, out, 1000);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "particles_plain")) {
        particles_plain<<<8, 128>>>((const Particle *)in, out, 1000);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "shared_pairs")) {
        shared_pairs<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "shared_pairs_even")) {
        shared_pairs_even<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}

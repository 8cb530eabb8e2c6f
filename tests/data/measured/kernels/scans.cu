// Prefix sums: Hillis-Steele with double buffer, Blelloch with and without padding of the indices, warp shuffles.
#include <cstdio>
#include <cuda_runtime.h>

#define LOG_BANKS 5
#define PAD(n) ((n) >> LOG_BANKS)

__global__ void hillis_steele(const int *in, int *out, int n)
{
    extern __shared__ int temp[];
    int t = threadIdx.x;
    int pout = 0, pin = 1;
    temp[t] = t > 0 ? in[blockIdx.x * n + t - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset)
            temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
        else
            temp[pout * n + t] = temp[pin * n + t];
        __syncthreads();
    }
    out[blockIdx.x * n + t] = temp[pout * n + t];
}

template <bool padded>
__global__ void blelloch(const int *in, int *out, int n)
{
    __shared__ int s[512 + 512 / 32];
    int t = threadIdx.x, base = blockIdx.x * n;
    int ai = t, bi = t + n / 2;
    int pa = padded ? PAD(ai) : 0, pb = padded ? PAD(bi) : 0;
    s[ai + pa] = in[base + ai];
    s[bi + pb] = in[base + bi];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            if (padded) { i += PAD(i); j += PAD(j); }
            s[j] += s[i];
        }
        offset *= 2;
    }
    if (t == 0) s[n - 1 + (padded ? PAD(n - 1) : 0)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            if (padded) { i += PAD(i); j += PAD(j); }
            int x = s[i];
            s[i] = s[j];
            s[j] += x;
        }
    }
    __syncthreads();
    out[base + ai] = s[ai + pa];
    out[base + bi] = s[bi + pb];
}

__device__ int warp_scan(int v)
{
    int lane = threadIdx.x & 31;
    for (int o = 1; o < 32; o *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, o);
        if (lane >= o) v += u;
    }
    return v;
}

__global__ void shuffled(const int *in, int *out, int *sums)
{
    __shared__ int warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    int v = warp_scan(in[i]);
    if (lane == 31) warps[w] = v;
    __syncthreads();
    if (w == 0) {
        int x = lane < blockDim.x / 32 ? warps[lane] : 0;
        x = warp_scan(x);
        warps[lane] = x;
    }
    __syncthreads();
    int before = w > 0 ? warps[w - 1] : 0;
    out[i] = v + before;
    if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v + before;
}

__global__ void add_sums(int *data, const int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0) data[i] += sums[blockIdx.x - 1];
}

int main()
{
    const int blocks = 128, n = 512;
    int *in, *out, *sums;
    cudaMalloc(&in, blocks * n * sizeof(int));
    cudaMalloc(&out, blocks * n * sizeof(int));
    cudaMalloc(&sums, blocks * sizeof(int));
    cudaMemset(in, 1, blocks * n * sizeof(int));
    hillis_steele<<<blocks, n, 2 * n * sizeof(int)>>>(in, out, n);
    blelloch<false><<<blocks, n / 2>>>(in, out, n);
    blelloch<true><<<blocks, n / 2>>>(in, out, n);
    shuffled<<<blocks, n>>>(in, out, sums);
    add_sums<<<blocks, n>>>(out, sums);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

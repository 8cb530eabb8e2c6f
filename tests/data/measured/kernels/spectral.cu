// FFT passes: radix 2 in shared memory with bit reversal, radix 4 through global memory with float2, transposed twiddles, Walsh-Hadamard.
#include <cstdio>
#include <cuda_runtime.h>

__device__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

template <int LOG>
__global__ void fft_shared(float2 *data)
{
    constexpr int N = 1 << LOG;
    __shared__ float2 s[N];
    float2 *mine = data + blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[__brev(i) >> (32 - LOG)] = mine[i];
    __syncthreads();
    for (int half = 1; half < N; half <<= 1) {
        int j = threadIdx.x & (half - 1);
        int top = ((threadIdx.x - j) << 1) + j;
        float angle = -3.14159265f * j / half;
        float2 w = make_float2(__cosf(angle), __sinf(angle));
        float2 u = s[top], v = cmul(s[top + half], w);
        s[top] = make_float2(u.x + v.x, u.y + v.y);
        s[top + half] = make_float2(u.x - v.x, u.y - v.y);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N; i += blockDim.x) mine[i] = s[i];
}

__global__ void radix4(const float2 *in, float2 *out, int n, int p)
{
    int t = n / 4;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t) return;
    int k = i & (p - 1);
    int j = ((i - k) << 2) + k;
    float2 u0 = in[i], u1 = in[i + t], u2 = in[i + 2 * t], u3 = in[i + 3 * t];
    float2 v0 = make_float2(u0.x + u2.x, u0.y + u2.y), v1 = make_float2(u0.x - u2.x, u0.y - u2.y);
    float2 v2 = make_float2(u1.x + u3.x, u1.y + u3.y), v3 = make_float2(u1.y - u3.y, u3.x - u1.x);
    out[j] = make_float2(v0.x + v2.x, v0.y + v2.y);
    out[j + p] = make_float2(v1.x + v3.x, v1.y + v3.y);
    out[j + 2 * p] = make_float2(v0.x - v2.x, v0.y - v2.y);
    out[j + 3 * p] = make_float2(v1.x - v3.x, v1.y - v3.y);
}

__global__ void hadamard(float *data, int log_n)
{
    extern __shared__ float s[];
    const int n = 1 << log_n;
    float *d = data + blockIdx.x * n;
    for (int pos = threadIdx.x; pos < n; pos += blockDim.x) s[pos] = d[pos];
    for (int stride = n / 2; stride >= 1; stride >>= 1) {
        __syncthreads();
        for (int pos = threadIdx.x; pos < n / 2; pos += blockDim.x) {
            int lo = pos & (stride - 1);
            int i0 = ((pos - lo) << 1) + lo, i1 = i0 + stride;
            float a = s[i0], b = s[i1];
            s[i0] = a + b;
            s[i1] = a - b;
        }
    }
    __syncthreads();
    for (int pos = threadIdx.x; pos < n; pos += blockDim.x) d[pos] = s[pos];
}

__global__ void transpose_complex(const float2 *in, float2 *out, int rows, int cols)
{
    __shared__ float2 tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    float2 v = tile[threadIdx.x][threadIdx.y];
    out[y * rows + x] = v;
}

int main()
{
    const int n = 1 << 16;
    float2 *a, *b;
    cudaMalloc(&a, n * sizeof(float2));
    cudaMalloc(&b, n * sizeof(float2));
    cudaMemset(a, 0, n * sizeof(float2));
    fft_shared<10><<<n / 1024, 512>>>(a);
    fft_shared<8><<<n / 256, 128>>>(a);
    for (int p = 1; p < n; p *= 16) radix4<<<n / 4 / 256, 256>>>(a, b, n, p);
    hadamard<<<64, 256, 1024 * sizeof(float)>>>((float *)a, 10);
    transpose_complex<<<dim3(16, 16), dim3(16, 16)>>>(a, b, 256, 256);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

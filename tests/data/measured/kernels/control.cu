#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void do_while(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0, k = 0;
    if (i >= n) return;
    do {
        s += in[(i + k * 37) % n];
        k++;
    } while (k < 5);
    out[i] = s;
}
__global__ void fallthrough(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    switch (threadIdx.x & 3) {
    case 0: s += in[i];
    case 1: s += in[i + n]; break;
    case 2: s -= in[i];
    default: s *= 2;
    }
    out[i] = s;
}
__global__ void chain(const int *a, const int *b, const int *c, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (i % 3 == 0 || a[i] > 2) && b[i] < 50)
        out[i] = c[i];
}
__global__ void ternaries(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    y[i] = v > 0.8f ? 1.f : v > 0.5f ? x[n - 1 - i] : v > 0.2f ? v * v : 0.f;
}
__global__ void early_in_loop(const int *in, int *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; j++) {
        int at = i * m + j;
        if (at >= n) return;
        if (in[at] == 7) continue;
        out[at] = in[at] + j;
    }
}
__global__ void search(const int *table, const int *keys, int *found, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int key = keys[i], at = -1;
    for (int j = 0; j < n; j++)
        if (table[j] == key) { at = j; break; }
    found[i] = at;
}
__global__ void jump(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v;
    if (i >= n) goto done;
    v = in[i];
    if (v < 0.5f) goto low;
    out[i] = v * 2;
    goto done;
low:
    out[i + n] = v;
done:
    return;
}
__global__ void unroll_three(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll 3
    for (int k = 0; k < 8; k++) s += in[i + k * 128];
    if (i < n) out[i] = s;
}
__global__ void unroll_one(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < 6; k++) s += in[i + k] * in[i + k + 1];
    if (i < n) out[i] = s;
}
__global__ void warp_branch(const float *in, float *out) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (warp == 0) out[i] = in[i];
    else if (warp == 1) { if (lane < 16) out[i] = in[i] + in[i + 16]; }
    else out[i] = lane % 2 ? in[i * 2] : in[i];
}
__global__ void cube(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;
    out[(x * ny + y) * nz + z] = in[(z * ny + y) * nx + x];
}
template <int N, bool ADD> __device__ float horner(const float *c, float x) {
    if constexpr (N == 0) return c[0];
    else if constexpr (ADD) return horner<N - 1, ADD>(c, x) * x + c[N];
    else return horner<N - 1, ADD>(c, x) * c[N];
}
__global__ void recursive_templates(const float *c, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = horner<4, true>(c, x[i]) + horner<2, false>(c + 5, x[i]);
}
__global__ void counted(const int *flags, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int c = __syncthreads_count(i < n && flags[min(i, n - 1)] > 3);
    if (threadIdx.x == 0) count[blockIdx.x] = c;
}
__global__ void triangle(const float *in, float *out, int n) {
    int row = blockIdx.x, s = row * (row + 1) / 2;
    for (int c = threadIdx.x; c <= row; c += 32) out[row * n + c] = in[s + c];
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
    do_while<<<3, 96>>>(ints<int>(270, 99), zeros<int>(270), 270);
    fallthrough<<<3, 96>>>(floats(540), zeros<float>(270), 270);
    chain<<<3, 96>>>(ints<int>(270, 5), ints<int>(270, 60), ints<int>(270, 70), zeros<int>(270), 270);
    ternaries<<<3, 96>>>(floats(270), zeros<float>(270), 270);
    early_in_loop<<<2, 64>>>(ints<int>(500, 9), zeros<int>(500), 500, 4);
    search<<<2, 64>>>(ints<int>(50, 60, 7), ints<int>(100, 60, 11), zeros<int>(100), 50, 100);
    jump<<<3, 96>>>(floats(270), zeros<float>(540), 270);
    unroll_three<<<3, 96>>>(floats(1400), zeros<float>(270), 270);
    unroll_one<<<3, 96>>>(floats(400), zeros<float>(270), 270);
    warp_branch<<<3, 96>>>(floats(700), zeros<float>(288));
    cube<<<dim3(2, 2, 2), dim3(16, 4, 4)>>>(floats(20 * 7 * 6), zeros<float>(840), 20, 7, 6);
    recursive_templates<<<3, 96>>>(floats(10), floats(270), zeros<float>(270), 270);
    counted<<<3, 96>>>(ints<int>(270, 9), zeros<int>(3), 270);
    triangle<<<60, 32>>>(floats(2000), zeros<float>(3600), 60);
    return finish("control");
}

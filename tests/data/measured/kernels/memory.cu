#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void volatile_tail(const float *in, float *out) {
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    s[t + 32] = in[blockIdx.x * 64 + t + 32];
    __syncwarp();
    s[t] = s[t] + s[t + 32];
    __syncwarp();
    if (t < 16) s[t] = s[t] + s[t + 16];
    __syncwarp();
    if (t < 8) out[blockIdx.x * 8 + t] = s[t] + s[t + 8];
}
struct Cell { float temperature; short kind; unsigned char flags[2]; };
__global__ void shared_structs(const Cell *in, float *out, int n) {
    __shared__ Cell cells[96];
    int i = blockIdx.x * 96 + threadIdx.x;
    if (i < n) cells[threadIdx.x] = in[i];
    __syncthreads();
    if (i >= n) return;
    const Cell &c = cells[95 - threadIdx.x];
    out[i] = c.kind == 3 ? c.temperature : c.flags[1];
}
__global__ void doubles(const double2 *in, double *out, int n) {
    __shared__ double2 s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? in[i] : make_double2(0, 0);
    __syncthreads();
    double2 a = s[(t * 5) % 64], b = s[63 - t];
    if (i < n) out[i] = a.x * b.y - a.y * b.x;
}
__global__ void shorts(const short4 *in, short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short4 v = in[i];
    out[4 * i] = v.w;
    out[4 * i + 1] = v.z;
    out[4 * i + 2] = v.y;
    out[4 * i + 3] = v.x;
}
__global__ void bytes(const unsigned char *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *p = in + 3 * i;
    out[i] = p[0] | p[1] << 8 | p[2] << 16;
}
__global__ void walking(const float *in, float *out, int rows, int pitch) {
    const float *p = in + blockIdx.x * blockDim.x + threadIdx.x;
    float *q = out + blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rows; r++, p += pitch) *q++ = *p;
}
__global__ void post_increment(const int *in, int *out, int n) {
    __shared__ int s[256];
    int at = threadIdx.x;
    while (at < 256) {
        s[at] = in[blockIdx.x * 256 + at];
        at += 64;
    }
    __syncthreads();
    int k = threadIdx.x * 4, v = 0;
    v += s[k++];
    v += s[k++];
    v += s[k++];
    v += s[k];
    out[blockIdx.x * 64 + threadIdx.x] = v;
}
__global__ void carve(const float *in, float *out, int n, int m) {
    extern __shared__ char pool[];
    float *a = (float *)pool;
    float2 *b = (float2 *)(a + n);
    int *c = (int *)(b + m);
    int t = threadIdx.x;
    if (t < n) a[t] = in[t];
    if (t < m) b[t] = make_float2(in[t], in[t + 1]);
    c[t] = t * 3 % 64;
    __syncthreads();
    float2 v = b[c[t] % m];
    out[blockIdx.x * blockDim.x + t] = a[t * 2 % n] + v.x - v.y;
}
__global__ void cast_rows(const float *in, float4 *out) {
    __shared__ __align__(16) float tile[16][20];
    int r = threadIdx.x / 16, c = threadIdx.x % 16;
    for (int k = r; k < 16; k += 4) tile[k][c] = in[blockIdx.x * 256 + k * 16 + c];
    __syncthreads();
    int row = threadIdx.x % 16, part = threadIdx.x / 16;
    out[blockIdx.x * 64 + threadIdx.x] = *reinterpret_cast<const float4 *>(&tile[row][part * 4]);
}
__global__ void diagonal(const float *in, float *out) {
    __shared__ float s[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int j = y; j < 32; j += 8) s[j][(x + j) & 31] = in[(blockIdx.x * 32 + j) * 32 + x];
    __syncthreads();
    for (int j = y; j < 32; j += 8) out[(blockIdx.x * 32 + j) * 32 + x] = s[x][(x + j) & 31];
}
__global__ void strided_shared(const int *in, int *out, int stride) {
    __shared__ int s[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) s[i] = in[i];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x * stride % 2048];
}
__constant__ float palette[64];
__global__ void constant_lookup(const int *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = palette[threadIdx.x % 64] + palette[blockIdx.x] + palette[in[i] & 63];
}
__global__ void wide_index(const float *in, float *out, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i * 3 % n];
}
__global__ void reversed(const float *in, float *out, int n) {
    for (int i = n - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= blockDim.x * gridDim.x) out[i] = in[n - 1 - i];
}
__global__ void local_small(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float w[5], best = -1;
    for (int k = 0; k < 5; k++) w[k] = in[(i + k * 13) % n];
    for (int k = 0; k < 5; k++)
        for (int j = k + 1; j < 5; j++)
            if (w[j] < w[k]) { float x = w[j]; w[j] = w[k]; w[k] = x; }
    best = w[2];
    out[i] = best;
}
__global__ void aliasing(float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b[i] = a[i] + 1;
    b[i + n] = a[i] + 2;
}
__global__ void no_aliasing(const float *__restrict__ a, float *__restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    b[i] = a[i] + 1;
    b[i + n] = a[i] + 2;
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
    volatile_tail<<<4, 32>>>(floats(256), zeros<float>(32));
    shared_structs<<<3, 96>>>((Cell *)ints<unsigned char>(270 * 8, 200), zeros<float>(270), 270);
    doubles<<<3, 64>>>((double2 *)floats(640), zeros<double>(160), 160);
    shorts<<<3, 96>>>((short4 *)ints<short>(1080, 99), zeros<short>(1080), 270);
    bytes<<<3, 96>>>(ints<unsigned char>(810, 99), zeros<unsigned>(270), 270);
    walking<<<3, 64>>>(floats(192 * 9), zeros<float>(220), 9, 192);
    post_increment<<<3, 64>>>(ints<int>(768, 99), zeros<int>(192), 3);
    carve<<<3, 64, 64 * 4 + 48 * 8 + 64 * 4>>>(floats(100), zeros<float>(192), 60, 48);
    cast_rows<<<3, 64>>>(floats(768), (float4 *)zeros<float>(768));
    diagonal<<<3, dim3(32, 8)>>>(floats(3072), zeros<float>(3072));
    strided_shared<<<3, 96>>>(ints<int>(2048, 99), zeros<int>(288), 12);
    constant_lookup<<<3, 96>>>(ints<int>(270, 64), zeros<float>(270), 270);
    wide_index<<<3, 96>>>(floats(271), zeros<float>(271), 271);
    reversed<<<3, 64>>>(floats(500), zeros<float>(500), 500);
    local_small<<<3, 64>>>(floats(180), zeros<float>(180), 180);
    aliasing<<<3, 96>>>(floats(270), zeros<float>(540), 270);
    no_aliasing<<<3, 96>>>(floats(270), zeros<float>(540), 270);
    return finish("memory");
}

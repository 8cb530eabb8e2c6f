#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <stdexcept>
#define CHECK(call) do { cudaError_t err = (call); if (err != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); exit(EXIT_FAILURE); } } while (0)
constexpr int TILE = 16;
// 1 dynamic shared carved through a helper: layout (floats, doubles) misaligned when odd count
struct Carve { float *weights; double *acc; };
__device__ Carve carve_bad(char *raw, int n) { Carve c; c.weights = reinterpret_cast<float *>(raw); c.acc = reinterpret_cast<double *>(raw + n * sizeof(float)); return c; }
__device__ Carve carve_good(char *raw, int n) { Carve c; c.weights = reinterpret_cast<float *>(raw); c.acc = reinterpret_cast<double *>(raw + ((n * sizeof(float) + 7) / 8) * 8); return c; }
__global__ void b_carve(const float *in, double *out, int n) { extern __shared__ __align__(16) char raw[]; Carve c = carve_bad(raw, n); if (threadIdx.x < n) c.weights[threadIdx.x] = in[threadIdx.x]; c.acc[threadIdx.x] = 0; __syncthreads(); if (threadIdx.x < n) out[threadIdx.x] = c.acc[threadIdx.x] + c.weights[n - 1 - threadIdx.x]; }
__global__ void g_carve(const float *in, double *out, int n) { extern __shared__ __align__(16) char raw[]; Carve c = carve_good(raw, n); if (threadIdx.x < n) c.weights[threadIdx.x] = in[threadIdx.x]; c.acc[threadIdx.x] = 0; __syncthreads(); if (threadIdx.x < n) out[threadIdx.x] = c.acc[threadIdx.x] + c.weights[n - 1 - threadIdx.x]; }
// 2 dynamic bytes via helper forgetting one of two arrays
static size_t bytes_one(int block) { return block * sizeof(float); }
static size_t bytes_two(int block) { return 2 * block * sizeof(float); }
__global__ void b_dyn(const float *in, float *out) { extern __shared__ float sm[]; float *lo = sm, *hi = sm + blockDim.x; lo[threadIdx.x] = in[threadIdx.x]; hi[threadIdx.x] = -in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = lo[blockDim.x - 1 - threadIdx.x] + hi[threadIdx.x]; }
__global__ void g_dyn(const float *in, float *out) { extern __shared__ float sm[]; float *lo = sm, *hi = sm + blockDim.x; lo[threadIdx.x] = in[threadIdx.x]; hi[threadIdx.x] = -in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = lo[blockDim.x - 1 - threadIdx.x] + hi[threadIdx.x]; }
// 3 halo tile with corner cells not loaded
__global__ void b_corner(const float *in, float *out, int w, int h) {
    __shared__ float t[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    auto at = [&](int yy, int xx) { return (xx < 0 || yy < 0 || xx >= w || yy >= h) ? 0.f : in[yy * w + xx]; };
    t[ly][lx] = at(y, x);
    if (threadIdx.x == 0) t[ly][0] = at(y, x - 1);
    if (threadIdx.x == TILE - 1) t[ly][TILE + 1] = at(y, x + 1);
    if (threadIdx.y == 0) t[0][lx] = at(y - 1, x);
    if (threadIdx.y == TILE - 1) t[TILE + 1][lx] = at(y + 1, x);
    __syncthreads();
    float s = 0;
    for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += t[ly + j][lx + i];
    if (x < w && y < h) out[y * w + x] = s / 9;
}
__global__ void g_corner(const float *in, float *out, int w, int h) {
    __shared__ float t[TILE + 2][TILE + 2];
    int x0 = blockIdx.x * TILE - 1, y0 = blockIdx.y * TILE - 1;
    for (int k = threadIdx.y * TILE + threadIdx.x; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
        int yy = y0 + k / (TILE + 2), xx = x0 + k % (TILE + 2);
        t[k / (TILE + 2)][k % (TILE + 2)] = (xx < 0 || yy < 0 || xx >= w || yy >= h) ? 0.f : in[yy * w + xx];
    }
    __syncthreads();
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    float s = 0;
    for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += t[ly + j][lx + i];
    if (x < w && y < h) out[y * w + x] = s / 9;
}
// 4 double buffer parity after an odd count
__global__ void b_parity(const float *in, float *out, int steps) { __shared__ float s[2][128]; int t = threadIdx.x; s[0][t] = in[t]; __syncthreads();
    for (int k = 0; k < steps; k++) { s[(k + 1) & 1][t] = s[k & 1][(t + 1) % 128]; __syncthreads(); } out[t] = s[(steps + 1) & 1][127 - t]; }
__global__ void b_parity2(const float *in, float *out, int steps) { __shared__ float s[2][128]; int t = threadIdx.x; s[0][t] = in[t]; s[1][t] = 0; __syncthreads();
    for (int k = 0; k < steps; k++) { s[(k + 1) & 1][t] = s[k & 1][(t + 1) % 128]; } out[t] = s[steps & 1][t]; }
__global__ void g_parity(const float *in, float *out, int steps) { __shared__ float s[2][128]; int t = threadIdx.x; s[0][t] = in[t]; __syncthreads();
    for (int k = 0; k < steps; k++) { s[(k + 1) & 1][t] = s[k & 1][(t + 1) % 128]; __syncthreads(); } out[t] = s[steps & 1][127 - t]; }
// 5 reduction tails
__global__ void b_tail(const float *in, float *out) { __shared__ volatile float s[256]; int t = threadIdx.x; s[t] = in[blockIdx.x * 256 + t]; __syncthreads();
    for (int k = 128; k > 32; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
    if (t == 0) out[blockIdx.x] = s[0]; }
__global__ void g_tail(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[blockIdx.x * 256 + t]; __syncthreads();
    for (int k = 128; k >= 32; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t < 32) { float v = s[t]; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o); if (t == 0) out[blockIdx.x] = v; } }
__global__ void b_tail2(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[blockIdx.x * 256 + t];
    for (int k = 128; k > 0; k >>= 1) { __syncthreads(); if (t <= k) s[t] += s[t + k]; }
    if (t == 0) out[blockIdx.x] = s[0]; }
// 6 partially exited warps and shuffles
__global__ void b_exit(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v = in[i]; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o); if ((threadIdx.x & 31) == 0) atomicAdd(out, v); }
__global__ void g_exit(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = i < n ? in[i] : 0.f; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o); if ((threadIdx.x & 31) == 0) atomicAdd(out, v); }
// 7 grid-stride loops
__global__ void b_stride(float *y, const float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += blockDim.x * gridDim.x) y[i] = 2 * x[i]; }
__global__ void b_stride2(float *y, const float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) y[i] += x[i]; }
__global__ void g_stride(float *y, const float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = 2 * x[i]; }
// 8 width and height swapped
__global__ void b_swap(unsigned char *dst, const unsigned char *src, int w, int h) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < h && y < w) dst[y * w + x] = 255 - src[y * w + x]; }
__global__ void g_swap(unsigned char *dst, const unsigned char *src, int w, int h) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < w && y < h) dst[y * w + x] = 255 - src[y * w + x]; }
// 9 left border
__global__ void b_left(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] - in[i - 1]; }
__global__ void g_left(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] - (i > 0 ? in[i - 1] : 0.f); }
// 10 constant table
__constant__ float taps[7];
__global__ void b_const(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - 8) { float s = 0; for (int k = 0; k <= 7; k++) s += taps[k] * in[i + k]; out[i] = s; } }
__global__ void g_const(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - 8) { float s = 0; for (int k = 0; k < 7; k++) s += taps[k] * in[i + k]; out[i] = s; } }
// 11 local array indexed by data
__global__ void b_local(const unsigned char *c, int *out, int n) { int count[10] = {0}; int i = threadIdx.x; for (int k = 0; k < 16; k++) count[c[i * 16 + k] & 15]++; int m = 0; for (int k = 0; k < 10; k++) m = max(m, count[k]); out[i] = m; }
__global__ void g_local(const unsigned char *c, int *out, int n) { int count[16] = {0}; int i = threadIdx.x; for (int k = 0; k < 16; k++) count[c[i * 16 + k] & 15]++; int m = 0; for (int k = 0; k < 16; k++) m = max(m, count[k]); out[i] = m; }
// 12 index overflow
__global__ void b_over(float *v, int stride) { int i = blockIdx.x * blockDim.x * stride + threadIdx.x; v[i] = 1; }
__global__ void g_over(float *v, int stride) { size_t i = (size_t)blockIdx.x * blockDim.x * stride + threadIdx.x; v[i] = 1; }
// 13 pitched rows
// 14 last block without fence
__device__ unsigned ticket;
__global__ void b_lastblock(const float *in, float *part, float *out) { __shared__ bool last; if (threadIdx.x == 0) { part[blockIdx.x] = in[blockIdx.x]; last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1; } __syncthreads(); if (last && threadIdx.x == 0) { float s = 0; for (int i = 0; i < gridDim.x; i++) s += part[i]; *out = s; } }
__global__ void g_lastblock(const float *in, float *part, float *out) { __shared__ bool last; if (threadIdx.x == 0) { part[blockIdx.x] = in[blockIdx.x]; __threadfence(); last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1; } __syncthreads(); if (last && threadIdx.x == 0) { __threadfence(); float s = 0; for (int i = 0; i < gridDim.x; i++) s += part[i]; *out = s; } }
// 15 a struct with padding copied as floats
struct Sample { char tag; double value; };
__global__ void b_struct(Sample *s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; char *raw = (char *)s; if (i < n) *(double *)(raw + i * (sizeof(char) + sizeof(double)) + 1) = 0; }
__global__ void g_struct(Sample *s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; char *raw = (char *)s; if (i < n) *(double *)(raw + i * sizeof(Sample) + offsetof(Sample, value)) = 0; }
// 16 64-bit index truncated
__global__ void b_trunc(float *v, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; int k = (int)(i * 1024); if (i * 1024 < n) v[k] = 0; }
__global__ void g_trunc(float *v, size_t n) { size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i * 1024 < n) v[i * 1024] = 0; }

template <class T> class DeviceBuffer { T *p_ = nullptr; size_t n_; public: explicit DeviceBuffer(size_t n) : n_(n) { CHECK(cudaMalloc((void **)&p_, n * sizeof(T))); } ~DeviceBuffer() { cudaFree(p_); } T *get() const { return p_; } size_t size() const { return n_; } };
struct Image { int w, h; unsigned char *src, *dst; };
static void invert(const Image &im, bool right) { dim3 b(16, 16), g((im.w + 15) / 16, (im.h + 15) / 16); if (right) g_swap<<<g, b>>>(im.dst, im.src, im.w, im.h); else { b_swap<<<dim3((im.h + 15) / 16, (im.w + 15) / 16), b>>>(im.dst, im.src, im.w, im.h); } CHECK(cudaGetLastError()); }
int main(int argc, char **argv) {
    const int N = 1000;
    DeviceBuffer<float> x(N), y(N); DeviceBuffer<double> d(256);
    b_carve<<<1, 64, 31 * 4 + 64 * 8 + 8>>>(x.get(), d.get(), 31); g_carve<<<1, 64, 31 * 4 + 64 * 8 + 8>>>(x.get(), d.get(), 31);
    b_dyn<<<1, 128, bytes_one(128)>>>(x.get(), y.get()); g_dyn<<<1, 128, bytes_two(128)>>>(x.get(), y.get());
    DeviceBuffer<float> u(200 * 100), v(200 * 100); dim3 blk(TILE, TILE), grd((200 + TILE - 1) / TILE, (100 + TILE - 1) / TILE);
    b_corner<<<grd, blk>>>(u.get(), v.get(), 200, 100); g_corner<<<grd, blk>>>(u.get(), v.get(), 200, 100);
    b_parity<<<1, 128>>>(x.get(), y.get(), 0); b_parity2<<<1, 128>>>(x.get(), y.get(), 7); g_parity<<<1, 128>>>(x.get(), y.get(), 7);
    DeviceBuffer<float> r(256 * 8); b_tail<<<8, 256>>>(r.get(), y.get()); g_tail<<<8, 256>>>(r.get(), y.get()); b_tail2<<<8, 256>>>(r.get(), y.get());
    b_exit<<<(N + 255) / 256, 256>>>(x.get(), y.get(), N); g_exit<<<(N + 255) / 256, 256>>>(x.get(), y.get(), N);
    b_stride<<<4, 128>>>(y.get(), x.get(), N); b_stride2<<<4, 128>>>(y.get(), x.get(), N); g_stride<<<4, 128>>>(y.get(), x.get(), N);
    Image im{640, 480, nullptr, nullptr}; CHECK(cudaMalloc(&im.src, im.w * im.h)); CHECK(cudaMalloc(&im.dst, im.w * im.h)); invert(im, true); invert(im, false);
    b_left<<<4, 256>>>(x.get(), y.get(), N); g_left<<<4, 256>>>(x.get(), y.get(), N);
    b_const<<<4, 256>>>(x.get(), y.get(), N); g_const<<<4, 256>>>(x.get(), y.get(), N);
    DeviceBuffer<unsigned char> c(64 * 16); DeviceBuffer<int> o(64); b_local<<<1, 64>>>(c.get(), o.get(), 64); g_local<<<1, 64>>>(c.get(), o.get(), 64);
    float *big; CHECK(cudaMalloc(&big, (size_t)4 << 30)); b_over<<<4096, 1024>>>(big, 512 + 1); g_over<<<1024, 1024>>>(big, 512);
    b_lastblock<<<32, 64>>>(x.get(), y.get(), v.get()); g_lastblock<<<32, 64>>>(x.get(), y.get(), v.get());
    DeviceBuffer<Sample> sm(100); b_struct<<<1, 128>>>(sm.get(), 100); g_struct<<<1, 128>>>(sm.get(), 100);
    b_trunc<<<4096, 1024>>>(big, (size_t)1 << 32); g_trunc<<<1024, 1024>>>(big, (size_t)1 << 30);
    CHECK(cudaDeviceSynchronize());
}

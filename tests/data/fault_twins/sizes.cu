#include "common.h"
#include <vector>
#include <memory>
template <class T> struct DeviceBuffer {
    T *ptr = nullptr; size_t count = 0;
    explicit DeviceBuffer(size_t n) : count(n) { MUST(cudaMalloc(&ptr, n * sizeof(T))); MUST(cudaMemset(ptr, 0, n * sizeof(T))); }
    ~DeviceBuffer() { cudaFree(ptr); }
    T *get() const { return ptr; }
    size_t size() const { return count; }
};
template <class T> T *alloc(size_t n) { T *p; MUST(cudaMalloc((void **)&p, n * sizeof(T))); MUST(cudaMemset(p, 0, n * sizeof(T))); return p; }
static int div_up(int a, int b) { return (a + b - 1) / b; }

__global__ void b_noguard(const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 2 * x[i]; }
__global__ void g_guard(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
__global__ void b_le(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) y[i] = 2 * x[i]; }
__global__ void b_wrongbound(const float *m, float *t, int w, int h) {   // guards swap width and height
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < h && y < w) t[x * h + y] = m[y * w + x];
}
__global__ void g_rightbound(const float *m, float *t, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) t[x * h + y] = m[y * w + x];
}
__global__ void b_diff(const int *a, int *d, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = a[i + 1] - a[i]; }
__global__ void g_diff(const int *a, int *d, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - 1) d[i] = a[i + 1] - a[i]; }
__global__ void b_bytes(double *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void g_bytes(double *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
__global__ void b_vec(const float4 *x, float4 *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }
__global__ void g_vec(const float4 *x, float4 *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 4) y[i] = x[i]; }
__global__ void b_blocksum(const float *x, float *sums, int n) {
    __shared__ float s[256]; int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0; __syncthreads();
    for (int o = 128; o; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    if (!t) sums[blockIdx.x] = s[0];
}
__global__ void g_blocksum(const float *x, float *sums, int n) {
    __shared__ float s[256]; int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0; __syncthreads();
    for (int o = 128; o; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    if (!t) sums[blockIdx.x] = s[0];
}
struct Image { int w, h; float *data; __device__ float &at(int x, int y) { return data[y * w + x]; } };
__global__ void b_image(Image im) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y; if (x < im.w && y <= im.h) im.at(x, y) = x + y; }
__global__ void g_image(Image im) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y; if (x < im.w && y < im.h) im.at(x, y) = x + y; }
__global__ void b_offset(const float *mid, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = mid[i - 2] + mid[i + 2]; }
__global__ void g_offset(const float *mid, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = mid[i - 2] + mid[i + 2]; }
__global__ void b_stride(float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) x[i + blockIdx.x] += 1; }
__global__ void g_stride(float *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += 1; }

class Solver {
    int n_; std::unique_ptr<DeviceBuffer<float>> x_, r_;
  public:
    Solver(int n, int pad) : n_(n), x_(new DeviceBuffer<float>(n + pad)), r_(std::make_unique<DeviceBuffer<float>>(n)) {}
    void bad() { b_diff<<<div_up(n_, 128), 128>>>((const int *)x_->get(), (int *)r_->get(), n_); }
    void good() { g_diff<<<div_up(n_, 128), 128>>>((const int *)x_->get(), (int *)r_->get(), n_); }
};

int main(int argc, char **argv) {
    const int n = 1000;
    DeviceBuffer<float> x(n), y(n);
    if (wanted(argc, argv, "b_noguard")) { b_noguard<<<div_up(n, 256), 256>>>(x.get(), y.get()); done("b_noguard"); }
    if (wanted(argc, argv, "g_guard")) { g_guard<<<div_up(n, 256), 256>>>(x.get(), y.get(), (int)x.size()); done("g_guard"); }
    if (wanted(argc, argv, "b_le")) { b_le<<<div_up(n, 256), 256>>>(x.get(), y.get(), n); done("b_le"); }
    float *m = alloc<float>(100 * 60), *t = alloc<float>(100 * 60);
    if (wanted(argc, argv, "b_wrongbound")) { b_wrongbound<<<dim3(7, 7), dim3(16, 16)>>>(m, t, 100, 60); done("b_wrongbound"); }
    if (wanted(argc, argv, "g_rightbound")) { g_rightbound<<<dim3(7, 7), dim3(16, 16)>>>(m, t, 100, 60); done("g_rightbound"); }
    Solver s(512, 0);
    if (wanted(argc, argv, "b_diff")) { s.bad(); done("b_diff"); }
    if (wanted(argc, argv, "g_diff")) { s.good(); done("g_diff"); }
    double *d; MUST(cudaMalloc(&d, n * sizeof(float)));
    if (wanted(argc, argv, "b_bytes")) { b_bytes<<<8, 128>>>(d, n); done("b_bytes"); }
    std::vector<double> host(n, 1.0); double *d2; MUST(cudaMalloc(&d2, host.size() * sizeof(double))); MUST(cudaMemcpy(d2, host.data(), host.size() * sizeof(host[0]), cudaMemcpyHostToDevice));
    if (wanted(argc, argv, "g_bytes")) { g_bytes<<<8, 128>>>(d2, (int)host.size()); done("g_bytes"); }
    float *v = alloc<float>(4096), *v2 = alloc<float>(4096);
    if (wanted(argc, argv, "b_vec")) { b_vec<<<16, 256>>>((float4 *)v, (float4 *)v2, 4096); done("b_vec"); }
    if (wanted(argc, argv, "g_vec")) { g_vec<<<16, 256>>>((float4 *)v, (float4 *)v2, 4096); done("g_vec"); }
    float *sums_short = alloc<float>(n / 256), *sums = alloc<float>(div_up(n, 256));
    if (wanted(argc, argv, "b_blocksum")) { b_blocksum<<<div_up(n, 256), 256>>>(x.get(), sums_short, n); done("b_blocksum"); }
    if (wanted(argc, argv, "g_blocksum")) { g_blocksum<<<div_up(n, 256), 256>>>(x.get(), sums, n); done("g_blocksum"); }
    Image im; im.w = 100; im.h = 40; im.data = alloc<float>(im.w * im.h);
    if (wanted(argc, argv, "b_image")) { b_image<<<dim3(4, im.h + 1), 32>>>(im); done("b_image"); }
    if (wanted(argc, argv, "g_image")) { g_image<<<dim3(4, im.h + 1), 32>>>(im); done("g_image"); }
    float *pad = alloc<float>(512 + 4), *out = alloc<float>(512);
    if (wanted(argc, argv, "b_offset")) { b_offset<<<2, 256>>>(pad, out, 512); done("b_offset"); }
    if (wanted(argc, argv, "g_offset")) { g_offset<<<2, 256>>>(pad + 2, out, 512); done("g_offset"); }
    if (wanted(argc, argv, "b_stride")) { b_stride<<<4, 256>>>(x.get(), n); done("b_stride"); }
    if (wanted(argc, argv, "g_stride")) { g_stride<<<4, 256>>>(x.get(), n); done("g_stride"); }
    return 0;
}

#include <cuda_runtime.h>
__global__ void b_blur(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; }
__global__ void g_blur(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; }
__global__ void g_scale(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 2; }
__global__ void b_shift(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 2; }
__global__ void g_halves(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 2; }
__global__ void b_transpose(const float *a, float *t, int n) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; t[x * n + y] = a[y * n + x]; }
__global__ void b_mixed(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = x[i - 1] + x[i + 1]; }
static void blur(float *in, float *out, int n) { g_blur<<<n / 128, 128>>>(in, out, n); }
int main() {
    const int n = 1024; float *a, *b; cudaMalloc(&a, 2 * n * sizeof(float)); cudaMalloc(&b, 2 * n * sizeof(float));
    b_blur<<<n / 128, 128>>>(a, a, n); blur(a, b, n); blur(b, a, n); g_scale<<<n / 128, 128>>>(a, a, n); b_shift<<<n / 128, 128>>>(a, a + 1, n); g_halves<<<n / 128, 128>>>(a, a + n, n);
    b_transpose<<<dim3(2, 2), dim3(16, 16)>>>(a, a, 32);
    b_mixed<<<n / 128, 128>>>(a, b, n);
    b_mixed<<<n / 128, 128>>>(b, b, n);
}

#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <cstdlib>
#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
__global__ void b_blocks(const float *in, float *out, int n) { __shared__ float s[256]; int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = i < n ? in[i] : 0; for (int k = blockDim.x / 2; k; k >>= 1) { __syncthreads(); if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; } if (threadIdx.x == 0) out[blockIdx.x] = s[0]; }
__global__ void g_blocks(const float *in, float *out, int n) { __shared__ float s[256]; int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = i < n ? in[i] : 0; for (int k = blockDim.x / 2; k; k >>= 1) { __syncthreads(); if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; } if (threadIdx.x == 0) out[blockIdx.x] = s[0]; }
__global__ void b_square(float *a, int n) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < n && y <= n) a[y * n + x] = 0; }
__global__ void g_square(float *a, int n) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x < n && y < n) a[y * n + x] = 0; }
__global__ void b_square2(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n * n) a[i] = 1; }
__global__ void g_square2(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n * n) a[i] = 1; }
__global__ void b_thrust(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) a[i] = 1; }
__global__ void g_thrust(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void b_thrust2(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void g_thrust2(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void b_tri(float *a, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < n) for (int c = 0; c <= r; c++) a[r * (r + 1) / 2 + c] = 0; }
__global__ void g_tri(float *a, int n) { int r = blockIdx.x * blockDim.x + threadIdx.x; if (r < n) for (int c = 0; c <= r; c++) a[r * (r + 1) / 2 + c] = 0; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    const int threads = 256, blocks = (n + threads - 1) / threads;
    float *in, *part, *good; CHECK(cudaMalloc(&in, n * sizeof(float))); CHECK(cudaMalloc(&part, threads * sizeof(float))); CHECK(cudaMalloc(&good, blocks * sizeof(float)));
    b_blocks<<<blocks, threads>>>(in, part, n); g_blocks<<<blocks, threads>>>(in, good, n);
    float *sq; CHECK(cudaMalloc(&sq, n * n * sizeof(float))); dim3 b(16, 16), g((n + 15) / 16, (n + 15) / 16);
    dim3 gb(n / 16 + 1, n / 16 + 1); b_square<<<gb, b>>>(sq, n); g_square<<<gb, b>>>(sq, n);
    float *lin; CHECK(cudaMalloc(&lin, n * sizeof(float))); b_square2<<<(n * n + 255) / 256, 256>>>(lin, n); g_square2<<<(n * n + 255) / 256, 256>>>(sq, n);
    thrust::device_vector<float> v(n); b_thrust<<<n / 256 + 1, 256>>>(thrust::raw_pointer_cast(v.data()), n); g_thrust<<<n / 256 + 1, 256>>>(thrust::raw_pointer_cast(v.data()), n);
    thrust::device_vector<float> w(1000); b_thrust2<<<4, 256>>>(thrust::raw_pointer_cast(w.data())); thrust::device_vector<float> u(1024); g_thrust2<<<4, 256>>>(u.data().get());
    float *t1, *t2; CHECK(cudaMalloc(&t1, n * (n - 1) / 2 * sizeof(float))); CHECK(cudaMalloc(&t2, n * (n + 1) / 2 * sizeof(float))); b_tri<<<blocks, threads>>>(t1, n); g_tri<<<blocks, threads>>>(t2, n);
}

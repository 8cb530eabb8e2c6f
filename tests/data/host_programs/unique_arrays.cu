#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(EXIT_FAILURE); } } while (0)

template <typename T> constexpr T div_up(T a, T b) { return (a + b - 1) / b; }

__global__ void saxpy(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }
__global__ void scale(int n, float a, float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
__global__ void pick(float *x, int which) { x[threadIdx.x] = which; }

int main(int argc, char *argv[])
{
    const int count = 3;
    auto sizes = std::make_unique<int[]>(count);
    for (int i = 0; i < count; ++i) sizes[i] = 1000 << i;
    std::unique_ptr<float[]> h(new float[sizes[count - 1]]);
    for (int i = 0; i < sizes[count - 1]; ++i) h[i] = rand() / (float)RAND_MAX;
    float *x, *y;
    CHECK(cudaMalloc(&x, sizes[count - 1] * sizeof(float)));
    CHECK(cudaMalloc(&y, sizes[count - 1] * sizeof(float)));
    CHECK(cudaMemcpy(x, h.get(), sizes[count - 1] * sizeof(float), cudaMemcpyHostToDevice));
    const int limit = 128;
    for (int i = 0; i < count; ++i) {
        const int n = sizes[i];
        dim3 block{static_cast<unsigned>(std::min(n, limit))};
        dim3 grid{static_cast<unsigned>(div_up(n, limit))};
        auto begin = std::chrono::steady_clock::now();
        saxpy<<<grid, block>>>(n, 2.f, x, y);
        CHECK(cudaDeviceSynchronize());
        auto end = std::chrono::steady_clock::now();
        printf("%d: %f us\n", n, std::chrono::duration<double, std::micro>(end - begin).count());
    }
    std::unique_ptr<size_t[]> shapes{new size_t[2]{300, 700}};
    for (int k = 0; k < 2; k++) scale<<<(unsigned)std::max<size_t>(div_up<size_t>(shapes[k], 256), 2), 256>>>((int)shapes[k], 1.5f, x);
    std::shared_ptr<int> pickme = std::make_shared<int>(7);
    pick<<<dim3{2, 3}, dim3{*pickme, 2, 2}>>>(x, *pickme);
    *pickme += 2;
    pick<<<{4}, {96}>>>(x, *pickme);
    cudaFree(x); cudaFree(y);
    return 0;
}

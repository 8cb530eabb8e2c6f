#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace detail {
const int warp = 32;
int threads_for(int width) { return width >= 1024 ? 1024 : ((width + warp - 1) / warp) * warp; }
}
namespace ops {
__global__ void norm(const float *x, float *y, int width) { y[threadIdx.x] = x[width]; }
template <typename T> __global__ void softmax(const T *x, T *y, int rows, int width) { y[threadIdx.x] = x[width + rows]; }
void run_norm(const float *x, float *y, int rows, int width) { norm<<<rows, detail::threads_for(width), 4 * width>>>(x, y, width); }
}
int main()
{
    float *x, *y;
    cudaMalloc(&x, 1 << 22);
    cudaMalloc(&y, 1 << 22);
    int widths[] = {20, 768, 4000};
    for (int w : widths) {
        ops::run_norm(x, y, 64, w);
        ops::softmax<<<64 / 4, dim3(32, 4)>>>(x, y, 64, w);
    }
}

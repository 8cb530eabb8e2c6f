// origin: our own
// right: 16 sectors (channels 4 floats apart: y[i*4+c]): block 512
#include <torch/extension.h>
template <typename T> __global__ void spread(const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int c = 0; c < 4; ++c) y[4 * i + c] = x[i] * c;  // expect: KL201 16 sectors per request instead of 4
}
#define LAUNCH(KERNEL, N, ...) KERNEL<<<((N) + 511) / 512, 512>>>(__VA_ARGS__)
void run(const float *x, float *y, int n) { LAUNCH(spread<float>, n, x, y, n); }

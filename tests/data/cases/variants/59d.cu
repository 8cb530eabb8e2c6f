// origin: our own
// right: rows walked by neighbouring threads: 32 sectors instead of 4 (of 2 for halves), in nested dispatch macros
#include <torch/extension.h>
#include <ATen/Dispatch.h>
template <typename T, bool B> __global__ void colsum(const T *x, T *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    T s = B ? y[r] : T(0);
    for (int c = 0; c < cols; ++c) s += x[r * cols + c];  // expect: KL201 32 sectors per request instead of 2
    y[r] = s;
}
#define BOOL_SWITCH(COND, NAME, ...) [&] { if (COND) { constexpr bool NAME = true; return __VA_ARGS__(); } else { constexpr bool NAME = false; return __VA_ARGS__(); } }()
torch::Tensor f(torch::Tensor x, torch::Tensor y, bool add)
{
    const int rows = x.size(0), cols = x.size(1);
    const dim3 block(128);
    const dim3 grid((rows + block.x - 1) / block.x);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "colsum", [&] {
        BOOL_SWITCH(add, kAdd, [&] {
            colsum<scalar_t, kAdd><<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, cols);
        });
    });
    return y;
}

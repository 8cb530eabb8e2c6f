// origin: issue cases
// launch: block 256, grid (n + 255) / 256 with n a run-time value, hidden in a dispatch macro (below).
// right: y[i * 3 + c] stores are 12 bytes apart: 12 sectors per request (ideal 4); block 256 should be taken from the launch.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
template <typename scalar_t>
__global__ void to_rgb(const scalar_t *__restrict__ x, scalar_t *__restrict__ y, int64_t n)
{
    const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) {
#pragma unroll
        for (int c = 0; c < 3; c++) y[i * 3 + c] = x[i];  // expect: KL201 12 sectors per request instead of 4
    }
}
#define RUN(TENSOR, OUT)                                                                          \
    AT_DISPATCH_FLOATING_TYPES((TENSOR).scalar_type(), "to_rgb", [&] {                           \
        to_rgb<scalar_t>                                                                          \
            <<<((TENSOR).numel() + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(       \
                (TENSOR).data_ptr<scalar_t>(), (OUT).data_ptr<scalar_t>(), (TENSOR).numel());     \
        C10_CUDA_KERNEL_LAUNCH_CHECK();                                                           \
    })
void to_rgb_cuda(const at::Tensor &t, at::Tensor &o) { RUN(t, o); }

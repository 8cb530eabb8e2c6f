// origin: issue cases
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
template <typename scalar_t>
__global__ void lltm_kernel(const torch::PackedTensorAccessor32<scalar_t, 3, torch::RestrictPtrTraits> gates,
                            torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> out) {
  const int n = blockIdx.y;
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < gates.size(2)) out[n][c] = gates[n][0][c] * 2.0 + gates[n][1][c];  // expect: KL701 `2.0` promotes
}
template <typename scalar_t>
__global__ void col_sum(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t rows, int64_t cols) {
  int64_t r = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (r >= rows) return;
  scalar_t s = 0;
  for (int64_t c = 0; c < cols; ++c) s += x[r * cols + c];  // expect: KL201 32 sectors per request instead of 4
  y[r] = s;
}
torch::Tensor f(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  const int threads = 256;
  const int blocks = (x.size(0) + threads - 1) / threads;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", ([&] {
    col_sum<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(0), x.size(1));
    lltm_kernel<scalar_t><<<dim3(blocks, 4), threads>>>(x.packed_accessor32<scalar_t, 3, torch::RestrictPtrTraits>(), y.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
  }));
  return y;
}

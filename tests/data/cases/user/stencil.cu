// origin: issue cases
#include <cuda_runtime.h>

constexpr int BX = 16, BY = 16, R = 2;

// 5x5 box with halo in shared memory
__global__ void stencil2d(const float *in, float *out, int nx, int ny) {
  __shared__ float s[BY + 2 * R][BX + 2 * R];
  const int gx = blockIdx.x * BX + threadIdx.x;
  const int gy = blockIdx.y * BY + threadIdx.y;
  const int lx = threadIdx.x + R, ly = threadIdx.y + R;

  s[ly][lx] = in[gy * nx + gx];
  if (threadIdx.x < R) {
    s[ly][lx - R] = gx >= R ? in[gy * nx + gx - R] : 0.f;
    s[ly][lx + BX] = gx + BX < nx ? in[gy * nx + gx + BX] : 0.f;
  }
  if (threadIdx.y < R) {
    s[ly - R][lx] = gy >= R ? in[(gy - R) * nx + gx] : 0.f;
    s[ly + BY][lx] = gy + BY < ny ? in[(gy + BY) * nx + gx] : 0.f;
  }
  __syncthreads();

  if (gx < nx && gy < ny) {
    float acc = 0;
    for (int dy = -R; dy <= R; dy++)
      for (int dx = -R; dx <= R; dx++)
        acc += s[ly + dy][lx + dx];  // expect: KL101 2 wavefronts per request instead of 1
    out[gy * nx + gx] = acc / 25.0;
  }
}

// column-major thread mapping: x walks rows
__global__ void stencil2d_bad(const float *in, float *out, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;  // row!
  int j = blockIdx.y * blockDim.y + threadIdx.y;  // column
  if (i < 1 || j < 1 || i >= ny - 1 || j >= nx - 1) return;
  out[i * nx + j] = 0.25f * (in[(i - 1) * nx + j] + in[(i + 1) * nx + j] + in[i * nx + j - 1] + in[i * nx + j + 1]);  // expect: KL201 between 15 and 18 sectors per request instead of 4; KL201 between 15 and 18 sectors per request instead of 4; KL201 between 16.62 and 20 sectors per request instead of 4
}

void launch(const float *in, float *out, int nx, int ny, cudaStream_t st) {
  dim3 b(BX, BY), g((nx + BX - 1) / BX, (ny + BY - 1) / BY);
  stencil2d<<<g, b, 0, st>>>(in, out, nx, ny);
  stencil2d_bad<<<g, b, 0, st>>>(in, out, nx, ny);
}

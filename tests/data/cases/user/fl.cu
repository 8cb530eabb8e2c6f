// origin: issue cases
// the same kernel, three ways of launching
__global__ void st(const float *in, float *out, int nx, int ny) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < ny - 1 && j > 0 && j < nx - 1) out[i * nx + j] = in[i * nx + j];
}
void l(const float *in, float *out, int nx, int ny) { dim3 b(32, 8), g((ny + 31) / 32, (nx + 7) / 8); st<<<g, b>>>(in, out, nx, ny); }

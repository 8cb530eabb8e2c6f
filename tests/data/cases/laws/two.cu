// origin: issue cases
__global__ void k(float *c, int lda, int off) {
  c[threadIdx.y * lda + threadIdx.x + off] = 1.f;
}
__global__ void k2(float *c, const int *row, int n) {
  c[threadIdx.x * n + row[blockIdx.x]] = 1.f;
}
__global__ void k3(unsigned char *g, int pitch, int off) {
  extern __shared__ unsigned char s[];
  s[threadIdx.y * pitch + threadIdx.x + off] = 1;
  __syncthreads();
  g[threadIdx.x] = s[threadIdx.x];
}
__global__ void k4(short *g, int pitch, int off) {
  extern __shared__ short t[];
  t[threadIdx.y * pitch + threadIdx.x + off] = 1;
  __syncthreads();
  g[threadIdx.x] = t[threadIdx.x];
}

// origin: issue cases
__global__ void h(int *part, const int *d, int n) {
  __shared__ int s[256];
  for (int i = 0; i < 256; i += 64) s[threadIdx.x + i] = 0;
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += blockDim.x * gridDim.x) {
    int v = d[p];
    s[v & 255]++;
    s[(v >> 8) & 255]++;
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += 64) part[blockIdx.x * 256 + b] = s[b];
}

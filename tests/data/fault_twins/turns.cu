// kernlint: launch(grid=8, block=128, n=1024, steps=4)
__global__ void b_grid(float *a, float *b, int n, int steps) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int s = 0; s < steps; s++) { float *src = s & 1 ? b : a, *dst = s & 1 ? a : b; if (i > 0 && i < n - 1) dst[i] = 0.5f * (src[i - 1] + src[i + 1]); __syncthreads(); } }
// kernlint: launch(grid=8, block=128, n=1024)
__global__ void b_swap(float *a, float *b, int n, int steps) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int s = 0; s < steps; s++) { if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]); __syncthreads(); float *t = a; a = b; b = t; } }
// kernlint: launch(grid=8, block=128, n=1024)
__global__ void b_pair(float *a, float *b, int n, int steps) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int s = 0; s < steps; s++) { if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]); __syncthreads(); if (i < n) a[i] = b[i]; __syncthreads(); } }

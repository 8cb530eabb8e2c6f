// origin: our own
__constant__ float th[64];
__constant__ float w[64];
__global__ void search(const float *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; int k = 0; while (k < 63 && v > th[k]) k++; o[i] = k; }
__global__ void search2(const float *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; int k = 0; while (v > th[k]) k += 1; o[i] = w[k]; }  // expect: KL501 up to 32 different words
__global__ void bis(const float *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; int lo = 0, hi = 64; while (lo < hi) { int m = (lo + hi) / 2; if (v > th[m]) lo = m + 1; else hi = m; } o[i] = lo; }  // expect: KL501 up to 32 different words
__global__ void bc(const int *x, float *o) { int i = blockIdx.x * blockDim.x + threadIdx.x; int k = __shfl_sync(~0u, x[i], 0); o[i] = w[k & 63]; }
__global__ void rfl(const int *x, float *o, int n) { __shared__ int s[64]; int i = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x & 63] = x[i]; __syncthreads(); float t = 0; for (int j = 0; j < n; j++) t += w[s[j]]; o[i] = t; }
__global__ void flag(const int *x, float *o) { __shared__ int mx; int i = blockIdx.x * blockDim.x + threadIdx.x; if (threadIdx.x == 0) mx = 0; __syncthreads(); atomicMax(&mx, x[i]); __syncthreads(); o[i] = w[mx]; }
void go(const float *x, float *o, const int *q) { search<<<10, 256>>>(x, o); search2<<<10, 256>>>(x, o); bis<<<10, 256>>>(x, o); bc<<<10, 256>>>(q, o); rfl<<<10, 256>>>(q, o, 3); flag<<<10, 256>>>(q, o); }

// origin: our own
// question: result stored in each iteration; with __restrict__ on one of the pointers nvcc keeps it in a register
__global__ void a(int *y, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < n; j++) y[i] += x[j * 32 + i] > 0; }  // expect: KL210 at the same address
__global__ void b(float *y, const double *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < n; j++) y[i] += x[j * 32 + i]; }  // expect: KL210 at the same address
__global__ void c(float2 *y, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < n; j++) y[i].x += x[j * 32 + i]; }  // expect: KL206 8 sectors per request instead of 4; KL210 `y[i].x` is stored in every iteration at the same address
__global__ void d(float *y, const float *__restrict__ x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < n; j++) y[i] += x[j * 32 + i]; }
__global__ void e(float *__restrict__ y, const float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int j = 0; j < n; j++) y[i] += x[j * 32 + i]; }

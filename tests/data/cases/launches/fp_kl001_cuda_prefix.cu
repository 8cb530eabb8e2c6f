dim3 cuda_gridsize(size_t n);
__global__ void f(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void run(float *x, int n) { f<<<cuda_gridsize(n), 512>>>(x, n); }
// Origin: issue cases.

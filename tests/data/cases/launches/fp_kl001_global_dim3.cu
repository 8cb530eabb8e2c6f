dim3 block(256);
dim3 grid;
__global__ void k(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
int main() { int n = 1 << 20; float *p = nullptr; grid.x = n / block.x; k<<<grid, block>>>(p, n); }
// Origin: issue cases.

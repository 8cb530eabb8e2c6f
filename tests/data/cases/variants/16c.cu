// origin: our own  // expect: none
// right: nothing; exact big totals: 2^33 elements
__global__ void fill(double *p, unsigned long long n) { for (unsigned long long i = blockIdx.x * 1ull * blockDim.x + threadIdx.x; i < n; i += 1ull * gridDim.x * blockDim.x) p[i] = 1; }
int main() { unsigned long long n = 1ull << 33; double *p; cudaMalloc(&p, n * 8); fill<<<65535, 1024>>>(p, n); }

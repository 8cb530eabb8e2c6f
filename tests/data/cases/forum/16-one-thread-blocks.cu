// origin: our own
// question: kernel<<<N,1>>> slow. A: one thread per block: 31 of 32 lanes idle
__global__ void add(int *a, int *b, int *c) { c[blockIdx.x] = a[blockIdx.x] + b[blockIdx.x]; }  // expect: KL601 31 of 32 lanes
int main() { int *a, *b, *c; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); cudaMalloc(&c, 4096); add<<<1024, 1>>>(a, b, c); }

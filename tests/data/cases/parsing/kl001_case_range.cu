// origin: issue cases
__global__ void k(float *x) { x[threadIdx.x] = 1; }
void run(float *p, int n) { switch (n) { case 1 ... 16: k<<<1, 32>>>(p); break; default: k<<<1, 64>>>(p); } }

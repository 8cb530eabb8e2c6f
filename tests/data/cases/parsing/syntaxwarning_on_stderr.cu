// origin: issue cases
#define N 4or 3
#define M 16in
__global__ void k(float *x) { x[threadIdx.x] = N; }

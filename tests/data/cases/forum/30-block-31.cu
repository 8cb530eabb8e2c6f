// origin: our own
// question: block of 1000 threads? 1000 = 31.25 warps: 24 idle of 1024 (2.3%): fine. block 33: 31 of 64 idle
__global__ void k(float *x) { x[blockIdx.x * 33 + threadIdx.x] *= 2; }  // expect: KL601 31 of 64 lanes
__global__ void l(float *x) { x[blockIdx.x * 1000 + threadIdx.x] *= 2; }
void go(float *x) { k<<<100, 33>>>(x); l<<<100, 1000>>>(x); }

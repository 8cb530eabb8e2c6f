// origin: our own
// right: error (switch case)
__global__ void roles(float *g)
{
    __shared__ float buf[96];
    switch (threadIdx.x % 3) {  // expect: KL303 12 of 12 evaluations
    case 0: buf[threadIdx.x] = g[threadIdx.x]; __syncthreads(); break;  // expect: KL401 not reached by
    case 1: buf[threadIdx.x] = 0; __syncthreads(); break;
    default: break;
    }
    g[threadIdx.x] = buf[95 - threadIdx.x];
}
void go(float *g) { roles<<<4, 96>>>(g); }

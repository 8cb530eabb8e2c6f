// origin: our own
// question: hangs when n is not multiple of block: __syncthreads in grid-stride loop. A: KL401 (may)
__global__ void acc(const float *x, float *o, int n)
{
    __shared__ float s[256];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        s[threadIdx.x] = x[i];
        __syncthreads();  // expect: KL401 not reached by
        o[i] = s[255 - threadIdx.x];
        __syncthreads();
    }
}
int main() { float *x, *o; cudaMalloc(&x, 4000); cudaMalloc(&o, 4000); acc<<<1, 256>>>(x, o, 1000); }

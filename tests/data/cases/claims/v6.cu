// origin: issue cases
__global__ void k(float *o, const float *q)
{
    __shared__ float s[128];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    if (1 > threadIdx.x)
        s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 1];
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x ^ 5];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q); }

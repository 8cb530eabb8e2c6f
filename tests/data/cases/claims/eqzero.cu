// origin: issue cases
__global__ void k(float *o, const float *q)
{
    __shared__ float s[128];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x;
    if (t == 0)
        o[blockIdx.x] = s[t] + s[t + 1] + s[t + 2] + s[t + 3];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q); }

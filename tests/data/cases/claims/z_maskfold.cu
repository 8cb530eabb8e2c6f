// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[1024];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x;
    o[t] = s[t & 1023] * s[t];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

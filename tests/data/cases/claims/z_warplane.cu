// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[1024];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x;
    int w = t >> 5, l = t & 31; o[t] = s[w * 64 + l * 2] * s[w * 64 + l * 2 + 1];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

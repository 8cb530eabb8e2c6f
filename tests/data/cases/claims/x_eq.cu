// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x, b = threadIdx.y + a;
    if (t == b)
        o[t] = s[2 * t] + s[2 * b + 1];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[1024];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x;
    int r = t / 4, c = t % 4 * 4; o[t] = s[r * 16 + c] * s[r * 16 + c + 1] * s[r * 16 + c + 2] * s[r * 16 + c + 3];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

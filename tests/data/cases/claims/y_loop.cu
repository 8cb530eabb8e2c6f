// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[1024];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x;
    float x = 0; for (int c = 2 * t; c < n; c += 64) x += s[c] + s[c + 1]; o[t] = x;
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

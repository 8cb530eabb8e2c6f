// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[1024];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x;
    int c[4]; for (int k = 0; k < 4; k++) c[k] = 4 * t + k; o[t] = s[c[0]] * s[c[1]] * s[c[2]] * s[c[3]];
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

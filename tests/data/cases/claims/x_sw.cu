// origin: issue cases
__global__ void k(float *o, const float *q, int a, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = q[threadIdx.x];
    __syncthreads();
    int t = threadIdx.x, b = threadIdx.y + a;
    switch (t) {
    case 0: o[0] = s[t] + s[t + 1]; break;
    case 4: o[1] = s[t] * s[t + 1] * s[t + 2]; break; }
}
int main() { float *o, *q; cudaMalloc(&o, 512); cudaMalloc(&q, 512); k<<<1, 128>>>(o, q, 3, 7); }

// origin: our own
// right: KL401 may: while loop until own convergence, barrier inside
__global__ void iterate(float *v, float eps)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    float x = v[blockIdx.x * 128 + t], d = 1;
    while (fabsf(d) > eps) {
        s[t] = x;
        __syncthreads();  // expect: KL401 may not be reached
        d = 0.5f * (s[(t + 1) & 127] - x);
        x += d;
        __syncthreads();
    }
    v[blockIdx.x * 128 + t] = x;
}
void go(float *v) { iterate<<<10, 128>>>(v, 1e-4f); }

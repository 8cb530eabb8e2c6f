struct Handle;
int vendor(Handle *h, int n, const float *alpha, float *p);
__global__ void first(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }
__global__ void second(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 2; }
void run_vendor(Handle *h, int n, float alpha, float *p) { vendor(h, n, &alpha, p); }
void run_first(int n, float *p) { dim3 block(64); first<<<n / 64, block>>>(p, n); }
void run_second(int n, float *p) { dim3 block(128); second<<<n / 128, block>>>(p, n); }
void run(int which, Handle *h, int n, float alpha, float *p)
{
    switch (which) {
    case 0: run_vendor(h, n, alpha, p); break;
    case 1: run_first(n, p); break;
    case 2: run_second(n, p); break;
    }
}
// Origin: issue cases.

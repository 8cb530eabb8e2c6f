// origin: issue cases
__global__ void plain(float *a, int n, int t)          // KL201 is told
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[n * i + t] = 0.f;
}
__global__ void sum_guard(float *a, int n, int t)      // same stride, guard is n - 1 - t
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1 - t) return;
    a[n * i + t] = 0.f;
}
__global__ void data_guard(float *a, const int *flag)  // whichever lanes take part: a sector each
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (flag[i]) a[91 * i] = 0.f;
}
__global__ void data_loop(float *a, const float *e)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (float x = e[i]; x > 1.f; x *= 0.5f) a[91 * i] += x;
}

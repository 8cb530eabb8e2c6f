// origin: issue cases  // expect: none
// launch: block 1024, grid 1024, N = 2^30 (host code below).
// right: 4 sectors per request for load and store, 33,554,432 requests each. Nothing to report.
#define N 1ULL * 1024 * 1024 * 1024
__global__ void move(const float *__restrict__ a, float *__restrict__ b)
{
    for (unsigned i = threadIdx.x + blockIdx.x * blockDim.x; i < N; i += blockDim.x * gridDim.x) b[i] = a[i];
}
void go(const float *a, float *b) { move<<<1024, 1024>>>(a, b); }

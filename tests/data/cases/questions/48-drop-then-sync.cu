// origin: issue cases
// launch: block 256, grid 1, n = 200 (host code below).
// right: threads 200-255 return before the barrier; later one more thread returns. The accepted answer: not safe. Should be told (at least as a note).
struct Arr { float *p; int n; };
__global__ void steps(Arr a)
{
    __shared__ float s[256];
    if (threadIdx.x >= a.n) return;
    s[threadIdx.x] = a.p[threadIdx.x];
    __syncthreads();
    if (threadIdx.x + 1 == a.n) return;
    float d = s[threadIdx.x + 1] - s[threadIdx.x];
    __syncthreads();  // expect: KL402 have returned between this barrier and an earlier one | guard the work
    a.p[threadIdx.x] = d;
}
void go(float *p) { Arr a; a.p = p; a.n = 200; steps<<<1, 256>>>(a); }

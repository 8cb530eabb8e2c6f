// origin: our own
// right: error: barrier under threadIdx.x & 1 in a loop
__global__ void oddeven(int *d)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = d[t];
    __syncthreads();
    for (int phase = 0; phase < 128; ++phase) {
        if ((t & 1) == (phase & 1) && t < 127) {  // expect: KL301 512 of 512 evaluations
            int a = s[t], b = s[t + 1];
            if (a > b) { s[t] = b; s[t + 1] = a; }
            __syncthreads();  // expect: KL401 not reached by
        }
    }
    d[t] = s[t];
}
int main() { int *d; cudaMalloc(&d, 512); oddeven<<<1, 128>>>(d); }

// Four elements per thread: neighbouring elements for one thread, or for neighbouring threads.

// Bad: a request touches 16 sectors, and a warp needs four such requests for the same bytes.
// kernlint: launch(grid=1024, block=256, n=1<<20)
__global__ void copy_by_thread(float *out, const float *in, int n)
{
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int k = 0; k < 4; k++)
        if (first + k < n) out[first + k] = in[first + k];
}

// Good: in each step the threads of the whole grid take neighbouring elements.
// kernlint: launch(grid=1024, block=256, n=1<<20)
__global__ void copy_by_step(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

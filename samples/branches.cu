// Two kinds of work in one kernel: split inside each warp, or between warps.

__device__ float polish(float v) { return sqrtf(fabsf(v) + 1.0f); }
__device__ float grind(float v) { return expf(-v * v); }

// Bad: even and odd lanes of every warp disagree.
// kernlint: launch(grid=1024, block=256)
__global__ void by_lane(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0)
        x[i] = polish(x[i]);
    else
        x[i] = grind(x[i]);
}

// Good: whole warps take one side.
// kernlint: launch(grid=1024, block=256)
__global__ void by_warp(float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x / 32 % 2 == 0)
        x[i] = polish(x[i]);
    else
        x[i] = grind(x[i]);
}

// Wrong: threads below 128 wait at a barrier that the others never reach.
// kernlint: launch(grid=1024, block=256)
__global__ void half_a_barrier(float *x)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    if (t < 128) {
        __syncthreads();
        x[blockIdx.x * 256 + t] = s[255 - t];
    }
}

// Right: all threads wait, then half of them work.
// kernlint: launch(grid=1024, block=256)
__global__ void whole_barrier(float *x)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 256 + t];
    __syncthreads();
    if (t < 128)
        x[blockIdx.x * 256 + t] = s[255 - t];
}

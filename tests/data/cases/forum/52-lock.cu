// origin: our own
// question: spin lock per thread hangs / slow: all lanes of a warp take the lock
__device__ int mutex;
__global__ void add(float *sum, const float *x)
{
    bool done = false;
    while (!done)
        if (atomicCAS(&mutex, 0, 1) == 0) { *sum += x[threadIdx.x]; __threadfence(); atomicExch(&mutex, 0); done = true; }  // expect: KL208 up to 32 serial updates per request instead of 1
}
void go(float *s, const float *x) { add<<<32, 256>>>(s, x); }

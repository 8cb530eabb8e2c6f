// origin: own
// Offsets worked out before a loop of unknown length, which leaves them alone, and such that it changes.
template <int threads, int TK> __global__ void k(const int4 *A, int4 *o, int prob_m, int prob_k, int n)
{
    extern __shared__ int4 sh[];
    constexpr int stride = 16 * TK / 8, delta = stride * (threads / stride), iters = (stride * 16 + delta - 1) / delta;
    const int at = stride * (threadIdx.x / stride) + threadIdx.x % stride;
    bool pred[iters];
    for (int i = 0; i < iters; i++) pred[i] = delta * i + at < stride * prob_m;
    auto transform = [&](int i) { int row = i / stride; return stride * row + (i % stride) ^ row; };
    int trans[iters];
    for (int i = 0; i < iters; i++) trans[i] = transform(delta * i + at);
    auto fetch = [&](int pipe, bool p) {
        if (p)
            for (int i = 0; i < iters; i++) if (pred[i]) sh[stride * 16 * pipe + trans[i]] = A[i * threads + threadIdx.x];  //= all: shared store w=4
    };
    for (int it = 0; it < n; it++)
        for (int pipe = 0; pipe < 4; pipe++) { fetch(pipe, it + pipe < prob_k); __syncthreads(); }
    o[threadIdx.x] = sh[threadIdx.x];    //= all: shared load w=4
}
__global__ void changed(float *o, int n, int m)
{
    __shared__ float s[4096];
    int offsets[2] = {int(threadIdx.x), int(threadIdx.x) * 2}, fixed[2] = {int(threadIdx.x) * 4, 0};
    for (int i = 0; i < n; i++) {
        s[offsets[0]] = i;               //= all: shared store w=1
        s[fixed[0]] = i;                 //= all: shared store w=4
        offsets[i & 1] += m;
    }
    o[threadIdx.x] = s[0];
}
__global__ void escaped(float *o, int n, int m)
{
    __shared__ float s[4096];
    int offsets[2] = {int(threadIdx.x), int(threadIdx.x) * 2};
    int *p = offsets + (n > 4);
    for (int i = 0; i < n; i++) {
        s[offsets[0]] = i;               //= all: shared store w=1
        *p += i * m;
    }
    o[threadIdx.x] = s[0];
}
void go(const int4 *A, int4 *o, int m, int kk, int n)
{
    k<256, 8><<<132, 256, 65536>>>(A, o, m, kk, n);
    changed<<<1, 32>>>((float *)o, n, m);
    escaped<<<1, 32>>>((float *)o, n, m);
}

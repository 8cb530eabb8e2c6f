#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <class T, unsigned BLOCK> __global__ void reduce(const T *in, T *out, unsigned n) { extern __shared__ float s[]; out[blockIdx.x] = in[threadIdx.x]; }
unsigned next_power(unsigned x) { --x; x |= x >> 1; x |= x >> 2; x |= x >> 4; x |= x >> 8; x |= x >> 16; return ++x; }
void shape(int n, int most_blocks, int most_threads, int &blocks, int &threads)
{
    threads = (n < most_threads * 2) ? next_power((n + 1) / 2) : most_threads;
    blocks = (n + (threads * 2 - 1)) / (threads * 2);
    blocks = blocks < most_blocks ? blocks : most_blocks;
}
template <class T> void launch(int n, int threads, int blocks, const T *in, T *out)
{
    dim3 block(threads, 1, 1), grid(blocks, 1, 1);
    int shared = threads <= 32 ? 2 * threads * sizeof(T) : threads * sizeof(T);
    switch (threads) {
    case 512: reduce<T, 512><<<grid, block, shared>>>(in, out, n); break;
    case 256: reduce<T, 256><<<grid, block, shared>>>(in, out, n); break;
    case 128: reduce<T, 128><<<grid, block, shared>>>(in, out, n); break;
    case 64: reduce<T, 64><<<grid, block, shared>>>(in, out, n); break;
    case 32: reduce<T, 32><<<grid, block, shared>>>(in, out, n); break;
    case 16: reduce<T, 16><<<grid, block, shared>>>(in, out, n); break;
    case 8: reduce<T, 8><<<grid, block, shared>>>(in, out, n); break;
    case 4: reduce<T, 4><<<grid, block, shared>>>(in, out, n); break;
    }
}
int main()
{
    int n = 1 << 18, blocks, threads;
    float *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    shape(n, 64, 256, blocks, threads);
    for (int i = 0; i < 10; ++i) launch<float>(n, threads, blocks, in, out);
    int s = blocks;
    while (s > 1) {
        shape(s, 64, 256, blocks, threads);
        launch<float>(s, threads, blocks, out, out);
        s = (s + (threads * 2 - 1)) / (threads * 2);
    }
}

#include "common.h"
// atomics, shuffles, votes, struct arguments, constants, templates, namespaces
__constant__ float weights[64];
__constant__ int order[32] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5};
struct View { const float *data; int rows, cols; long stride; };
struct Options { char on; short shift; int bias[3]; double scale; };
__global__ void views(View in, float *out, Options o) {
    int r = blockIdx.x, c = threadIdx.x;
    if (c < in.cols && r < in.rows) out[r * in.cols + c] = in.data[r * in.stride + c * o.shift + o.bias[1]] * (float)o.scale;
}
__global__ void constants(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i] * weights[i & 63] + in[order[i & 31] * 32 + i];
}
__global__ void atomics(int *bins, unsigned *maxima, float *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&bins[i % 10], 1);
    atomicMax(&maxima[i / 8], (unsigned)i);
    atomicAdd(&sums[i * 2], 1.0f);
    int old = atomicAdd(&bins[64 + i / 3], i);
    atomicExch(&bins[512 + i], old);
}
__global__ void shared_atomics(int *out, int n) {
    __shared__ int bins[32];
    __shared__ int top;
    int t = threadIdx.x;
    if (t < 32) bins[t] = 0;
    if (t == 0) top = 0;
    __syncthreads();
    atomicAdd(&bins[t % 7], t);
    atomicOr(&bins[t & 15], 1 << (t & 7));
    if (t < n) atomicAdd(&top, 1);
    __syncthreads();
    if (t < 32) out[blockIdx.x * 32 + t] = bins[t] + top;
}
__global__ void shuffled(const float *in, float *out) {
    int t = threadIdx.x;
    int index = __shfl_sync(~0u, t * 3, (t + 5) & 31);
    int up = __shfl_up_sync(~0u, index, 2), down = __shfl_down_sync(~0u, index, 3, 16);
    int x = __shfl_xor_sync(~0u, t, 9);
    out[t] = in[index] + in[up] + in[down] + in[x * 4];
}
__global__ void voted(const float *in, float *out, int n) {
    int t = threadIdx.x;
    unsigned m = __ballot_sync(~0u, t % 3 == 1);
    int rank = __popc(m & ((1u << (t & 31)) - 1)), first = __ffs(m) - 1;
    out[rank * 33 + first] = in[__clz(m >> (t & 31)) + t];
    if (__any_sync(~0u, t == n)) out[t + 200] = in[__brev(t) >> 27];
    if (__all_sync(~0u, t < n)) out[t + 300] = in[t * 5];
    int r = __reduce_add_sync(~0u, t & 7);
    out[400 + t] = in[r + t];
}
__global__ void matched(const float *in, float *out) {
    int t = threadIdx.x;
    unsigned peers = __match_any_sync(~0u, t / 3);
    out[t] = in[__popc(peers) * 64 + t];
}
template <int W, bool EDGE, typename T> __global__ void windowed(const T *in, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T v = 0;
#pragma unroll
    for (int k = -W; k <= W; k++) {
        int at = i + k;
        if (EDGE) at = at < 0 ? 0 : at >= n ? n - 1 : at;
        v += in[at];
    }
    if (i < n) out[i] = v;
}
namespace one { __global__ void scale(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; } }
namespace two { __global__ void scale(float *x, int n) { int i = threadIdx.x * 2; if (i < n) x[i] *= 2; } }
__global__ void headered(const float *in, float *out, int n) {
    out[threadIdx.x] = shared_header_sum(in + threadIdx.x / 32 * n, n, threadIdx.x & 31);
}
int main() {
    float *f = fill<float>(1 << 16, 1000), *o = room<float>(1 << 16);
    int *h = room<int>(1 << 14);
    View v = {f, 5, 40, 100};
    Options p = {1, 2, {4, 5, 6}, 2.0};
    views<<<6, 64>>>(v, o, p);
    constants<<<1, 64>>>(f, o);
    atomics<<<3, 64>>>(h, (unsigned *)room<int>(1024), o, 180);
    shared_atomics<<<2, 96>>>(h, 50);
    shuffled<<<1, 64>>>(f, o);
    voted<<<1, 64>>>(f, o, 40);
    matched<<<1, 64>>>(f, o);
    windowed<2, true, float><<<2, 96>>>(f, o, 180);
    windowed<1, false, double><<<2, 96>>>(fill<double>(4096, 77), room<double>(4096), 150);
    one::scale<<<1, 64>>>(o, 50);
    two::scale<<<1, 64>>>(o, 50);
    headered<<<1, 96>>>(f, o, 70);
    return finish("warps");
}

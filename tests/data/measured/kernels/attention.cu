// Pieces of transformer inference: RMS norm with half2, rotary embedding, a small attention row, top-1 per row, int8 dequantise.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__inline__ __device__ float warpSum(float v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask, 32);
    return v;
}

__inline__ __device__ float blockSum(float v)
{
    static __shared__ float shared[32];
    int lane = threadIdx.x & 0x1f, wid = threadIdx.x >> 5;
    v = warpSum(v);
    if (lane == 0) shared[wid] = v;
    __syncthreads();
    v = threadIdx.x < (blockDim.x >> 5) ? shared[lane] : 0.f;
    v = warpSum(v);
    return v;
}

__global__ void rms_norm(const half2 *x, const half2 *gain, half2 *y, int pairs, float eps)
{
    __shared__ float scale;
    const half2 *row = x + blockIdx.x * pairs;
    float sum = 0.f;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __half22float2(row[i]);
        sum += v.x * v.x + v.y * v.y;
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) scale = rsqrtf(sum / (2 * pairs) + eps);
    __syncthreads();
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __half22float2(row[i]), g = __half22float2(gain[i]);
        y[blockIdx.x * pairs + i] = __floats2half2_rn(v.x * scale * g.x, v.y * scale * g.y);
    }
}

__global__ void rotary(float *q, const float *cosines, const float *sines, int heads, int dim)
{
    const int token = blockIdx.x;
    const int half_dim = dim / 2;
    for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
        const int head = i / half_dim, off = i % half_dim;
        float *p = q + (token * heads + head) * dim;
        const float c = cosines[token * half_dim + off], s = sines[token * half_dim + off];
        const float a = p[off], b = p[off + half_dim];
        p[off] = a * c - b * s;
        p[off + half_dim] = b * c + a * s;
    }
}

template <int D>
__global__ void attend(const float *q, const float *k, const float *v, float *out, int len)
{
    __shared__ float query[D];
    __shared__ float logits[256];
    __shared__ float total;
    const int head = blockIdx.x;
    if (threadIdx.x < D) query[threadIdx.x] = q[head * D + threadIdx.x];
    __syncthreads();
    float mine = 0.f;
    for (int t = threadIdx.x; t < len; t += blockDim.x) {
        float dot = 0.f;
        const float *key = k + (head * len + t) * D;
#pragma unroll 4
        for (int d = 0; d < D; ++d) dot += query[d] * key[d];
        logits[t] = __expf(dot);
        mine += logits[t];
    }
    mine = blockSum(mine);
    if (threadIdx.x == 0) total = mine;
    __syncthreads();
    for (int d = threadIdx.x; d < D; d += blockDim.x) {
        float acc = 0.f;
        for (int t = 0; t < len; ++t) acc += logits[t] * v[(head * len + t) * D + d];
        out[head * D + d] = acc / total;
    }
}

__global__ void dequantise(const int8_t *w, const float *scales, float *out, int cols)
{
    int row = blockIdx.y;
    int c = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (c < cols) {
        char4 packed = *reinterpret_cast<const char4 *>(w + row * cols + c);
        float s = scales[row * (cols / 32) + c / 32];
        float4 r = make_float4(packed.x * s, packed.y * s, packed.z * s, packed.w * s);
        *reinterpret_cast<float4 *>(out + row * cols + c) = r;
    }
}

__global__ void argmax_rows(const float *x, int *best, int cols)
{
    __shared__ float value[128];
    __shared__ int index[128];
    int t = threadIdx.x;
    const float *row = x + blockIdx.x * cols;
    float v = -1e30f;
    int at = 0;
    for (int i = t; i < cols; i += 128)
        if (row[i] > v) { v = row[i]; at = i; }
    value[t] = v;
    index[t] = at;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s && value[t + s] > value[t]) {
            value[t] = value[t + s];
            index[t] = index[t + s];
        }
        __syncthreads();
    }
    if (t == 0) best[blockIdx.x] = index[0];
}

int main()
{
    const int tokens = 64, heads = 16, dim = 64, len = 200, cols = 1024;
    half2 *h, *g, *y;
    float *q, *c, *s, *k, *v, *o, *scales;
    int8_t *w;
    int *best;
    cudaMalloc(&h, tokens * 512 * sizeof(half2));
    cudaMalloc(&g, 512 * sizeof(half2));
    cudaMalloc(&y, tokens * 512 * sizeof(half2));
    cudaMalloc(&q, tokens * heads * dim * sizeof(float));
    cudaMalloc(&c, tokens * dim * sizeof(float));
    cudaMalloc(&s, tokens * dim * sizeof(float));
    cudaMalloc(&k, heads * len * dim * sizeof(float));
    cudaMalloc(&v, heads * len * dim * sizeof(float));
    cudaMalloc(&o, tokens * cols * sizeof(float));
    cudaMalloc(&w, tokens * cols);
    cudaMalloc(&scales, tokens * cols / 32 * sizeof(float));
    cudaMalloc(&best, tokens * sizeof(int));
    cudaMemset(q, 0, tokens * heads * dim * sizeof(float));
    cudaMemset(k, 0, heads * len * dim * sizeof(float));
    cudaMemset(o, 0, tokens * cols * sizeof(float));
    rms_norm<<<tokens, 256>>>(h, g, y, 512, 1e-5f);
    rotary<<<tokens, 256>>>(q, c, s, heads, dim);
    attend<64><<<heads, 128>>>(q, k, v, o, len);
    dequantise<<<dim3((cols / 4 + 127) / 128, tokens), 128>>>(w, scales, o, cols);
    argmax_rows<<<tokens, 128>>>(o, best, cols);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

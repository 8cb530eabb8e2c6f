#include <cfloat>
#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
template <int BLOCK> __device__ float block_sum(float v) {
    __shared__ float part[BLOCK / 32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    __syncthreads();
    if (lane == 0) part[warp] = v;
    __syncthreads();
    float total = 0;
    for (int w = 0; w < BLOCK / 32; w++) total += part[w];
    return total;
}
__device__ __forceinline__ float gelu_tanh(float x) {
    return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

template <int BLOCK>
__global__ void layer_norm(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta, float *__restrict__ y, int hidden, float eps) {
    const float *row = x + blockIdx.x * hidden;
    float s = 0;
    for (int c = threadIdx.x; c < hidden; c += BLOCK) s += row[c];
    float mean = block_sum<BLOCK>(s) / hidden;
    float q = 0;
    for (int c = threadIdx.x; c < hidden; c += BLOCK) { float d = row[c] - mean; q += d * d; }
    float inv = rsqrtf(block_sum<BLOCK>(q) / hidden + eps);
    for (int c = threadIdx.x; c < hidden; c += BLOCK) y[blockIdx.x * hidden + c] = (row[c] - mean) * inv * gamma[c] + beta[c];
}
__global__ void rms_norm_residual(const float4 *__restrict__ x, float4 *__restrict__ residual, const float4 *__restrict__ w, float4 *__restrict__ y, int rows, int quads) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float4 *px = x + row * quads;
    float4 *pr = residual + row * quads;
    float ss = 0;
    for (int c = threadIdx.x; c < quads; c += 32) {
        float4 v = px[c], r = pr[c];
        v.x += r.x; v.y += r.y; v.z += r.z; v.w += r.w;
        pr[c] = v;
        ss += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float inv = rsqrtf(warp_sum(ss) / (4 * quads) + 1e-6f);
    for (int c = threadIdx.x; c < quads; c += 32) {
        float4 v = pr[c], g = w[c];
        y[row * quads + c] = make_float4(v.x * inv * g.x, v.y * inv * g.y, v.z * inv * g.z, v.w * inv * g.w);
    }
}
__global__ void softmax_online(const float *in, float *out, int cols) {
    __shared__ float2 s[64];
    int t = threadIdx.x;
    float m = -FLT_MAX, d = 0;
    for (int c = t; c < cols; c += 64) {
        float v = in[blockIdx.x * cols + c], n = fmaxf(m, v);
        d = d * __expf(m - n) + __expf(v - n);
        m = n;
    }
    s[t] = make_float2(m, d);
    __syncthreads();
    for (int w = 32; w > 0; w >>= 1) {
        if (t < w) {
            float2 a = s[t], b = s[t + w];
            float n = fmaxf(a.x, b.x);
            s[t] = make_float2(n, a.y * __expf(a.x - n) + b.y * __expf(b.x - n));
        }
        __syncthreads();
    }
    float2 all = s[0];
    for (int c = t; c < cols; c += 64) out[blockIdx.x * cols + c] = __expf(in[blockIdx.x * cols + c] - all.x) / all.y;
}
__global__ void softmax_causal(const __half *scores, __half *probs, int seq, float scale) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= seq) return;
    const __half *p = scores + ((size_t)blockIdx.x * seq + row) * seq;
    __half *q = probs + ((size_t)blockIdx.x * seq + row) * seq;
    float m = -FLT_MAX, sum = 0;
    for (int c = threadIdx.x; c <= row; c += 32) m = fmaxf(m, scale * __half2float(p[c]));
    m = warp_max(m);
    for (int c = threadIdx.x; c <= row; c += 32) sum += __expf(scale * __half2float(p[c]) - m);
    sum = warp_sum(sum);
    for (int c = threadIdx.x; c < seq; c += 32) q[c] = c <= row ? __float2half(__expf(scale * __half2float(p[c]) - m) / sum) : __half(0.0f);
}
template <int N> __global__ void log_softmax_classes(const float *in, float *out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float v[N], m = -FLT_MAX, s = 0;
#pragma unroll
    for (int k = 0; k < N; k++) { v[k] = in[r * N + k]; m = fmaxf(m, v[k]); }
#pragma unroll
    for (int k = 0; k < N; k++) s += expf(v[k] - m);
    float lse = m + logf(s);
#pragma unroll
    for (int k = 0; k < N; k++) out[r * N + k] = v[k] - lse;
}
__global__ void rope_interleaved(__half2 *x, const float2 *table, const int *pos, int heads) {
    int token = blockIdx.x, pair = threadIdx.x;
    float2 cs = table[pos[token] * 32 + pair];
    for (int h = threadIdx.y; h < heads; h += blockDim.y) {
        __half2 *p = x + (token * heads + h) * 32 + pair;
        float2 v = __half22float2(*p);
        *p = __floats2half2_rn(v.x * cs.x - v.y * cs.y, v.x * cs.y + v.y * cs.x);
    }
}
__global__ void rope_split(float *__restrict__ x, const float *__restrict__ cosines, const float *__restrict__ sines, int dim) {
    int half = dim / 2, d = threadIdx.x;
    if (d >= half) return;
    float *head = x + (blockIdx.y * gridDim.x + blockIdx.x) * dim;
    float c = cosines[blockIdx.x * half + d], s = sines[blockIdx.x * half + d];
    float a = head[d], b = head[d + half];
    head[d] = a * c - b * s;
    head[d + half] = b * c + a * s;
}
__global__ void top_k_rows(const float *in, float *values, int *indices, int cols, int k) {
    __shared__ float s[256];
    __shared__ float best[64];
    __shared__ int where[64];
    int t = threadIdx.x;
    for (int c = t; c < 256; c += 64) s[c] = c < cols ? in[blockIdx.x * cols + c] : -FLT_MAX;
    __syncthreads();
    for (int j = 0; j < k; j++) {
        float b = s[t];
        int at = t;
        for (int c = t + 64; c < 256; c += 64)
            if (s[c] > b) { b = s[c]; at = c; }
        best[t] = b;
        where[t] = at;
        __syncthreads();
        for (int w = 32; w > 0; w /= 2) {
            if (t < w && best[t + w] > best[t]) { best[t] = best[t + w]; where[t] = where[t + w]; }
            __syncthreads();
        }
        if (t == 0) {
            values[blockIdx.x * k + j] = best[0];
            indices[blockIdx.x * k + j] = where[0];
            s[where[0]] = -FLT_MAX;
        }
        __syncthreads();
    }
}
__global__ void cross_entropy(const float *logits, const int *labels, float *loss, float *grad, int classes, int ignore, float smooth) {
    int row = blockIdx.x, label = labels[row];
    const float *p = logits + row * classes;
    float m = -FLT_MAX, e = 0, plain = 0;
    if (label == ignore) {
        for (int c = threadIdx.x; c < classes; c += 32) grad[row * classes + c] = 0.0f;
        return;
    }
    for (int c = threadIdx.x; c < classes; c += 32) m = fmaxf(m, p[c]);
    m = warp_max(m);
    for (int c = threadIdx.x; c < classes; c += 32) { e += __expf(p[c] - m); plain += p[c]; }
    float lse = m + __logf(warp_sum(e));
    plain = warp_sum(plain);
    if (threadIdx.x == 0) loss[row] = lse - (1 - smooth) * p[label] - smooth * plain / classes;
    for (int c = threadIdx.x; c < classes; c += 32)
        grad[row * classes + c] = __expf(p[c] - lse) - smooth / classes - (c == label ? 1 - smooth : 0.0f);
}
__device__ uint4 philox(uint4 c, uint2 k) {
    for (int r = 0; r < 7; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    return c;
}
__global__ void dropout_philox(const float4 *in, float4 *out, uchar4 *mask, int quads, float keep, unsigned seed) {
    unsigned limit = (unsigned)(keep * 4294967040.0f);
    float scale = 1 / keep;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uint4 r = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 42));
        float4 v = in[i];
        uchar4 m = make_uchar4(r.x < limit, r.y < limit, r.z < limit, r.w < limit);
        out[i] = make_float4(v.x * m.x * scale, v.y * m.y * scale, v.z * m.z * scale, v.w * m.w * scale);
        mask[i] = m;
    }
}
__global__ void embedding_gather(const float4 *table, const int *ids, float4 *out, int tokens) {
    int token = blockIdx.x * blockDim.y + threadIdx.y;
    if (token < tokens) out[token * blockDim.x + threadIdx.x] = table[ids[token] * blockDim.x + threadIdx.x];
}
__global__ void embedding_scatter(const float *grad, const int *ids, float *table, int tokens, int dim, int padding) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < tokens * dim; i += blockDim.x * gridDim.x) {
        int token = i / dim, c = i - token * dim, id = ids[token];
        if (id != padding) atomicAdd(table + id * dim + c, grad[i]);
    }
}
__global__ void quantise_rows(const float4 *in, char4 *out, float *scales) {
    __shared__ float part[3];
    float4 v = in[blockIdx.x * 96 + threadIdx.x];
    float m = warp_max(fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
    __syncthreads();
    m = fmaxf(part[0], fmaxf(part[1], part[2])) + 1e-8f;
    float q = 127.0f / m;
    out[blockIdx.x * 96 + threadIdx.x] = make_char4(__float2int_rn(v.x * q), __float2int_rn(v.y * q), __float2int_rn(v.z * q), __float2int_rn(v.w * q));
    if (threadIdx.x == 0) scales[blockIdx.x] = m / 127.0f;
}
__global__ void dequant_int8_transposed(const signed char *w, const float *scale, __half *out, int k, int n) {
    __shared__ signed char tile[32][36];
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        int r = blockIdx.y * 32 + j;
        tile[j][threadIdx.x] = r < k && c < n ? w[r * n + c] : 0;
    }
    __syncthreads();
    int r = blockIdx.y * 32 + threadIdx.x;
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        int col = blockIdx.x * 32 + j;
        if (col < n && r < k) out[col * k + r] = __float2half(scale[col] * tile[threadIdx.x][j]);
    }
}
__global__ void dequant_int4(const unsigned *__restrict__ packed, const __half *__restrict__ scales, const unsigned char *__restrict__ zeros, __half *__restrict__ out, int rows, int words, int group) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * words) return;
    int row = i / words, word = i % words, n = words * 8, g = row / group;
    unsigned p = packed[i];
    __align__(16) __half2 v[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int at = g * n + word * 8 + 2 * j;
        float lo = int(p >> (8 * j) & 15) - zeros[at], hi = int(p >> (8 * j + 4) & 15) - zeros[at + 1];
        __half2 s = *reinterpret_cast<const __half2 *>(scales + at);
        v[j] = __hmul2(s, __floats2half2_rn(lo, hi));
    }
    *reinterpret_cast<uint4 *>(out + row * n + word * 8) = *reinterpret_cast<uint4 *>(v);
}
__global__ void bias_gelu_residual(const __half2 *x, const __half2 *bias, const __half2 *residual, __half2 *y, int n, int pairs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 v = __half22float2(__hadd2(x[i], bias[i % pairs]));
    y[i] = __hadd2(__floats2half2_rn(gelu_tanh(v.x), gelu_tanh(v.y)), residual[i]);
}
__global__ void swiglu(const __nv_bfloat162 *gate_up, __nv_bfloat162 *out, int pairs) {
    const __nv_bfloat162 *gate = gate_up + blockIdx.x * 2 * pairs, *up = gate + pairs;
    for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
        float2 g = __bfloat1622float2(gate[c]), u = __bfloat1622float2(up[c]);
        out[blockIdx.x * pairs + c] = __floats2bfloat162_rn(g.x / (1 + __expf(-g.x)) * u.x, g.y / (1 + __expf(-g.y)) * u.y);
    }
}
__global__ void bias_grad(const float *dy, float *db, int rows, int cols) {
    __shared__ float tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    if (c < cols)
        for (int r = threadIdx.y; r < rows; r += 32) s += dy[r * cols + c];
    tile[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    s = warp_sum(tile[threadIdx.x][threadIdx.y]);
    if (threadIdx.x == 0 && blockIdx.x * 32 + threadIdx.y < cols) db[blockIdx.x * 32 + threadIdx.y] = s;
}

static float *floats(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<float> h(n);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = shift + scale * float((s >> 8) & 0xffff) / 65536.0f; }
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *narrow(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<T> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = T(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *ints(size_t n, unsigned modulus, unsigned step = 7, T first = 0) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++) h[i] = first + T((i * step) % modulus);
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}

int main() {
    layer_norm<128><<<24, 128>>>(floats(24 * 500), floats(500), floats(500), zeros<float>(24 * 500), 500, 1e-5f);
    rms_norm_residual<<<8, dim3(32, 4)>>>((float4 *)floats(30 * 288), (float4 *)floats(30 * 288), (float4 *)floats(288), (float4 *)zeros<float>(30 * 288), 30, 72);
    softmax_online<<<12, 64>>>(floats(12 * 333, 8, -4), zeros<float>(12 * 333), 333);
    softmax_causal<<<dim3(3, 19), dim3(32, 4)>>>(narrow<__half>(3 * 75 * 75, 4, -2), zeros<__half>(3 * 75 * 75), 75, 0.125f);
    log_softmax_classes<10><<<3, 128>>>(floats(300 * 10), zeros<float>(300 * 10), 300);
    rope_interleaved<<<20, dim3(32, 4)>>>((__half2 *)narrow<__half>(20 * 6 * 64), (float2 *)floats(64 * 64), ints<int>(20, 64, 3), 6);
    rope_split<<<dim3(18, 4), 64>>>(floats(18 * 4 * 80), floats(18 * 40), floats(18 * 40), 80);
    top_k_rows<<<9, 64>>>(floats(9 * 200), zeros<float>(9 * 5), zeros<int>(9 * 5), 200, 5);
    cross_entropy<<<40, 32>>>(floats(40 * 100, 6), ints<int>(40, 100), zeros<float>(40), zeros<float>(40 * 100), 100, 14, 0.1f);
    dropout_philox<<<4, 64>>>((float4 *)floats(2200), (float4 *)zeros<float>(2200), (uchar4 *)zeros<unsigned char>(2200), 550, 0.9f, 1234u);
    embedding_gather<<<8, dim3(24, 8)>>>((float4 *)floats(128 * 96), ints<int>(60, 128, 37), (float4 *)zeros<float>(60 * 96), 60);
    embedding_scatter<<<6, 256>>>(floats(60 * 50), ints<int>(60, 16, 5), zeros<float>(16 * 50), 60, 50, 0);
    quantise_rows<<<10, 96>>>((float4 *)floats(10 * 384, 2, -1), (char4 *)zeros<signed char>(10 * 384), zeros<float>(10));
    dequant_int8_transposed<<<dim3(4, 3), dim3(32, 8)>>>(ints<signed char>(80 * 100, 120), floats(100), zeros<__half>(80 * 100), 80, 100);
    dequant_int4<<<6, 128>>>(ints<unsigned>(64 * 12, 4000000007u, 2654435761u), narrow<__half>(2 * 96), ints<unsigned char>(2 * 96, 16), zeros<__half>(64 * 96), 64, 12, 32);
    bias_gelu_residual<<<7, 192>>>((__half2 *)narrow<__half>(2600, 4, -2), (__half2 *)narrow<__half>(100), (__half2 *)narrow<__half>(2600), (__half2 *)zeros<__half>(2600), 1300, 50);
    swiglu<<<15, 64>>>((__nv_bfloat162 *)narrow<__nv_bfloat16>(15 * 4 * 90, 4, -2), (__nv_bfloat162 *)zeros<__nv_bfloat16>(15 * 2 * 90), 90);
    bias_grad<<<3, dim3(32, 32)>>>(floats(70 * 90), zeros<float>(90), 70, 90);
    return finish("layers");
}

#include "common.h"
// predication, divergent loops, early exits, switch tables, calls
__global__ void predicated(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    if (i % 3 == 0) v = in[i];
    if (i % 5 < 2 && i < n) out[i] = v;
}
__global__ void triangular(const float *in, float *out, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;
    for (int c = 0; c <= row; c++) v += in[row * n + c];
    out[row] = v;
}
__global__ void collatz_like(const float *in, float *out, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i + 1, k = 0;
    float v = 0;
    while (x != 1 && k < steps) {
        v += in[x & 1023];
        x = x & 1 ? 3 * x + 1 : x / 2;
        k++;
    }
    out[i] = v;
}
__global__ void early(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if ((i & 7) == 5) return;
    out[i] = in[i];
    if (threadIdx.x > 40) return;
    __shared__ float s[64];
    s[threadIdx.x] = in[i + 1];
    out[i + n] = s[threadIdx.x];
}
__global__ void table(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = 0;
    switch (i % 9) {
    case 0: v = in[i]; break;
    case 1: v = in[i * 2] + 1; break;
    case 2: v = in[i + 64] * 5; break;
    case 3: v = in[0] - in[i]; break;
    case 4: v = in[i / 4] ^ 77; break;
    case 5: v = in[n - i] | 8; break;
    case 6: v = 3; break;
    case 7: v = in[i * 3 & 255] / 3; break;
    default: v = -1;
    }
    out[i] = v;
}
__device__ __noinline__ float pick(const float *p, int i, int stride) { return p[i * stride] + p[i]; }
__global__ void calls(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = pick(in, i, 2);
    if (i < n) v += pick(in, n - i, 1);
    out[i] = v;
}
__device__ __noinline__ int depth(const int *p, int i, int k) { return k == 0 ? p[i] : depth(p, i + k, k - 1) + 1; }
__global__ void recursion(const int *in, int *out, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = depth(in, i, k);
}
__global__ void breaks(const float *in, float *out, int n) {
    int t = threadIdx.x;
    float v = 0;
    for (int i = 0; i < n; i++) {
        if (i * 3 > t) break;
        v += in[i * 32 + t];
        if ((i + t) % 4 == 3) continue;
        v += in[i * 64 + 2 * t];
    }
    out[t] = v;
}
__global__ void nested(const float *in, float *out, int n) {
    int t = threadIdx.x;
    float v = 0;
    for (int i = t & 3; i < 6; i += 2)
        for (int j = 0; j < (t >> 3); j++) v += in[(i * 8 + j) * 32 + t];
    out[blockIdx.x * blockDim.x + t] = v + n;
}
__global__ void gotos(const float *in, float *out, int n) {
    int i = threadIdx.x, k = 0;
again:
    out[i + 64 * k] = in[i * 2 + k];
    k++;
    if (k < n && (i & 3) >= k) goto again;
    out[i + 1024] = k;
}
int main() {
    float *f = fill<float>(1 << 16, 1000), *o = room<float>(1 << 16);
    int *g = fill<int>(1 << 14, 501), *h = room<int>(1 << 14);
    predicated<<<4, 96>>>(f, o, 300);
    triangular<<<3, 48>>>(f, o, 150);
    collatz_like<<<2, 64>>>(f, o, 20);
    early<<<3, 64>>>(f, o, 170);
    table<<<2, 128>>>(g, h, 250);
    calls<<<2, 64>>>(f, o, 100);
    recursion<<<2, 64>>>(g, h, 5);
    breaks<<<1, 64>>>(f, o, 20);
    nested<<<2, 64>>>(f, o, 3);
    gotos<<<1, 64>>>(f, o, 4);
    return finish("flow");
}

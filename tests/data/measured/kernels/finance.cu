#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void csr_scalar(const int *row, const int *col, const float *val, const float *x, float *y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float s = 0;
        int end = row[r + 1];
        for (int e = row[r]; e < end; ++e) s += val[e] * x[col[e]];
        y[r] = s;
    }
}
__global__ void csr_vector(const int *__restrict__ row, const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *y, int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (warp >= n) return;
    float s = 0;
    for (int e = row[warp] + lane; e < row[warp + 1]; e += 32) s += val[e] * x[col[e]];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
    if (!lane) y[warp] = s;
}
__global__ void ell(const int *col, const float *val, const float *x, float *y, int n, int width) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    for (int k = 0; k < width; k++) {
        int c = col[k * n + r];
        if (c >= 0) s += val[k * n + r] * x[c];
    }
    y[r] = s;
}
__global__ void coo_atomic(const int *ri, const int *ci, const float *val, const float *x, float *y, int nnz) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < nnz) atomicAdd(y + ri[e], val[e] * x[ci[e]]);
}
__global__ void spmm(const int *row, const int *col, const float *val, const float *B, float *C, int n, int k) {
    int r = blockIdx.x, j = threadIdx.x;
    if (j >= k) return;
    float s = 0;
    for (int e = row[r]; e < row[r + 1]; e++) s += val[e] * B[col[e] * k + j];
    C[r * k + j] = s;
}
__global__ void black_scholes(const float *s, const float *k, const float *t, float *call, float *put, float r, float v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float st = sqrtf(t[i]), d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * st), d2 = d1 - v * st;
    float n1 = normcdff(d1), n2 = normcdff(d2), e = k[i] * expf(-r * t[i]);
    call[i] = s[i] * n1 - e * n2;
    put[i] = e * (1 - n2) - s[i] * (1 - n1);
}
__global__ void binomial(const float *spot, float *price, int steps, float u, float p) {
    __shared__ float v[129];
    int t = threadIdx.x;
    for (int i = t; i <= steps; i += blockDim.x) v[i] = fmaxf(spot[blockIdx.x] * __powf(u, 2 * i - steps) - 1.f, 0.f);
    __syncthreads();
    for (int s = steps; s > 0; s--) {
        float next;
        if (t < s) next = p * v[t + 1] + (1 - p) * v[t];
        __syncthreads();
        if (t < s) v[t] = next;
        __syncthreads();
    }
    if (t == 0) price[blockIdx.x] = v[0];
}
__global__ void sum_batches(const float *in, float *out, int batch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = in[i];
    for (int b = 1; b < batch; b++) s += in[b * n + i];
    out[i] = s / batch;
}
__global__ void strided_batch(const float *in, float *out, int n, int inner, int outer) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int a = i % inner, b = i / inner % outer, c = i / (inner * outer);
        out[(c * inner + a) * outer + b] = in[i];
    }
}
__global__ void moving_average(const double *in, double *out, int n, int window) {
    extern __shared__ double s[];
    int base = blockIdx.x * blockDim.x;
    for (int i = threadIdx.x; i < blockDim.x + window - 1 && base + i < n; i += blockDim.x) s[i] = in[base + i];
    __syncthreads();
    if (base + threadIdx.x + window > n) return;
    double m = 0;
    for (int k = 0; k < window; k++) m += s[threadIdx.x + k];
    out[base + threadIdx.x] = m / window;
}
__global__ void correlate(const short2 *iq, const short2 *ref, int2 *out, int n, int lags) {
    int lag = blockIdx.x;
    int re = 0, im = 0;
    for (int i = threadIdx.x; i + lag < n; i += blockDim.x) {
        short2 a = iq[i + lag], b = ref[i];
        re += a.x * b.x + a.y * b.y;
        im += a.y * b.x - a.x * b.y;
    }
    __shared__ int2 part[64];
    part[threadIdx.x] = make_int2(re, im);
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (threadIdx.x < d) {
            part[threadIdx.x].x += part[threadIdx.x + d].x;
            part[threadIdx.x].y += part[threadIdx.x + d].y;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[lag] = part[0];
}
__global__ void dft(const float2 *x, float2 *X, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float2 s = make_float2(0, 0);
    for (int j = 0; j < n; j++) {
        float sn, cs;
        __sincosf(-6.2831853f * k * j / n, &sn, &cs);
        s.x += x[j].x * cs - x[j].y * sn;
        s.y += x[j].x * sn + x[j].y * cs;
    }
    X[k] = s;
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
static __half *halves(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<__half> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = __float2half(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    __half *d;
    cudaMalloc(&d, n * sizeof(__half));
    cudaMemcpy(d, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
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
    csr_scalar<<<3, 64>>>(ints<int>(171, 100000, 4), ints<int>(680, 150, 7), floats(680), floats(150), zeros<float>(170), 170);
    csr_vector<<<6, 96>>>(ints<int>(18, 100000, 40), ints<int>(680, 150, 7), floats(680), floats(150), zeros<float>(17), 17);
    ell<<<3, 64>>>(ints<int>(170 * 5, 150, 7, -1), floats(850), floats(150), zeros<float>(170), 170, 5);
    coo_atomic<<<4, 96>>>(ints<int>(350, 60, 3), ints<int>(350, 150, 7), floats(350), floats(150), zeros<float>(60), 350);
    spmm<<<9, 64>>>(ints<int>(10, 1000, 6), ints<int>(60, 30, 7), floats(60), floats(30 * 50), zeros<float>(450), 9, 50);
    black_scholes<<<3, 96>>>(floats(260, 1, 1), floats(260, 1, 1), floats(260, 1, 1), zeros<float>(260), zeros<float>(260), 0.02f, 0.3f, 260);
    binomial<<<4, 128>>>(floats(4, 1, 1), zeros<float>(4), 100, 1.05f, 0.5f);
    sum_batches<<<3, 96>>>(floats(7 * 250), zeros<float>(250), 7, 250);
    strided_batch<<<4, 96>>>(floats(11 * 7 * 9), zeros<float>(693), 693, 11, 7);
    moving_average<<<4, 64, 80 * 8>>>((double *)floats(480), zeros<double>(240), 240, 9);
    correlate<<<5, 64>>>((short2 *)ints<short>(400, 100), (short2 *)ints<short>(400, 90), (int2 *)zeros<int>(10), 200, 5);
    dft<<<2, 64>>>((float2 *)floats(200), (float2 *)zeros<float>(200), 100);
    return finish("finance");
}

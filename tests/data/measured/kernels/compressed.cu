// Origin: written for kernlint.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cmath>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>


__global__ void csr_scalar(const int *__restrict__ start, const int *__restrict__ col, const float *__restrict__ val, const float *__restrict__ x, float *y, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float s = 0.f;
        for (int j = start[r]; j < start[r + 1]; j++) s += val[j] * x[col[j]];
        y[r] = s;
    }
}
template <int VEC>
__global__ void csr_vector(const int *start, const int *col, const float *val, const float *x, float *y, int rows) {
    int lane = threadIdx.x % VEC, r = (blockIdx.x * blockDim.x + threadIdx.x) / VEC;
    if (r >= rows) return;
    float s = 0.f;
    for (int j = start[r] + lane; j < start[r + 1]; j += VEC) s += val[j] * __ldg(&x[col[j]]);
#pragma unroll
    for (int d = VEC / 2; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d, VEC);
    if (lane == 0) y[r] = s;
}
__global__ void ell(const int *col, const double *val, const double *x, double *y, int rows, int width) {
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += blockDim.x * gridDim.x) {
        double s = 0;
        for (int j = 0; j < width; j++) {
            int c = col[j * rows + r];
            if (c >= 0) s += val[j * rows + r] * x[c];
        }
        y[r] = s;
    }
}
struct Slot { unsigned key; int value; };
__global__ void insert(const unsigned *keys, Slot *table, int *fails, int n, unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = (key * 2654435761u) & mask;
    for (int probe = 0; probe < 64; probe++) {
        unsigned old = atomicCAS(&table[at].key, 0u, key);
        if (old == 0u || old == key) {
            table[at].value = i;
            return;
        }
        at = (at + 1) & mask;
    }
    atomicAdd(fails, 1);
}
__global__ void lookup(const unsigned *keys, const Slot *table, int *out, int n, unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = (key * 2654435761u) & mask;
    int v = -1;
    while (true) {
        Slot s = table[at];
        if (s.key == key) { v = s.value; break; }
        if (s.key == 0u) break;
        at = (at + 1) & mask;
    }
    out[i] = v;
}
__global__ void bfs(const int *start, const int *edge, int *level, int *more, int rows, int now) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows || level[r] != now) return;
    for (int j = start[r]; j < start[r + 1]; ++j) {
        int to = edge[j];
        if (level[to] < 0) {
            level[to] = now + 1;
            *more = 1;
        }
    }
}
__global__ void coo(const int2 *at, const float *val, const float *x, float *y, int nnz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) {
        int2 rc = at[i];
        atomicAdd(y + rc.x, val[i] * x[rc.y]);
    }
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

    const int rows = 500;
    int *start = ints<int>(rows + 1, 1 << 20, 9), *col = ints<int>(rows * 9, 500, 53);
    float *val = floats(rows * 9), *x = floats(rows), *y = zeros<float>(rows);
    csr_scalar<<<4, 128>>>(start, col, val, x, y, rows);
    csr_vector<8><<<32, 128>>>(start, col, val, x, y, rows);
    csr_vector<32><<<125, 128>>>(start, col, val, x, y, rows);
    ell<<<3, 96>>>(col, zeros<double>(rows * 9), zeros<double>(rows), zeros<double>(rows), rows, 7);
    unsigned *keys = ints<unsigned>(600, 9973, 31, 1);
    Slot *table = zeros<Slot>(1024);
    int *out = zeros<int>(1024);
    insert<<<5, 128>>>(keys, table, out, 600, 1023);
    lookup<<<5, 128>>>(keys, table, out, 600, 1023);
    int *level = ints<int>(rows, 2, 1, -1);
    bfs<<<4, 128>>>(start, col, level, out, rows, 0);
    coo<<<7, 64>>>((const int2 *)col, val, x, y, 430);
    return finish("compressed");
}

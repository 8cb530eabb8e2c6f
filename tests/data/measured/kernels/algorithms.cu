#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define NUM_BANKS 32
#define LOG_BANKS 5
#define OFFSET(n) ((n) >> LOG_BANKS)
__global__ void blelloch(const int *in, int *out, int *sums) {
    __shared__ int temp[256 + 8];
    int t = threadIdx.x, base = blockIdx.x * 256;
    int ai = t, bi = t + 128;
    temp[ai + OFFSET(ai)] = in[base + ai];
    temp[bi + OFFSET(bi)] = in[base + bi];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            temp[b + OFFSET(b)] += temp[a + OFFSET(a)];
        }
        offset *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = temp[255 + OFFSET(255)];
        temp[255 + OFFSET(255)] = 0;
    }
    for (int d = 1; d < 256; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int x = temp[a + OFFSET(a)];
            temp[a + OFFSET(a)] = temp[b + OFFSET(b)];
            temp[b + OFFSET(b)] += x;
        }
    }
    __syncthreads();
    out[base + ai] = temp[ai + OFFSET(ai)];
    out[base + bi] = temp[bi + OFFSET(bi)];
}
__global__ void bitonic_shared(unsigned *keys, unsigned *values) {
    __shared__ unsigned k[128], v[128];
    unsigned t = threadIdx.x, base = blockIdx.x * 128;
    k[t] = keys[base + t];
    v[t] = values[base + t];
    k[t + 64] = keys[base + t + 64];
    v[t + 64] = values[base + t + 64];
    for (unsigned size = 2; size <= 128; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * t - (t & (stride - 1));
            bool up = (t & (size / 2)) == 0;
            if ((k[pos] > k[pos + stride]) == up) {
                unsigned a = k[pos]; k[pos] = k[pos + stride]; k[pos + stride] = a;
                a = v[pos]; v[pos] = v[pos + stride]; v[pos + stride] = a;
            }
        }
    __syncthreads();
    keys[base + t] = k[t];
    values[base + t] = v[t];
    keys[base + t + 64] = k[t + 64];
    values[base + t + 64] = v[t + 64];
}
__global__ void odd_even(int *data, int n) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    if (t < n) s[t] = data[blockIdx.x * n + t];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * t + (phase & 1);
        if (i + 1 < n && s[i] > s[i + 1]) {
            int x = s[i];
            s[i] = s[i + 1];
            s[i + 1] = x;
        }
        __syncthreads();
    }
    if (t < n) data[blockIdx.x * n + t] = s[t];
}
__global__ void radix_count(const unsigned *keys, unsigned *counts, int n, int shift) {
    __shared__ unsigned bins[4][16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < 16) bins[warp][lane] = 0;
    __syncwarp();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned digit = i < n ? (keys[i] >> shift) & 15 : 16;
    for (unsigned d = 0; d < 16; d++) {
        unsigned mask = __ballot_sync(~0u, digit == d);
        if (lane == d) bins[warp][d] += __popc(mask);
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[0][threadIdx.x] + bins[1][threadIdx.x] + bins[2][threadIdx.x] + bins[3][threadIdx.x];
}
__global__ void compact_positive(const int *in, int *out, int *count, int n) {
    __shared__ int base, totals[4];
    int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0;
    unsigned keep = __ballot_sync(~0u, v > 20);
    int rank = __popc(keep & ((1u << lane) - 1));
    if (lane == 0) totals[warp] = __popc(keep);
    __syncthreads();
    if (threadIdx.x == 0) {
        int s = 0;
        for (int w = 0; w < 4; w++) {
            int c = totals[w];
            totals[w] = s;
            s += c;
        }
        base = atomicAdd(count, s);
    }
    __syncthreads();
    if (v > 20) out[base + totals[warp] + rank] = v;
}
__global__ void hash_insert(const unsigned *keys, unsigned *table, int n, unsigned capacity) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i] + 1, slot = (key * 2654435761u) % capacity;
    while (true) {
        unsigned old = atomicCAS(&table[slot], 0u, key);
        if (old == 0 || old == key) break;
        slot = (slot + 1) % capacity;
    }
}
__global__ void bfs_step(const int *row, const int *col, int *level, int depth, int n, int *changed) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != depth) return;
    for (int e = row[v]; e < row[v + 1]; e++) {
        int u = col[e];
        if (level[u] < 0) {
            level[u] = depth + 1;
            *changed = 1;
        }
    }
}
__global__ void merge_sorted(const int *a, int na, const int *b, int nb, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na) return;
    int key = a[i], lo = 0, hi = nb;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (b[mid] < key) lo = mid + 1;
        else hi = mid;
    }
    out[i + lo] = key;
}
__global__ void floyd(int *dist, int n, int k) {
    __shared__ int via[16];
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    if (threadIdx.x == 0 && i < n) via[threadIdx.y] = dist[i * n + k];
    __syncthreads();
    if (i < n && j < n) {
        int d = via[threadIdx.y] + dist[k * n + j];
        if (d < dist[i * n + j]) dist[i * n + j] = d;
    }
}
__global__ void lcs_diagonal(const char *a, const char *b, const int *prev2, const int *prev, int *cur, int d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = d - i;
    if (i >= n || j < 0 || j >= n) return;
    int left = i > 0 ? prev[i - 1] : 0, up = j > 0 ? prev[i] : 0;
    int diag = i > 0 && j > 0 ? prev2[i - 1] : 0;
    cur[i] = a[i] == b[j] ? diag + 1 : max(left, up);
}
__global__ void popcount_rows(const uint4 *bits, int *counts, int words) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, c = 0;
    for (int w = threadIdx.x; w < words; w += 16) {
        uint4 b = bits[row * words + w];
        c += __popc(b.x) + __popc(b.y) + __popc(b.z) + __popc(b.w);
    }
    for (int d = 8; d; d >>= 1) c += __shfl_down_sync(~0u, c, d, 16);
    if (threadIdx.x == 0) counts[row] = c;
}
__global__ void life(const unsigned char *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) n += in[((y + dy + h) % h) * w + (x + dx + w) % w];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
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
    blelloch<<<3, 128>>>(ints<int>(768, 50), zeros<int>(768), zeros<int>(3));
    bitonic_shared<<<3, 64>>>(ints<unsigned>(384, 1009, 37), ints<unsigned>(384, 500));
    odd_even<<<2, 64, 100 * 4>>>(ints<int>(120, 61, 17), 60);
    radix_count<<<5, 128>>>(ints<unsigned>(600, 4096, 77), zeros<unsigned>(80), 600, 4);
    compact_positive<<<5, 128>>>(ints<int>(600, 41, 7), zeros<int>(600), zeros<int>(1), 600);
    hash_insert<<<4, 96>>>(ints<unsigned>(350, 300, 13), zeros<unsigned>(701), 350, 701);
    bfs_step<<<3, 96>>>(ints<int>(300, 100000, 3), ints<int>(900, 280, 11), ints<int>(300, 3, 1, -1), 0, 280, zeros<int>(1));
    merge_sorted<<<3, 64>>>(ints<int>(180, 1000000, 5), 180, ints<int>(150, 1000000, 6), 150, zeros<int>(400));
    floyd<<<dim3(3, 3), dim3(16, 16)>>>(ints<int>(42 * 42, 97, 13), 42, 5);
    lcs_diagonal<<<2, 64>>>(ints<char>(100, 4, 3), ints<char>(100, 4, 5), ints<int>(100, 9), ints<int>(100, 9), zeros<int>(100), 70, 100);
    popcount_rows<<<4, dim3(16, 4)>>>((uint4 *)ints<int>(16 * 25 * 4, 100000, 77), zeros<int>(16), 25);
    life<<<dim3(2, 6), dim3(32, 4)>>>(ints<unsigned char>(50 * 22, 2, 1), zeros<unsigned char>(50 * 22), 50, 22);
    return finish("algorithms");
}

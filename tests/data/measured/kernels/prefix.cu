// Scans and what is built on them: warp scan, two-level block scan, segmented sum, stream compaction.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        std::cerr << "GPUassert: " << cudaGetErrorString(code) << " " << file << " " << line << std::endl;
        if (abort) exit(code);
    }
}

#define FULL_MASK 0xffffffff
const int WARP_SIZE = 32;

template <class T>
__device__ T warp_inclusive(T x, int lane)
{
    #pragma unroll
    for (int d = 1; d < WARP_SIZE; d <<= 1) {
        T y = __shfl_up_sync(FULL_MASK, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

// every warp scans its own 32 elements
__global__ void scan_warps(const int *in, int *out, int n)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % WARP_SIZE;
    int x = (gid < n) ? in[gid] : 0;
    x = warp_inclusive(x, lane);
    if (gid < n) out[gid] = x;
}

// block scan with a scan of the warp totals; total of the block goes to sums
template <class T, int BLOCK>
__global__ void scan_blocks(const T *in, T *out, T *sums, int n)
{
    __shared__ T totals[BLOCK / WARP_SIZE];
    const int lane = threadIdx.x & (WARP_SIZE - 1);
    const int wid = threadIdx.x / WARP_SIZE;
    const int gid = blockIdx.x * BLOCK + threadIdx.x;
    T x = 0;
    if (gid < n) x = in[gid];
    x = warp_inclusive(x, lane);
    if (lane == WARP_SIZE - 1) totals[wid] = x;
    __syncthreads();
    if (wid == 0) {
        T t = lane < BLOCK / WARP_SIZE ? totals[lane] : T(0);
        t = warp_inclusive(t, lane);
        if (lane < BLOCK / WARP_SIZE) totals[lane] = t;
    }
    __syncthreads();
    if (wid > 0) x += totals[wid - 1];
    if (gid < n) out[gid] = x;
    if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = x;
}

__global__ void add_offsets(int *data, const int *sums, int n)
{
    if (blockIdx.x == 0) return;
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid < n) data[gid] += sums[blockIdx.x - 1];
}

// in-place scan in shared memory with conflict-free padding of one word in 32
#define CONFLICT_FREE_OFFSET(n) ((n) >> 5)
__global__ void scan_padded(float *g_data)
{
    __shared__ float temp[256 + (256 >> 5)];
    int thid = threadIdx.x;
    int ai = thid, bi = thid + 128;
    temp[ai + CONFLICT_FREE_OFFSET(ai)] = g_data[blockIdx.x * 256 + ai];
    temp[bi + CONFLICT_FREE_OFFSET(bi)] = g_data[blockIdx.x * 256 + bi];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int i = offset * (2 * thid + 1) - 1;
            int j = offset * (2 * thid + 2) - 1;
            i += CONFLICT_FREE_OFFSET(i);
            j += CONFLICT_FREE_OFFSET(j);
            temp[j] += temp[i];
        }
        offset *= 2;
    }
    if (thid == 0) temp[255 + CONFLICT_FREE_OFFSET(255)] = 0;
    for (int d = 1; d < 256; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int i = offset * (2 * thid + 1) - 1;
            int j = offset * (2 * thid + 2) - 1;
            i += CONFLICT_FREE_OFFSET(i);
            j += CONFLICT_FREE_OFFSET(j);
            float t = temp[i];
            temp[i] = temp[j];
            temp[j] += t;
        }
    }
    __syncthreads();
    g_data[blockIdx.x * 256 + ai] = temp[ai + CONFLICT_FREE_OFFSET(ai)];
    g_data[blockIdx.x * 256 + bi] = temp[bi + CONFLICT_FREE_OFFSET(bi)];
}

// keeps the multiples of three, block by block, through ballots
__global__ void compact_block(const int *in, int *out, int *kept, int n)
{
    __shared__ int base[8];
    const int gid = blockIdx.x * 256 + threadIdx.x;
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int v = gid < n ? in[gid] : 1;
    const bool keep = v % 3 == 0;
    const unsigned votes = __ballot_sync(FULL_MASK, keep);
    if (lane == 0) base[w] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        int run = 0;
        for (int i = 0; i < 8; i++) {
            int c = base[i];
            base[i] = run;
            run += c;
        }
        kept[blockIdx.x] = run;
    }
    __syncthreads();
    if (keep) out[blockIdx.x * 256 + base[w] + __popc(votes & ((1u << lane) - 1))] = v;
}

int main()
{
    const int n = 64 * 1024 - 77;
    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    std::vector<int> a(n), r(n);
    for (int i = 0; i < n; i++) a[i] = (i * 11) % 19;
    int *in, *out, *sums, *sums2;
    gpuErrchk(cudaMalloc(&in, n * sizeof(int)));
    gpuErrchk(cudaMalloc(&out, blocks * threads * sizeof(int)));
    gpuErrchk(cudaMalloc(&sums, 1024 * sizeof(int)));
    gpuErrchk(cudaMalloc(&sums2, 1024 * sizeof(int)));
    gpuErrchk(cudaMemcpy(in, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int errors = 0;

    scan_warps<<<blocks, threads>>>(in, out, n);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(r.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0, s = 0; i < n; i++) {
        s = i % 32 ? s + a[i] : a[i];
        errors += r[i] != s;
    }
    std::cout << "scan_warps " << errors << std::endl;

    scan_blocks<int, 256><<<blocks, 256>>>(in, out, sums, n);
    scan_blocks<int, 512><<<1, 512>>>(sums, sums, sums2, blocks);
    add_offsets<<<blocks, threads>>>(out, sums, n);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(r.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0, s = 0; i < n; i++) {
        s += a[i];
        bad += r[i] != s;
    }
    std::cout << "three kernels " << bad << std::endl;
    errors += bad;

    std::vector<float> f(256 * 50);
    for (size_t i = 0; i < f.size(); i++) f[i] = float(i % 5);
    float *fd;
    gpuErrchk(cudaMalloc(&fd, f.size() * sizeof(float)));
    gpuErrchk(cudaMemcpy(fd, f.data(), f.size() * sizeof(float), cudaMemcpyHostToDevice));
    scan_padded<<<50, 128>>>(fd);
    std::vector<float> fr(f.size());
    gpuErrchk(cudaMemcpy(fr.data(), fd, f.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bad = 0;
    float s = 0;
    for (size_t i = 0; i < f.size(); i++) {
        if (i % 256 == 0) s = 0;
        bad += fr[i] != s;
        s += f[i];
    }
    std::cout << "scan_padded " << bad << std::endl;
    errors += bad;

    compact_block<<<blocks, 256>>>(in, out, sums, n);
    gpuErrchk(cudaGetLastError());
    std::vector<int> kept(blocks), compacted(blocks * threads);
    gpuErrchk(cudaMemcpy(kept.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(compacted.data(), out, compacted.size() * sizeof(int), cudaMemcpyDeviceToHost));
    bad = 0;
    for (int b = 0; b < blocks; b++) {
        int k = 0;
        for (int i = b * 256; i < n && i < (b + 1) * 256; i++)
            if (a[i] % 3 == 0) bad += compacted[b * 256 + k++] != a[i];
        bad += k != kept[b];
    }
    std::cout << "compact_block " << bad << std::endl;
    errors += bad;
    std::cout << (errors ? "FAIL" : "OK") << std::endl;
    return errors != 0;
}

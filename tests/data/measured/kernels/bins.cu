// Counting: histograms with several privatisation strategies, and a counting of set bits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kBins = 64;
constexpr int kWarps = 6;
constexpr int kThreads = kWarps * 32;

void verify(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "CUDA failure: %s\n", cudaGetErrorString(status));
    std::abort();
  }
}

__device__ __forceinline__ unsigned binOf(unsigned char v) { return v >> 2; }

__global__ void globalBins(const unsigned char* data, unsigned* bins, size_t n) {
  size_t stride = static_cast<size_t>(blockDim.x) * gridDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(bins + binOf(data[i]), 1u);
}

// A sub-histogram for every warp, merged at the end.
__global__ void warpBins(const uchar4* data, unsigned* bins, int n4) {
  __shared__ unsigned sub[kWarps][kBins];
  const int warp = threadIdx.x / 32;
  for (int b = threadIdx.x; b < kWarps * kBins; b += kThreads) (&sub[0][0])[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n4; i += kThreads * gridDim.x) {
    const uchar4 q = data[i];
    atomicAdd(&sub[warp][q.x >> 2], 1u);
    atomicAdd(&sub[warp][q.y >> 2], 1u);
    atomicAdd(&sub[warp][q.z >> 2], 1u);
    atomicAdd(&sub[warp][q.w >> 2], 1u);
  }
  __syncthreads();
  if (threadIdx.x < kBins) {
    unsigned total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += sub[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], total);
  }
}

// Byte counters of each thread, interleaved so that a thread stays in its bank.
__global__ void byteBins(const unsigned char* data, unsigned* bins, int perThread) {
  extern __shared__ unsigned char counters[];
  const int t = threadIdx.x;
  for (int i = t; i < kBins * blockDim.x / 4; i += blockDim.x) reinterpret_cast<unsigned*>(counters)[i] = 0;
  __syncthreads();
  const unsigned char* mine = data + (size_t)blockIdx.x * blockDim.x * perThread;
  for (int k = 0; k < perThread; ++k) {
    const unsigned bin = mine[k * blockDim.x + t] >> 2;
    counters[bin * blockDim.x + t]++;
  }
  __syncthreads();
  if (t < kBins) {
    unsigned sum = 0;
    for (int j = 0; j < blockDim.x; ++j) {
      int jj = (j + 4 * t) % blockDim.x;
      sum += counters[t * blockDim.x + jj];
    }
    atomicAdd(&bins[t], sum);
  }
}

__global__ void countBits(const uint32_t* words, uint32_t* perBlock, int n) {
  __shared__ uint32_t total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uint32_t c = __popc(words[i]);
    atomicAdd(&total, c);
  }
  __syncthreads();
  if (threadIdx.x == 0) perBlock[blockIdx.x] = total;
}

__global__ void tally2D(const unsigned char* img, unsigned* hist, int w, int h, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y0 = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w) return;
  unsigned dark = 0, bright = 0;
  int y = y0;
  do {
    if (y >= h) break;
    const unsigned char v = img[y * pitch + x];
    if (v < 128) ++dark; else ++bright;
    y += gridDim.y * blockDim.y;
  } while (true);
  unsigned* mine = hist + 2 * (y0 * w + x);
  mine[0] = dark;
  mine[1] = bright;
}

}  // namespace

int main() {
  const int n = 1 << 18;
  std::vector<unsigned char> data(n);
  unsigned s = 1;
  std::vector<unsigned> want(kBins, 0), got(kBins);
  unsigned ones = 0;
  for (auto& v : data) {
    s = s * 1103515245u + 12345u;
    v = (s >> 16) & 0xff;
    want[v >> 2]++;
    ones += __builtin_popcount(v);
  }
  unsigned char* d;
  unsigned* bins;
  verify(cudaMalloc(&d, n));
  verify(cudaMalloc(&bins, 1 << 20));
  verify(cudaMemcpy(d, data.data(), n, cudaMemcpyHostToDevice));
  int bad = 0;
  auto compare = [&](const char* name) {
    verify(cudaGetLastError());
    verify(cudaMemcpy(got.data(), bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    verify(cudaMemset(bins, 0, kBins * sizeof(unsigned)));
    std::printf("%s %s\n", name, got == want ? "ok" : "differs");
    bad += got != want;
  };
  verify(cudaMemset(bins, 0, kBins * sizeof(unsigned)));
  globalBins<<<100, 256>>>(d, bins, n);
  compare("globalBins");
  warpBins<<<66, kThreads>>>(reinterpret_cast<uchar4*>(d), bins, n / 4);
  compare("warpBins");
  const int perThread = 32;
  byteBins<<<n / (64 * perThread), 64, kBins * 64>>>(d, bins, perThread);
  compare("byteBins");
  const int words = n / 4, blocks = words / 256;
  countBits<<<blocks, 256>>>(reinterpret_cast<uint32_t*>(d), bins, words);
  std::vector<unsigned> counts(blocks);
  verify(cudaMemcpy(counts.data(), bins, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned sum = 0;
  for (unsigned c : counts) sum += c;
  std::printf("countBits %s\n", sum == ones ? "ok" : "differs");
  bad += sum != ones;
  const int w = 500, h = 500, pitch = 512;
  tally2D<<<dim3((w + 31) / 32, 4), dim3(32, 3)>>>(d, bins, w, h, pitch);
  std::vector<unsigned> tally(2 * 12 * w);
  verify(cudaMemcpy(tally.data(), bins, tally.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned all = 0;
  for (unsigned v : tally) all += v;
  std::printf("tally2D %s\n", all == (unsigned)(w * h) ? "ok" : "differs");
  bad += all != (unsigned)(w * h);
  std::puts(bad ? "FAIL" : "OK");
  return bad;
}

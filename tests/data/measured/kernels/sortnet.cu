// Sorting: bitonic in shared memory and in global memory, odd-even transposition, counting ranks.
#include <algorithm>
#include <cstdio>
#include <vector>

using u32 = unsigned int;

static void die(cudaError_t err, const char *where) {
  if (err == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", where, cudaGetErrorString(err));
  std::exit(1);
}

__device__ inline void compareSwap(u32 &a, u32 &b, bool up) {
  if ((a > b) == up) {
    u32 t = a;
    a = b;
    b = t;
  }
}

// One block sorts 2 * blockDim.x keys.
__global__ void bitonicShared(u32 *keys) {
  extern __shared__ u32 s[];
  const u32 n = 2 * blockDim.x;
  u32 *mine = keys + blockIdx.x * n;
  s[threadIdx.x] = mine[threadIdx.x];
  s[threadIdx.x + blockDim.x] = mine[threadIdx.x + blockDim.x];
  for (u32 size = 2; size <= n; size <<= 1) {
    for (u32 stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      u32 pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      bool up = (pos & size) == 0;
      u32 a = s[pos];
      u32 b = s[pos + stride];
      bool swap = (a > b) == up;
      s[pos] = swap ? b : a;
      s[pos + stride] = swap ? a : b;
    }
  }
  __syncthreads();
  mine[threadIdx.x] = s[threadIdx.x];
  mine[threadIdx.x + blockDim.x] = s[threadIdx.x + blockDim.x];
}

__global__ void bitonicStep(u32 *keys, int j, int k) {
  u32 i = threadIdx.x + blockDim.x * blockIdx.x;
  u32 ixj = i ^ j;
  if (ixj > i) {
    u32 a = keys[i];
    u32 b = keys[ixj];
    if ((i & k) == 0) {
      keys[i] = min(a, b);
      keys[ixj] = max(a, b);
    } else {
      keys[i] = max(a, b);
      keys[ixj] = min(a, b);
    }
  }
}

// Odd-even transposition of 256 keys a block.
__global__ void oddEven(u32 *keys) {
  __shared__ u32 buf[256];
  const int t = threadIdx.x;
  const int base = blockIdx.x * 256;
  buf[t] = keys[base + t];
  buf[t + 128] = keys[base + t + 128];
  __syncthreads();
  for (int round = 0; round < 256; ++round) {
    const int left = 2 * t + (round & 1);
    if (left + 1 < 256) {
      u32 a = buf[left], b = buf[left + 1];
      buf[left] = a < b ? a : b;
      buf[left + 1] = a < b ? b : a;
    }
    __syncthreads();
  }
  keys[base + t] = buf[t];
  keys[base + t + 128] = buf[t + 128];
}

// rank[i] = how many keys of the tile go before key i
template <int N>
__global__ void rankSort(const u32 *keys, u32 *out) {
  __shared__ u32 tile[N];
  const int g = blockIdx.x * N + threadIdx.x;
  const u32 mine = keys[g];
  tile[threadIdx.x] = mine;
  __syncthreads();
  int rank = 0;
  for (int i = 0; i < N; ++i) {
    const u32 other = tile[i];
    rank += other < mine || (other == mine && i < (int)threadIdx.x);
  }
  out[blockIdx.x * N + rank] = mine;
}

static bool check(const std::vector<u32> &in, const u32 *d, size_t run, const char *name) {
  std::vector<u32> want = in, got(in.size());
  for (size_t i = 0; i < want.size(); i += run) std::sort(want.begin() + i, want.begin() + i + run);
  die(cudaGetLastError(), name);
  die(cudaMemcpy(got.data(), d, got.size() * sizeof(u32), cudaMemcpyDeviceToHost), name);
  std::printf("%-14s %s\n", name, got == want ? "ok" : "NOT sorted");
  return got == want;
}

int main() {
  const int n = 1 << 15;
  std::vector<u32> h(n);
  u32 x = 2463534242u;
  for (auto &v : h) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    v = x;
  }
  u32 *d, *d2;
  die(cudaMalloc(&d, n * sizeof(u32)), "malloc");
  die(cudaMalloc(&d2, n * sizeof(u32)), "malloc");
  auto put = [&] { die(cudaMemcpy(d, h.data(), n * sizeof(u32), cudaMemcpyHostToDevice), "copy"); };
  bool good = true;

  put();
  bitonicShared<<<n / 512, 256, 512 * sizeof(u32)>>>(d);
  good &= check(h, d, 512, "bitonicShared");

  put();
  oddEven<<<n / 256, 128>>>(d);
  good &= check(h, d, 256, "oddEven");

  put();
  rankSort<192><<<n / 192, 192>>>(d, d2);
  rankSort<128><<<n / 128, 128>>>(d, d2);
  good &= check(h, d2, 128, "rankSort");

  // the last merge of a global sort: sorted halves, one up and one down
  std::vector<u32> two = h;
  std::sort(two.begin(), two.begin() + n / 2);
  std::sort(two.begin() + n / 2, two.end(), std::greater<u32>());
  die(cudaMemcpy(d, two.data(), n * sizeof(u32), cudaMemcpyHostToDevice), "copy");
  for (int j = n / 2; j > 0; j >>= 1) bitonicStep<<<n / 256, 256>>>(d, j, n);
  good &= check(h, d, n, "bitonicStep");

  std::puts(good ? "OK" : "FAIL");
  return !good;
}

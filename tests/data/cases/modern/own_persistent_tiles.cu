// origin: own
// A persistent kernel: a scheduler that hands out tiles by structured bindings and std::optional-like validity.
//   tile of 32 x 64 floats: 2 requests a row of 64 floats: coalesced 4 sectors; transposed through pitch 33 / 32
struct Tile { int m, n; bool valid; __device__ explicit operator bool() const { return valid; } };
template <int BM, int BN> struct Scheduler {
    int rows, cols, next = blockIdx.x;
    __device__ Tile take() {
        const int id = next;
        next += gridDim.x;
        return {.m = id / (cols / BN) * BM, .n = id % (cols / BN) * BN, .valid = id < rows / BM * (cols / BN)};
    }
};
template <int P> __global__ void __launch_bounds__(256) transpose(const float *__restrict__ g, float *__restrict__ o, int rows, int cols)
{
    __shared__ float s[64][P];
    Scheduler<32, 64> scheduler{rows, cols};
    for (Tile t = scheduler.take(); t; t = scheduler.take()) {
        auto [m, n, valid] = t;
        for (int i = threadIdx.x; i < 32 * 64; i += 256) s[i % 64][i / 64] = g[(m + i / 64) * cols + n + i % 64];   //= 33: shared store w=1 | 32: shared store w=32 | all: global load s=4
        __syncthreads();
        for (int i = threadIdx.x; i < 64 * 32; i += 256) o[(n + i / 32) * rows + m + i % 32] = s[i / 32][i % 32];   //= all: shared load w=1 | global store s=4
        __syncthreads();
    }
}
void go(const float *g, float *o) { transpose<33><<<132, 256>>>(g, o, 1024, 2048); transpose<32><<<132, 256>>>(g, o, 1024, 2048); }

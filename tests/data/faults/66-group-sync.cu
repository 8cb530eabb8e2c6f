// Tiles of cooperative groups.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

static void must(cudaError_t e)
{
    if (e == cudaSuccess) return;
    std::printf("failed: %s\n", cudaGetErrorString(e));
    std::exit(1);
}

static bool wanted(int argc, char **argv, const char *run)
{
    for (int i = 1; i < argc; i++)
        if (!std::strcmp(argv[i], run)) return true;
    return argc < 2;
}

namespace cg = cooperative_groups;

__global__ void tiles_own(const int *in, int *out)
{
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = block.thread_rank();
    s[t] = in[blockIdx.x * 128 + t];
    tile.sync();
    out[blockIdx.x * 128 + t] = s[(t / 16) * 16 + 15 - tile.thread_rank()];
}

__global__ void tiles_other(const int *in, int *out)
{
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = block.thread_rank();
    s[t] = in[blockIdx.x * 128 + t];
    tile.sync();
    out[blockIdx.x * 128 + t] = s[t ^ 16];
}

__global__ void tiles_other_block(const int *in, int *out)
{
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = block.thread_rank();
    s[t] = in[blockIdx.x * 128 + t];
    block.sync();
    int v = s[t ^ 64];
    tile.sync();
    out[blockIdx.x * 128 + t] = v;
}

__global__ void tiles_leader(const int *in, int *out)
{
    __shared__ int s[8];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[blockIdx.x * 128 + threadIdx.x];
    for (int h = 8; h; h /= 2) v += tile.shfl_down(v, h);
    if (tile.thread_rank() == 0) s[tile.meta_group_rank()] = v;
    __syncthreads();
    if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = s[threadIdx.x];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "tiles_own")) {
        tiles_own<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tiles_other")) {
        tiles_other<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tiles_other_block")) {
        tiles_other_block<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tiles_leader")) {
        tiles_leader<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}

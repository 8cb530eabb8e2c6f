#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
#define PAIR __cluster_dims__(2, 1, 1)
// a block ends while another one reads its memory
PAIR __global__ void b_last_read(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); int t = threadIdx.x; s[t] = in[blockIdx.x * 128 + t]; c.sync();
    int *other = c.map_shared_rank(s, c.block_rank() ^ 1); out[blockIdx.x * 128 + t] = other[t]; }
PAIR __global__ void g_last_read(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); int t = threadIdx.x; s[t] = in[blockIdx.x * 128 + t]; c.sync();
    int *other = c.map_shared_rank(s, c.block_rank() ^ 1); out[blockIdx.x * 128 + t] = other[t]; c.sync(); }
PAIR __global__ void g_last_read_split(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); int t = threadIdx.x; s[t] = in[blockIdx.x * 128 + t]; c.sync();
    int v = c.map_shared_rank(s, c.block_rank() ^ 1)[t]; auto token = c.barrier_arrive(); out[blockIdx.x * 128 + t] = v; c.barrier_wait(std::move(token)); }
PAIR __global__ void g_last_read_ptx(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); int t = threadIdx.x; s[t] = in[blockIdx.x * 128 + t]; c.sync();
    out[blockIdx.x * 128 + t] = c.map_shared_rank(s, c.block_rank() ^ 1)[t]; asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory"); }
__cluster_dims__(4, 1, 1) __global__ void b_last_one(int *out) { __shared__ int hist[64]; auto c = cg::this_cluster(); int t = threadIdx.x; if (t < 64) hist[t] = 0; c.sync();
    atomicAdd(c.map_shared_rank(hist, 0) + (t & 63), 1); c.sync();
    if (c.block_rank() == 0 && t < 64) out[t] = hist[t];
    if (t == 0) out[64 + blockIdx.x] = c.map_shared_rank(hist, (c.block_rank() + 1) % 4)[0]; }
__cluster_dims__(4, 1, 1) __global__ void g_last_one(int *out) { __shared__ int hist[64]; auto c = cg::this_cluster(); int t = threadIdx.x; if (t < 64) hist[t] = 0; c.sync();
    atomicAdd(c.map_shared_rank(hist, 0) + (t & 63), 1); c.sync();
    if (c.block_rank() == 0 && t < 64) out[t] = hist[t]; }
// a ring, round by round: each round ends with a barrier, or not
__cluster_dims__(4, 1, 1) __global__ void b_ring(int *out) { __shared__ int s[2][64]; auto c = cg::this_cluster(); int t = threadIdx.x; s[0][t] = t; 
    for (int k = 0; k < 4; k++) { c.sync(); s[(k + 1) & 1][t] = c.map_shared_rank(&s[k & 1][0], (c.block_rank() + 1) % 4)[t]; }
    out[blockIdx.x * 64 + t] = s[0][t]; }
__cluster_dims__(4, 1, 1) __global__ void g_ring(int *out) { __shared__ int s[2][64]; auto c = cg::this_cluster(); int t = threadIdx.x; s[0][t] = t; c.sync();
    for (int k = 0; k < 4; k++) { int v = c.map_shared_rank(&s[k & 1][0], (c.block_rank() + 1) % 4)[t]; s[(k + 1) & 1][t] = v; c.sync(); }
    out[blockIdx.x * 64 + t] = s[0][t]; }
// a block's own number stands for its own memory
PAIR __global__ void b_own_rank(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); unsigned r = c.block_rank(); int *mine = c.map_shared_rank(s, r); mine[threadIdx.x] = in[threadIdx.x]; out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x]; }
PAIR __global__ void g_own_rank(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); unsigned r = c.block_rank(); int *mine = c.map_shared_rank(s, r); mine[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x]; }
// nobody fills what is mapped to be read
PAIR __global__ void b_mapped_unfilled(int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); int *other = c.map_shared_rank(s, c.block_rank() ^ 1); c.sync(); out[blockIdx.x * 128 + threadIdx.x] = other[threadIdx.x] + s[threadIdx.x]; c.sync(); }
PAIR __global__ void g_mapped_filled(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); int *other = c.map_shared_rank(s, c.block_rank() ^ 1); c.sync(); other[threadIdx.x] = in[threadIdx.x]; c.sync(); out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x]; }
// every block writes what one has handed to all
PAIR __global__ void g_handed_out(const int *in, int *out) { __shared__ int s[128]; auto c = cg::this_cluster(); c.sync();
    if (c.block_rank() == 0) for (int r = 0; r < 2; r++) c.map_shared_rank(s, r)[threadIdx.x] = in[threadIdx.x];
    c.sync(); out[threadIdx.x] = s[threadIdx.x]; }
int main() {
    int *in, *out;
    cudaMalloc(&in, 1 << 20); cudaMalloc(&out, 1 << 20);
    b_last_read<<<8, 128>>>(in, out); g_last_read<<<8, 128>>>(in, out); g_last_read_split<<<8, 128>>>(in, out); g_last_read_ptx<<<8, 128>>>(in, out);
    b_last_one<<<4, 128>>>(out); g_last_one<<<4, 128>>>(out); b_ring<<<8, 64>>>(out); g_ring<<<8, 64>>>(out);
    b_own_rank<<<8, 128>>>(in, out); g_own_rank<<<8, 128>>>(in, out); b_mapped_unfilled<<<8, 128>>>(out); g_mapped_filled<<<8, 128>>>(in, out); g_handed_out<<<2, 128>>>(in, out);
}

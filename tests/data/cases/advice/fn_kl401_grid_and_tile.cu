// origin: issue cases
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=4, block=64)
__global__ void a(int *A) { cg::thread_block t = cg::this_thread_block(); if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; t.sync(); } }
// kernlint: launch(grid=4, block=64)
__global__ void b(int *A) { cg::thread_block t = cg::this_thread_block(); if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; cg::sync(t); } }
// kernlint: launch(grid=4, block=64)
__global__ void c(int *A) { cg::thread_block t = cg::this_thread_block(); if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; cg::synchronize(t); } }
// kernlint: launch(grid=4, block=64)
__global__ void d(int *A) { cg::grid_group t = cg::this_grid(); if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; t.sync(); } }
// kernlint: launch(grid=4, block=64)
__global__ void e(int *A) { cg::grid_group t = cg::this_grid(); if (blockIdx.x % 2 == 0) { A[threadIdx.x] = 1; t.sync(); } }
// kernlint: launch(grid=4, block=64)
__global__ void f(int *A) { cg::thread_block t = cg::this_thread_block(); auto w = cg::tiled_partition<32>(t); if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; w.sync(); } }
// kernlint: launch(grid=4, block=64)
__global__ void g(int *A) { if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; __barrier_sync(0); } }
// kernlint: launch(grid=4, block=64)
__global__ void h(int *A) { if (threadIdx.x % 2 == 0) { A[threadIdx.x] = __syncthreads_count(A[1]); } }
// kernlint: launch(grid=4, block=64)
__global__ void i(int *A) { if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; asm volatile("bar.sync 0;"); } }
// kernlint: launch(grid=4, block=64)
__global__ void j(int *A) { if (threadIdx.x < 32) { A[threadIdx.x] = 1; asm volatile("bar.sync 1, 32;"); } }
// kernlint: launch(grid=4, block=64)
__global__ void k(int *A) { if (threadIdx.x % 2 == 0) { A[threadIdx.x] = 1; cg::this_thread_block().sync(); } }
// kernlint: launch(grid=4, block=64)
__global__ void l(int *A) { if (blockIdx.x == 0) { cg::this_grid().sync(); } A[threadIdx.x] = 1; }

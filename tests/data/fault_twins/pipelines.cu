#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void b_pipe_1(const float *in, float *out) {
    __shared__ float buf[256];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, 1> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf, in + blockIdx.x * 256, sizeof(float) * 256, pipe);
    pipe.producer_commit();
    out[blockIdx.x * 256 + threadIdx.x] = buf[255 - threadIdx.x];   // before the wait
    pipe.consumer_wait();
    pipe.consumer_release();
}
__global__ void g_pipe_1(const float *in, float *out) {
    __shared__ float buf[256];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, 1> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf, in + blockIdx.x * 256, sizeof(float) * 256, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[blockIdx.x * 256 + threadIdx.x] = buf[255 - threadIdx.x];
    pipe.consumer_release();
}
__global__ void b_pipe_2(const float *in, float *out, int n) {
    __shared__ float buf[2][256];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf[0], in, cuda::aligned_size_t<16>(1024), pipe);
    pipe.producer_commit();
    float acc = 0;
    for (int t = 1; t <= n; t++) {
        if (t < n) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buf[t & 1], in + t * 256, cuda::aligned_size_t<16>(1024), pipe);
            pipe.producer_commit();
        }
        acc += buf[(t - 1) & 1][255 - threadIdx.x];      // before the wait
        pipe.consumer_wait();
        pipe.consumer_release();
    }
    out[threadIdx.x] = acc;
}
__global__ void g_pipe_2(const float *in, float *out, int n) {
    __shared__ float buf[2][256];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf[0], in, cuda::aligned_size_t<16>(1024), pipe);
    pipe.producer_commit();
    float acc = 0;
    for (int t = 1; t <= n; t++) {
        if (t < n) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buf[t & 1], in + t * 256, cuda::aligned_size_t<16>(1024), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        acc += buf[(t - 1) & 1][255 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = acc;
}
__global__ void b_pipe_3(const int4 *in, int *out) {   // each thread copies its own
    extern __shared__ int4 stage[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(stage + threadIdx.x, in + threadIdx.x, sizeof(int4), pipe);
    pipe.producer_commit();
    int v = stage[threadIdx.x ^ 1].x;
    pipe.consumer_wait();
    out[threadIdx.x] = v + stage[threadIdx.x].y;
    pipe.consumer_release();
}
__global__ void g_pipe_3(const int4 *in, int *out) {
    extern __shared__ int4 stage[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(stage + threadIdx.x, in + threadIdx.x, sizeof(int4), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    int v = stage[threadIdx.x ^ 1].x;
    out[threadIdx.x] = v + stage[threadIdx.x].y;
    pipe.consumer_release();
}
template <size_t stages_count = 2>
__global__ void g_pipe_with_staging(int* global_out, int const* global_in, size_t size, size_t batch_sz) {
    auto grid = cg::this_grid();
    auto block = cg::this_thread_block();
    extern __shared__ int shared[];
    size_t shared_offset[stages_count];
    for (int s = 0; s < stages_count; ++s) shared_offset[s] = s * block.size();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope::thread_scope_block, stages_count> shared_state;
    auto pipeline = cuda::make_pipeline(block, &shared_state);
    auto block_batch = [&](size_t batch) -> int { return block.group_index().x * block.size() + grid.size() * batch; };
    for (size_t compute_batch = 0, fetch_batch = 0; compute_batch < batch_sz; ++compute_batch) {
        for (; fetch_batch < batch_sz && fetch_batch < (compute_batch + stages_count); ++fetch_batch) {
            pipeline.producer_acquire();
            size_t shared_idx = fetch_batch % stages_count;
            size_t batch_idx = fetch_batch;
            size_t block_batch_idx = block_batch(batch_idx);
            cuda::memcpy_async(block, shared + shared_offset[shared_idx], global_in + block_batch_idx, sizeof(int) * block.size(), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        int shared_idx = compute_batch % stages_count;
        int batch_idx = compute_batch;
        global_out[block_batch(batch_idx) + threadIdx.x] = shared[shared_offset[shared_idx] + (threadIdx.x + 1) % block.size()];
        pipeline.consumer_release();
    }
}
__global__ void g_pipe_roles(int *out, const int *in, int n) {
    __shared__ int buf[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &st, role);
    for (int i = 0; i < n; i++) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            for (int k = threadIdx.x; k < 128; k += 32)
                cuda::memcpy_async(&buf[i & 1][k], in + i * 128 + k, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[i * 128 + threadIdx.x - 32] = buf[i & 1][threadIdx.x - 32];
            pipe.consumer_release();
        }
    }
}
template <class Pipe> __device__ void fetch(Pipe &pipe, float *dst, const float *src) {
    pipe.producer_acquire();
    cuda::memcpy_async(dst + threadIdx.x, src + threadIdx.x, cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
}
__device__ float use(cuda::pipeline<cuda::thread_scope_block> &pipe, const float *s) {
    pipe.consumer_wait();
    float v = s[127 - threadIdx.x];
    pipe.consumer_release();
    return v;
}
__global__ void g_pipe_helpers(const float *in, float *out, int n) {
    __shared__ float s[3][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> st;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &st);
    fetch(pipe, s[0], in);
    fetch(pipe, s[1], in + 128);
    float a = 0;
    for (int i = 0; i < n; i++) {
        if (i + 2 < n) fetch(pipe, s[(i + 2) % 3], in + 128 * (i + 2));
        a += use(pipe, s[i % 3]);
    }
    out[threadIdx.x] = a;
}
__global__ void g_pipe_own(const float *in, float *out, int n) {
    __shared__ float s[2][128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    out[threadIdx.x] = s[0][127 - threadIdx.x];
    pipe.consumer_release();
}
__global__ void g_pipe_tile(const float *in, float *out) {
    __shared__ float s[128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> st[4];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto pipe = cuda::make_pipeline(warp, &st[threadIdx.x / 32]);
    pipe.producer_acquire();
    cuda::memcpy_async(warp, s + 32 * (threadIdx.x / 32), in + 32 * (threadIdx.x / 32), 128, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
    pipe.consumer_release();
}
__global__ void g_pipe_roles2(int *out, const int *in, int n) {
    __shared__ int buf[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto block = cg::this_thread_block();
    const cuda::pipeline_role role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &st, role);
    for (int i = 0; i < n; i++) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            for (int k = threadIdx.x; k < 128; k += 32)
                cuda::memcpy_async(&buf[i & 1][k], in + i * 128 + k, sizeof(int), pipe);
            pipe.producer_commit();
        }
        if (role == cuda::pipeline_role::consumer) {
            pipe.consumer_wait();
            out[i * 128 + threadIdx.x - 32] = buf[i & 1][threadIdx.x - 32];
            pipe.consumer_release();
        }
    }
}
int main() {
    float *a, *b; int4 *c; int *d;
    cudaMalloc(&a, 1 << 20); cudaMalloc(&b, 1 << 20); cudaMalloc(&c, 1 << 20); cudaMalloc(&d, 1 << 20);
    b_pipe_1<<<4, 256>>>(a, b); g_pipe_1<<<4, 256>>>(a, b);
    b_pipe_2<<<1, 256>>>(a, b, 8); g_pipe_2<<<1, 256>>>(a, b, 8);
    b_pipe_3<<<1, 128, 4096>>>(c, d); g_pipe_3<<<1, 128, 4096>>>(c, d);
    int *ia, *ib; float *f, *g;
    cudaMalloc(&ia, 1 << 22); cudaMalloc(&ib, 1 << 22); cudaMalloc(&f, 1 << 22); cudaMalloc(&g, 1 << 22);
    g_pipe_with_staging<2><<<8, 128, 2 * 128 * 4>>>(ia, ib, 8 * 128 * 10, 10);
    g_pipe_with_staging<4><<<8, 128, 4 * 128 * 4>>>(ia, ib, 8 * 128 * 10, 10);
    g_pipe_roles<<<1, 160>>>(ia, ib, 10);
    g_pipe_helpers<<<1, 128>>>(f, g, 10);
    g_pipe_own<<<1, 128>>>(f, g, 10);
    g_pipe_tile<<<1, 128>>>(f, g);
    g_pipe_roles2<<<1, 160>>>(ia, ib, 10);
}

// origin: own
// Tensor copies through functions of instructions, with mbarriers in a ring; a producer warp and consumer warps.
#include <cuda/ptx>
#include <cuda/std/cstdint>
namespace ptx = cuda::ptx;
constexpr int STAGES = 4;
struct alignas(128) Smem { float a[STAGES][64][32]; uint64_t full[STAGES], empty[STAGES]; };
__global__ void k(const __grid_constant__ CUtensorMap map, float *o, int K)
{
    extern __shared__ __align__(128) char sm[];
    Smem &s = *reinterpret_cast<Smem *>(sm);
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) { ptx::mbarrier_init(&s.full[i], 1); ptx::mbarrier_init(&s.empty[i], 96); }
    __syncthreads();
    if (warp == 0) {
        if (lane == 0)
            for (int kt = 0, st = 0, ph = 1; kt < K; ++kt) {
                while (!ptx::mbarrier_try_wait_parity(&s.empty[st], ph)) {}
                const int32_t c[2] = {kt * 32, int(blockIdx.x) * 64};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[st], sizeof(s.a[0]));
                ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, &s.a[st], &map, c, &s.full[st]);
                if (++st == STAGES) { st = 0; ph ^= 1; }
            }
    } else {
        float acc = 0;
        uint32_t st = 0, ph = 0;
        for (int kt = 0; kt < K; ++kt) {
            while (!ptx::mbarrier_try_wait_parity(&s.full[st], ph)) {}
            acc += s.a[st][(warp - 1) * 16][lane]; //= all: shared load w=1
            acc += s.a[st][lane + (warp - 1)][warp]; //= all: shared load w=32
            acc += s.a[st][lane / 2][lane % 2 * 16]; //= all: shared load w=16
            ptx::mbarrier_arrive(&s.empty[st]);
            st = (st + 1) % STAGES; ph ^= st == 0;
        }
        o[(blockIdx.x * 3 + warp - 1) * 32 + lane] = acc; //= all: global store s=4
    }
}
void go(CUtensorMap m, float *o, int K) { k<<<8, 128, sizeof(Smem)>>>(m, o, K); }

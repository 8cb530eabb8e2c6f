// origin: own
// Producer and consumer warps with named barriers of constant ids, registers moved between them.
//   producer warp writes float4 rows (4 wavefronts); consumers read s[lane * P + warp]: P = 4 words: 4 ways; by XOR: 1
enum class Bar : int { full = 1, empty = 3 };
template <Bar B> __device__ __forceinline__ void sync(int stage, int n) { asm volatile("bar.sync %0, %1;" ::"r"(static_cast<int>(B) + stage), "r"(n) : "memory"); }
template <Bar B> __device__ __forceinline__ void arrive(int stage, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(static_cast<int>(B) + stage), "r"(n) : "memory"); }
template <bool Spread> __global__ void __launch_bounds__(160) specialised(const float4 *g, float *o, int tiles)
{
    __shared__ float4 s[2][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 4) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        for (int k = 0, stage = 0; k < tiles; k++, stage ^= 1) {
            sync<Bar::empty>(stage, 160);
            s[stage][Spread ? lane ^ (lane >> 3) : lane] = g[(blockIdx.x * tiles + k) * 32 + lane];   //= all: shared store w=4 | global load s=16
            arrive<Bar::full>(stage, 160);
        }
    } else {
        float a = 0;
        arrive<Bar::empty>(0, 160);
        arrive<Bar::empty>(1, 160);
        for (int k = 0; k < tiles; k++) {
            const int stage = k & 1;
            sync<Bar::full>(stage, 160);
            a += reinterpret_cast<const float *>(s[stage])[Spread ? (lane ^ (lane >> 3)) * 4 + warp : lane + warp * 32];   //= 1: shared load w=4 | 0: shared load w=1
            arrive<Bar::empty>(stage, 160);
        }
        o[blockIdx.x * 128 + threadIdx.x] = a;                                                        //= all: global store s=4
    }
}
void go(const float4 *g, float *o) { specialised<true><<<64, 160>>>(g, o, 8); specialised<false><<<64, 160>>>(g, o, 8); }

// origin: own
// mma.m16n8k8 of tf32: A by 32-bit loads, B by ldmatrix of 16-byte rows, results staged as float2.
//   A, pitch P words: P g + t: P = 32: 8 ways, P = 36: 4 g + t -> 1; B rows of 16 bytes, pitch 16 words: 8 rows start at 0 or
//   16 -> 4 wavefronts a matrix, 2 matrices -> 8; pitch 20: 20 r mod 32 = 0, 20, 8, 28, 16, 4, 24, 12 -> 1 a matrix -> 2
//   C, pitch 8 words, float2: half a warp is 4 rows of 8 words = 32 words -> 2; 16 lanes x 8 bytes a float2 row of 32 bytes
#include <cstdint>
template <int PA, int PB> __global__ void __launch_bounds__(32) tf32(const float *a, const float *b, float2 *c, int k)
{
    __shared__ float sa[16 * PA];
    __shared__ __align__(16) float sb[16 * PB];
    __shared__ float2 sc[16 * 4];
    const int lane = threadIdx.x, g = lane >> 2, t = lane & 3;
    for (int i = lane; i < 512; i += 32) sa[i / 32 * PA + i % 32] = a[i];                             //= all: shared store w=1 | global load s=4
    for (int i = lane; i < 128; i += 32) sb[i / 8 * PB + i % 8] = b[i];                               //= all: global load s=4
    __syncwarp();
    float d[4] = {};
    for (int kk = 0; kk < k; kk += 8) {
        uint32_t x[4], y[2];
        auto word = [&](int r, int q) { return __float_as_uint(sa[(g + 8 * r) * PA + kk + t + 4 * q]); };   //= 32,16: shared load w=8 | 36,20: shared load w=1
        x[0] = word(0, 0), x[1] = word(1, 0), x[2] = word(0, 1), x[3] = word(1, 1);
        const auto p = static_cast<uint32_t>(__cvta_generic_to_shared(&sb[(lane % 8) * PB + lane / 8 % 2 * 4]));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(p));   //= 32,16: shared load w=8 | 36,20: shared load w=2
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    sc[g * 4 + t] = {d[0], d[1]};                                                                     //= all: shared store w=2
    sc[(g + 8) * 4 + t] = {d[2], d[3]};                                                               //= all: shared store w=2
    __syncwarp();
    for (int i = lane; i < 64; i += 32) c[blockIdx.x * 64 + i] = sc[i];                               //= all: shared load w=2 | global store s=8
}
void go(const float *a, const float *b, float2 *c) { tf32<32, 16><<<4, 32>>>(a, b, c, 32); tf32<36, 20><<<4, 32>>>(a, b, c, 32); }

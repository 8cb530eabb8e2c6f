// origin: issue cases
// C++20: constrained template parameters, abbreviated templates, requires clauses (ThunderKittens and others).
// expected: parsed; shared store 1 wavefront, shared load 32 (column of a 32x32 tile)
#include <concepts>
namespace ducks { template <class T> concept tile = requires { T::rows; typename T::dtype; }; }
struct T32 { using dtype = float; static constexpr int rows = 32; float d[32][32]; };
template <ducks::tile ST> __device__ inline void fill(ST &s, float v) { for (int r = 0; r < ST::rows; r++) s.d[r][threadIdx.x] = v; }   //= all: shared store w=1
template <class ST> requires ducks::tile<ST> __device__ inline float col(ST &s) { float a = 0; for (int c = 0; c < ST::rows; c++) a += s.d[threadIdx.x][c]; return a; }   //= all: shared load w=32
__device__ inline float twice(const ducks::tile auto &s) { return 2 * s.d[0][threadIdx.x]; }   //= all: shared load w=1
__global__ void k(float *o)
{
    __shared__ T32 s;
    fill(s, o[threadIdx.x]);
    __syncwarp();
    o[threadIdx.x + 32] = col(s) + twice(s);
}
void go(float *o) { k<<<1, 32>>>(o); }

// origin: issue cases
// cute/container/cuda_types.hpp:43: inside a namespace, a type named like a global one of the toolkit is brought in:
//   namespace cute { using dim3 = ::dim3; }   -> "nested too deeply to analyse": every CuTe kernel of today's CUTLASS
// expected: parsed; shared load 32-way
#include <cuda_runtime.h>
namespace cute {
using dim3 = ::dim3;
using uint3 = ::uint3;
__device__ inline dim3 block() { return blockDim; }
}
using namespace cute;   // as every CuTe file does
__global__ void k(float *o)
{
    __shared__ float t[32][32];
    cute::dim3 b = cute::block();
    t[threadIdx.y][threadIdx.x] = o[threadIdx.x] * b.x;
    __syncthreads();
    o[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];   //= all: shared load w=32 | global store s=4
}
void go(float *o) { k<<<1, dim3(32, 32)>>>(o); }

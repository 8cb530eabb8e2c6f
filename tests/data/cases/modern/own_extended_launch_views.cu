// origin: own
// cudaLaunchKernelEx with attributes, a structure of views and a functor as arguments, unrolled guarded loops.
#include <cuda_runtime.h>
#include <tuple>
#include <utility>
template <class T> struct Span { T *d; int n; __host__ __device__ T &operator[](int i) const { return d[i]; } __host__ __device__ int size() const { return n; } };
template <class In, class Out, int Unroll> struct Args { Span<In> in; Span<Out> out; int ld; static constexpr int unroll = Unroll; };
template <class A, class F> __global__ void __launch_bounds__(256) k(const __grid_constant__ A a, F f)
{
    const int i = (blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
    for (int u = 0; u < A::unroll; ++u) {
        const int j = i + u * gridDim.x * blockDim.x;
        if (j < a.out.size()) a.out[j * a.ld] = f(a.in, j); //= all: global store s=8
    }
}
struct Twice { int s; __device__ float operator()(Span<const float> in, int j) const { return in[j * s]; } };  //= all: global load s=16
template <class In, class Out> void run(Span<In> in, Span<Out> out)
{
    cudaLaunchConfig_t cfg{};
    cfg.gridDim = dim3(16); cfg.blockDim = {256, 1, 1}; cfg.dynamicSmemBytes = 0;
    cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; at[0].val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = at; cfg.numAttrs = 1;
    Args<In, Out, 4> a{.in = in, .out = out, .ld = 2};
    cudaLaunchKernelEx(&cfg, k<decltype(a), Twice>, a, Twice{4});
}
int main()
{
    float *p, *q; const int n = 16 * 256 * 4;
    cudaMalloc(&p, n * 16); cudaMalloc(&q, n * 8);
    run(Span<const float>{p, n}, Span<float>{q, n});
}

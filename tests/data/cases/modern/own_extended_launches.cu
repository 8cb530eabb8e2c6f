// origin: own
// cudaLaunchKernelEx with its arguments, cudaLaunchKernelExC with an array of them: grid and block stand in the configuration.
#include <cuda_runtime.h>
__global__ void plain(float *o, int n) { o[blockIdx.x * blockDim.x + threadIdx.x * n] = n; }       //= all: global store s=8
template <int N> __global__ void attributed(float *o) { o[threadIdx.x * N] = N; }                   //= all: global store s=16
__global__ void __cluster_dims__(2) clustered(float *o) { o[threadIdx.x] = 1; }                      //= all: global store s=4
__global__ void untyped(float *o, int n) { o[threadIdx.x * n] = 1; }                                  //= all: global store s=16
__global__ void designated(float *o) { o[threadIdx.x * 2] = 1; }                                      //= all: global store s=8
__global__ void kept(float *o, int n) { o[threadIdx.x * n] = 1; }                                     //= all: global store s=32
__global__ void wrapped(float *o, int n) { o[threadIdx.x * n] = 1; }                                  //= all: global store s=32
template <class... P, class... A> void run(void (*k)(P...), int g, int b, A &&...a) { cudaLaunchConfig_t c = {}; c.gridDim = dim3(g); c.blockDim = dim3(b); cudaLaunchKernelEx(&c, k, std::forward<A>(a)...); }
void go(float *o, cudaStream_t st)
{
    cudaLaunchConfig_t cfg{};
    cfg.gridDim = 8;
    cfg.blockDim = dim3(128, 2, 1);
    cfg.dynamicSmemBytes = 1024;
    cfg.stream = st;
    cudaLaunchKernelEx(&cfg, plain, o, 2);
    cudaLaunchAttribute attribute[2] = {};
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    attribute[1].id = cudaLaunchAttributeClusterDimension;
    attribute[1].val.clusterDim.x = 4;
    attribute[1].val.clusterDim.y = 1;
    attribute[1].val.clusterDim.z = 1;
    cfg.attrs = attribute;
    cfg.numAttrs = 2;
    cudaLaunchKernelEx(&cfg, attributed<4>, o);
    cudaLaunchConfig_t c2 = {dim3(16), dim3(64), 0, st, nullptr, 0};
    cudaLaunchKernelEx(&c2, &clustered, o);
    int n = 4;
    void *args[] = {&o, &n};
    cudaLaunchKernelExC(&c2, (const void *)untyped, args);
    cudaLaunchConfig_t c3{.gridDim = {4, 2, 1}, .blockDim = {32, 4, 1}};
    cudaLaunchKernelEx(&c3, designated, o);
    auto kernel = kept;
    n = 8;
    cudaLaunchConfig_t c4 = {0};
    c4.gridDim.x = 3;
    c4.gridDim.y = 1;
    c4.gridDim.z = 1;
    c4.blockDim = {96};
    cudaLaunchKernelExC(&c4, reinterpret_cast<void *>(kernel), args);
    run(wrapped, 7, 128, o, 8);
}

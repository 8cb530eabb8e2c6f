// origin: own
// The blocks of a cluster stand in a launch's attributes: in an array, alone, in a second place, or not there at all.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
template <int Case> __global__ void ranked(float *o)
{
    __shared__ float s[2048];
    auto cl = cg::this_cluster();
    s[threadIdx.x * cl.num_blocks()] = 1;       //= 0: shared store w=4 | 1: shared store w=2 | 2: shared store w=8
    cl.sync();
    o[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x * cl.dim_blocks().x]; //= 0: shared load w=4 | 1: shared load w=2 | 2: shared load w=4 | all: global store s=4
}
void alone(float *o)
{
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(32);
    c.blockDim = dim3(128);
    cudaLaunchAttribute a{};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = 4; a.val.clusterDim.y = 1; a.val.clusterDim.z = 1;
    c.attrs = &a;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, ranked<0>, o);
}
void second(float *o)
{
    cudaLaunchAttribute a[3];
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    a[1].id = cudaLaunchAttributeClusterDimension;
    a[1].val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t c = {dim3(32), dim3(128), 0, 0, a, 2};
    cudaLaunchKernelEx(&c, ranked<1>, o);
}
void given(float *o, bool wide)
{
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 4; a[0].val.clusterDim.y = 2; a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(32, 2);
    c.blockDim = dim3(128);
    c.attrs = a;
    c.numAttrs = 1;
    void *args[] = {&o};
    cudaLaunchKernelExC(&c, (const void *)ranked<2>, args);
}

// origin: issue cases
// NVIDIA Warp's generated code: every array access goes through a function with a template template parameter.
// expected: load 4 sectors, store 4 sectors
template <typename T> struct array_t { T *data; int shape[4]; int strides[4]; };
template <template <typename> class A, typename T> inline __device__ T &index(const A<T> &a, int i) { return *(T *)((char *)a.data + (size_t)i * a.strides[0]); }
template <template <typename> class A, typename T> inline __device__ T *address(const A<T> &a, int i) { return &index(a, i); }
template <template <typename> class A, typename T> inline __device__ void array_store(const A<T> &a, int i, T v) { index(a, i) = v; }
__global__ void k(array_t<float> x, array_t<float> y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *p = address(x, i);
    array_store(y, i, *p * 2.0f);
}
// kernlint: launch(kernel=k, grid=64, block=256)

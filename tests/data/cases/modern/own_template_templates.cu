// origin: own
// Templates as template arguments: deduced, given, partially specialised on, through an alias.
#include <cuda_runtime.h>
namespace lib {
template <class T> struct view { T *p; int pitch; __device__ T &at(int i) const { return p[i * pitch]; } };
template <class T, int N> struct vec { T v[N]; };
}
template <class T> using myview = lib::view<T>;
template <template <class> class V, class T> __device__ float rd(V<T> v, int i) {
    return v.at(i);
}
template <template <class> class V, class T> __device__ void wr(const V<T> &v, int i, T x) { v.at(i) = x; }
template <template <class> class V, class T> struct holder { V<T> v; };
template <class T> struct inner;
template <template <class> class V, class T> struct inner<V<T>> { static constexpr int n = sizeof(T); };
template <template <class, int> class V, class T, int N> __device__ T sum(const V<T, N> &v) { T s = 0; for (int i = 0; i < N; i++) s += v.v[i]; return s; }
__global__ void deduced(float *p, float *q) {
    lib::view<float> x{p, 1}, y{q, 2};
    q[threadIdx.x * 4] = rd(x, threadIdx.x);                                           //= all: global store s=16
    y.at(threadIdx.x) = 1;                                                             //= all: global store s=8
}
__global__ void held(float *p, float *q) {
    holder<lib::view, float> h{{p, 2}};
    q[threadIdx.x * inner<lib::view<double>>::n] = h.v.at(threadIdx.x);                //= all: global store s=32 | global load s=8
}
__global__ void summed(lib::vec<float, 4> *p, float *q) { q[threadIdx.x] = sum(p[threadIdx.x]); }              //= all: global store s=4
template <template <class> class V> __global__ void given(float *p, float *q) {
    V<float> v{p, 8};
    q[threadIdx.x] = v.at(threadIdx.x);                                                //= all: global store s=4 | global load s=32
}
void go(float *p, float *q, lib::vec<float, 4> *v) {
    deduced<<<1, 64>>>(p, q);
    held<<<1, 64>>>(p, q);
    summed<<<1, 64>>>(v, q);
    given<myview><<<1, 64>>>(p, q);
    given<lib::view><<<1, 64>>>(p, q);
}

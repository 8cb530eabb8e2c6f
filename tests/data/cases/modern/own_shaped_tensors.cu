// origin: own
// Shapes as packs, indices by recursion over types, tags for overloads, constrained call operators.
#include <type_traits>
template <int... Dims> struct Shape { static constexpr int rank = sizeof...(Dims); static constexpr int size = (Dims * ... * 1); };
template <class S> struct strides_of;
template <int D> struct strides_of<Shape<D>> { static constexpr int first = 1; };
template <int D, int... R> struct strides_of<Shape<D, R...>> { static constexpr int first = Shape<R...>::size; };
template <class S, class... I> __device__ int linear(S, int acc) { return acc; }
template <int D, int... R, class... I> __device__ int index(Shape<D, R...>, int i, I... r)
{
    if constexpr (sizeof...(R) == 0) return i;
    else return i * strides_of<Shape<D, R...>>::first + index(Shape<R...>{}, r...);
}
template <class S> struct Tensor {
    float *p;
    template <class... I> requires(sizeof...(I) == S::rank) __device__ float &operator()(I... i) const { return p[index(S{}, static_cast<int>(i)...)]; }
    template <int N = S::rank, std::enable_if_t<(N > 1), int> = 0> __device__ auto sub(int i) const { return drop(S{}, i); }
    template <int D, int... R> __device__ Tensor<Shape<R...>> drop(Shape<D, R...>, int i) const { return {p + i * strides_of<S>::first}; }
};
struct vec_tag {}; struct scalar_tag {};
__device__ void store(float *p, scalar_tag) { *p = 1; }
__device__ void store(float *p, vec_tag) { *reinterpret_cast<float4 *>(p) = make_float4(1, 1, 1, 1); }
template <class T> using tag_for = std::conditional_t<(T::size % 4 == 0), vec_tag, scalar_tag>;
__global__ void k(float *g)
{
    __shared__ float s[4 * 32 * 33];
    const int x = threadIdx.x, y = threadIdx.y;
    Tensor<Shape<4, 32, 33>> t{s};
    Tensor<Shape<4, 32, 32>> u{s};
    t(y, x, 0) = 1;          //= all: shared store w=1
    u(y, x, 0) = 1;          //= all: shared store w=32
    u.sub(y)(0, x) = 2;      //= all: shared store w=1
    u.sub(y).sub(x)(3) = 2;  //= all: shared store w=32
    t(0u, y, static_cast<short>(x)) = 3; //= all: shared store w=1
    store(g + (y * 32 + x) * 4, tag_for<Shape<4, 4>>{}); //= all: global store s=16
    store(g + (y * 32 + x) * 4, tag_for<Shape<3, 3>>{}); //= all: global store s=16
}
void go(float *g) { k<<<1, dim3(32, 4)>>>(g); }

// origin: own
// Template lambdas over integer sequences, nested static loops, lists of values.
#include <utility>
#include <type_traits>
template <int N, class F> __device__ constexpr void static_for(F &&f)
{
    [&]<int... I>(std::integer_sequence<int, I...>) { (f(std::integral_constant<int, I>{}), ...); }(std::make_integer_sequence<int, N>{});
}
template <auto... V> struct list { static constexpr int size = sizeof...(V); };
template <class F, auto... V> __device__ void each(list<V...>, F f) { (f.template operator()<V>(), ...); }
template <class T, std::size_t... I> __device__ T gather(const T *p, int stride, std::index_sequence<I...>)
{
    return (p[I * stride + threadIdx.x * 2] + ...); //= all: shared load w=2
}
__global__ void k(float *o)
{
    __shared__ float s[4096];
    const int t = threadIdx.x;
    static_for<4>([&](auto i) {
        constexpr int n = decltype(i)::value;
        s[n * 1024 + t] = n; //= all: shared store w=1
        static_for<2>([&](auto j) { s[(n * 2 + j()) * 512 + t * 4] = 1; }); //= all: shared store w=4
    });
    __syncthreads();
    each(list<8, 8>{}, [&]<int S>() { o[t * S] = s[t * S]; }); //= all: global store s=32 | shared load w=8
    o[t] = gather(s, 1024, std::make_index_sequence<4>{}); //= all: global store s=4
    auto apply = []<class... A>(auto f, A... a) { f((a + ...)); };
    apply([&](int i) { o[i] = 5; }, t, t, t * 2); //= all: global store s=16
    [&]<std::size_t... R>(std::index_sequence<R...>) {
        float v[] = {s[t * 16 + R]...}; //= all: shared load w=16
        o[t] = (v[R] + ... + 0.f);
    }(std::make_index_sequence<2>{});
}
void go(float *o) { k<<<2, 128>>>(o); }

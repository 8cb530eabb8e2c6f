// origin: own
// Pairs and tuples of the library: deduced, concatenated, applied, bound, deduced from by functions, in constants that a lambda folds.
#include <cuda/std/tuple>
#include <cuda/std/optional>
#include <optional>
#include <cuda/std/utility>
#include <cstdint>
#include <tuple>
namespace cs = cuda::std;
template <class... T> __device__ int sum(cs::tuple<T...> t) { return cs::apply([](auto... a) { return (a + ...); }, t); }
template <class A, class B> __device__ int product(cs::pair<A, B> p) { return p.first * p.second; }
struct Add { __device__ int operator()(int a, int b) const { return a + b; } };
__device__ cs::pair<int, int> split(int i) { return {i % 8, i / 8}; }
__global__ void k(float *o)
{
    const int t = threadIdx.x;
    auto p = cs::pair{t, 2};
    o[p.first * p.second + 1000] = 1;                        //= all: global store s=8
    cuda::std::pair u{t, 3};
    o[product(u) + 2000] = 1;                                //= all: global store s=12
    auto q = cs::tuple_cat(cs::make_tuple(t), cs::make_tuple(t, t * 2));
    o[sum(q) + 3000] = 1;                                    //= all: global store s=16
    o[cs::apply(Add{}, cs::make_pair(t, t * 5)) + 4000] = 1; //= all: global store s=24
    auto [a, b] = split(t);
    o[a * 16 + b + 5000] = 1;                                //= all: global store s=8
    cs::tuple<float *, int, int> args{o, t, 3};
    cs::apply([](float *p, int i, int n) { p[i * n] = 1; }, args); //= all: global store s=12
    auto [x, y] = cs::pair<int, int>(t, t * 6);
    o[x + y + 6000] = 2;                                     //= all: global store s=28
}
struct Type {
    uint8_t const width; bool const has_sign; int32_t const bias;
    constexpr Type(uint8_t w, bool s, int32_t b) : width(w), has_sign(s), bias(b) {}
    template <class F, class I> constexpr auto fold(F f, I init) const { return f(f(f(init, width), has_sign), bias); }
    constexpr int64_t id() const
    {
        auto pack = [](std::pair<int64_t, uint32_t> at, auto member) -> std::pair<int64_t, uint32_t> {
            auto [id, bit] = at;
            return {id | int64_t(member) << bit, bit + uint32_t(sizeof(member) * 8)};
        };
        return fold(pack, std::pair<int64_t, uint32_t>{}).first;
    }
    static constexpr Type from(int64_t id)
    {
        auto unpack = [id](auto at, auto member) {
            auto [made, bit] = at;
            auto more = std::tuple_cat(made, std::make_tuple(static_cast<decltype(member)>(id >> bit)));
            return std::pair<decltype(more), int>{more, bit + int(sizeof(member) * 8)};
        };
        auto [args, rest] = Type(0, false, 0).fold(unpack, std::pair<std::tuple<>, int>{});
        return std::apply([](auto... a) { return Type(a...); }, args);
    }
};
template <int64_t id> __global__ void folded(float *o)
{
    static constexpr auto t = Type::from(id);
    o[threadIdx.x * (32 / t.width)] = 1;                     //= 8: global store s=16
    if constexpr (t.has_sign) o[threadIdx.x * 3] = 1;
    else o[threadIdx.x * 5 + t.bias] = 1;                    //= 8: global store s=20
}
struct Coord { int r, c; };
__device__ std::optional<Coord> find(int t) { if (t < 0) return {}; return Coord{t, t * 4}; }
__device__ cuda::std::optional<float *> row(float *o, int t) { return t < 1024 ? cuda::std::make_optional(o + t * 2) : cuda::std::nullopt; }
struct Queue { int next; __device__ cuda::std::optional<int> pop() { if (next >= 8) return cuda::std::nullopt; int n = next; next += 4; return n; } };
__global__ void optional(float *o)
{
    auto c = find(threadIdx.x);
    if (c) o[c->c] = 1;                                  //= all: global store s=16
    if (c.has_value()) o[1024 + (*c).r] = 2;             //= all: global store s=4
    **row(o, threadIdx.x) = 3;                           //= all: global store s=8
    cuda::std::optional<int> q;
    o[2048 + q.value_or(threadIdx.x) * 8] = 4;           //= all: global store s=32
    q = threadIdx.x;
    o[4096 + q.value()] = 5;                             //= all: global store s=4
    q.emplace(threadIdx.x * 2);
    o[8192 + *q] = 6;                                    //= all: global store s=8
    Queue queue{0};
    while (auto t = queue.pop()) o[16384 + *t * 256 + threadIdx.x] = *t;   //= all: global store s=4
}
static constexpr auto BYTE = Type(8, false, 0);
void go(float *o)
{
    k<<<1, 32>>>(o);
    folded<BYTE.id()><<<1, 32>>>(o);
    optional<<<1, 32>>>(o);
}

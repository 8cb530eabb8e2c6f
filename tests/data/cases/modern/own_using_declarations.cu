// origin: own
// Functions of base classes drawn in by using-declarations: of a pack, several in one, beside own ones of the same name.
struct A {}; struct B {};
struct FA { float *o; __device__ void operator()(A, int i) const { o[i] = 1; } };          //= all: global store s=4
struct FB { float *o; __device__ void operator()(B, int i) const { o[i * 4] = 2; } };      //= all: global store s=16
template <class... Ops> struct Over : Ops... { using Ops::operator()...; };
template <class... Ops> Over(Ops...) -> Over<Ops...>;
template <class T> struct Base {
    __device__ void put(T *o, int i) { o[i] = 1; }                                          //= all: global store s=4
    __device__ void put(T *o, T v) { o[0] = v; }                                            //= all: global store s=1
};
struct Other { __device__ void get(float *o, int i) { o[i * 2] = 1; } };                   //= all: global store s=8
template <class T> struct Derived : Base<T>, Other {
    using Base<T>::put, Other::get;
    __device__ void put(T *o, int i, int s) { o[i * s] = 2; }                               //= all: global store s=32
    __device__ void get(float *o, int i, int s) { o[i * s] = 2; }                           //= all: global store s=12
};
struct Plain : Other {
    using Other::get;
    __device__ void get(float *o) { o[threadIdx.x * 6] = 1; }                               //= all: global store s=24
};
struct Hiding : Other { using Other::get; __device__ void get(float *o, int i) { o[i * 7] = 3; } };   //= all: global store s=28
namespace lib { using ::float4; using ::uint2; template <class T> using ptr = T *; }
__global__ void built_in(float *o, const lib::float4 *g, lib::ptr<const lib::uint2> h) { o[threadIdx.x] = g[threadIdx.x].x + h[threadIdx.x].y; }   //= all: global load s=16 | global load s=8 | global store s=4
__global__ void overloaded(float *o)
{
    Over<FA, FB> f{FA{o}, FB{o}};
    f(A{}, threadIdx.x);
    f(B{}, threadIdx.x);
    Over g{FA{o}, FB{o}};
    g(A{}, threadIdx.x);
    g(B{}, threadIdx.x);
}
__global__ void drawn_in(float *o)
{
    Derived<float> d;
    d.put(o, int(threadIdx.x));
    d.put(o, 1.0f);
    d.put(o, threadIdx.x, 8);
    d.get(o, threadIdx.x);
    d.get(o, threadIdx.x, 3);
    Plain p;
    p.get(o);
    p.get(o, threadIdx.x);
    Hiding h;
    h.get(o, threadIdx.x);
}
void go(float *o) { overloaded<<<1, 64>>>(o); drawn_in<<<1, 64>>>(o); }
void more(float *o, const float4 *g, const uint2 *h) { built_in<<<1, 64>>>(o, g, h); }

// origin: own
// Static polymorphism with concepts, a layered class, a friend defined in the base, constrained overloads.
#include <concepts>
template <class D> concept Indexer = requires(const D &d, int i, int j) { { d.offset(i, j) } -> std::same_as<int>; { D::rank } -> std::convertible_to<int>; };
template <class Self> struct Accessor {
    float *base;
    __device__ const Self &self() const { return static_cast<const Self &>(*this); }
    __device__ float &operator()(int i, int j) const requires Indexer<Self> { return base[self().offset(i, j)]; }
    friend __device__ void put(const Self &s, int i, int j, float v) { s(i, j) = v; }
};
template <int LD> struct RowMajor : Accessor<RowMajor<LD>> { static constexpr int rank = 2; __device__ int offset(int i, int j) const { return i * LD + j; } };
template <int LD, int Sw = 7> struct Xor : Accessor<Xor<LD, Sw>> { static constexpr int rank = 2; __device__ int offset(int i, int j) const { return i * LD + (j ^ (i & Sw)); } };
template <class A> struct Logged : A { using inner = A; __device__ Logged(float *p) : A{{p}} {} __device__ auto &get(int i, int j) const { return inner::operator()(i, j); } };
template <Indexer V> __device__ float col(const V &v, int c) { return v(threadIdx.x, c); }
template <class V> __device__ float col(const V &v, int c) { return v.base[threadIdx.x * 16 + c]; }
__global__ void k(float *o)
{
    __shared__ float s[32 * 33];
    const int x = threadIdx.x, y = threadIdx.y;
    RowMajor<32> r{{s}}; RowMajor<33> p{{s}}; Xor<32, 31> z{{s}};
    Logged<RowMajor<32>> lg(s);
    r(y, x) = 1;           //= all: shared store w=1
    r(x, y) = 1;           //= all: shared store w=32
    p(x, y) = 1;           //= all: shared store w=1
    z(x, y) = 1;           //= all: shared store w=1
    put(z, y, x, 2);       //= all: shared store w=1
    put(r, x, y, 2);       //= all: shared store w=32
    lg.get(x, y) = 3;      //= all: shared store w=32
    __syncthreads();
    o[y * 32 + x] = col(r, y); //= all: shared load w=32 | global store s=4
}
void go(float *o) { k<<<1, dim3(32, 8)>>>(o); }

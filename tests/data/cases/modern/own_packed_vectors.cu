// origin: own
// Vector types chosen by templates, bit_cast, packed loads, aligned storage.
#include <type_traits>
#include <cstdint>
#include <cuda_fp16.h>
#include <cuda/std/bit>
template <int Bytes> struct vec_of; 
template <> struct vec_of<4> { using type = uint32_t; };
template <> struct vec_of<8> { using type = uint2; };
template <> struct vec_of<16> { using type = uint4; };
template <class T, int N> using vec_t = typename vec_of<sizeof(T) * N>::type;
template <class T, int N> struct alignas(sizeof(T) * N) pack { T v[N]; __device__ T &operator[](int i) { return v[i]; } static __device__ pack load(const T *p) { return cuda::std::bit_cast<pack>(*reinterpret_cast<const vec_t<T, N> *>(p)); } __device__ void store(T *p) const { *reinterpret_cast<vec_t<T, N> *>(p) = cuda::std::bit_cast<vec_t<T, N>>(*this); } };
template <class T> inline constexpr int per16 = 16 / sizeof(T);
template <class T> requires(sizeof(T) <= 4) __global__ void k(const T *__restrict__ g, T *o)
{
    constexpr int N = per16<T>;
    __shared__ alignas(16) T s[128 * N];
    const int t = threadIdx.x;
    auto a = pack<T, N>::load(g + t * N);     //= all: global load s=16
    a.store(s + t * N);                       //= all: shared store w=4
    __syncthreads();
    auto b = pack<T, N / 2>::load(s + t * N); //= all: shared load w=4
    b.store(o + t * N / 2);                   //= all: global store s=8
    using first = std::conditional_t<std::is_same_v<T, __half>, __half2, float2>;
    *reinterpret_cast<first *>(o + t * 2) = first{}; //= float: global store s=8 | __half: global store s=4
}
template <class T> void run(const T *g, T *o) { k<<<2, 128>>>(g, o); }
void go(const float *g, float *o, const __half *h, __half *p) { run(g, o); run(h, p); }

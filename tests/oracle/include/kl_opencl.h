// OpenCL C as plain C++: enough of the language to run kernels under the oracle.
#pragma once
#include "kl_common.h"

#define kl_local_storage static thread_local __attribute__((aligned(128)))
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

template <typename E, int N> struct kl_vector;
#define KL_EACH(N) for (int kl_i = 0; kl_i < N; kl_i++)
#define KL_BODY(V, E, N)                                                                                        \
    KL_COPIES(V, (sizeof(V) < 16 ? sizeof(V) : 16))                                                             \
    KL_INLINE V(E v) { KL_EACH(N) kl_set_element(kl_i, v); }                                                     \
    KL_INLINE void kl_set_element(int i, E v) { kl_copy(reinterpret_cast<E *>(this) + i, &v, sizeof v); }        \
    KL_INLINE E kl_element(int i) const { E v; kl_copy(&v, reinterpret_cast<const E *>(this) + i, sizeof v); return v; }
#define KL_PAIR(E, A, B) union { E A; E B; };
#define KL_DEFINE(T, E)                                                                                          \
    struct alignas(2 * sizeof(E)) T##2 {                                                                         \
        KL_PAIR(E, x, s0) KL_PAIR(E, y, s1) KL_BODY(T##2, E, 2)                                                  \
        KL_INLINE T##2(E a, E b) : x(a), y(b) {}                                                                 \
    };                                                                                                           \
    struct alignas(4 * sizeof(E)) T##4 {                                                                         \
        KL_PAIR(E, x, s0) KL_PAIR(E, y, s1) KL_PAIR(E, z, s2) KL_PAIR(E, w, s3) KL_BODY(T##4, E, 4)              \
        KL_INLINE T##4(E a, E b, E c, E d) : x(a), y(b), z(c), w(d) {}                                           \
        KL_INLINE T##4(T##2 a, T##2 b) : x(a.x), y(a.y), z(b.x), w(b.y) {}                                       \
        KL_INLINE T##2 kl_xy() const { return T##2(kl_element(0), kl_element(1)); }                              \
        KL_INLINE T##2 kl_zw() const { return T##2(kl_element(2), kl_element(3)); }                              \
    };                                                                                                           \
    struct alignas(8 * sizeof(E)) T##8 { E s0, s1, s2, s3, s4, s5, s6, s7; KL_BODY(T##8, E, 8) };                \
    struct alignas(16 * sizeof(E)) T##16 { E s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf; KL_BODY(T##16, E, 16) }; \
    template <> struct kl_vector<E, 2> { typedef T##2 type; };                                                   \
    template <> struct kl_vector<E, 4> { typedef T##4 type; };                                                   \
    template <> struct kl_vector<E, 8> { typedef T##8 type; };                                                   \
    template <> struct kl_vector<E, 16> { typedef T##16 type; };                                                 \
    template <typename... A> KL_INLINE T##2 make_##T##2(A... a) { return T##2(a...); }                           \
    template <typename... A> KL_INLINE T##4 make_##T##4(A... a) { return T##4(a...); }                           \
    KL_OPERATORS(T##2, E, 2) KL_OPERATORS(T##4, E, 4) KL_OPERATORS(T##8, E, 8) KL_OPERATORS(T##16, E, 16)
#define KL_OPERATORS(V, E, N) KL_OPERATOR(V, E, N, +) KL_OPERATOR(V, E, N, -) KL_OPERATOR(V, E, N, *) KL_OPERATOR(V, E, N, /)
#define KL_OPERATOR(V, E, N, OP)                                                                                 \
    KL_INLINE V operator OP(V a, V b) { V r; KL_EACH(N) r.kl_set_element(kl_i, E(a.kl_element(kl_i) OP b.kl_element(kl_i))); return r; } \
    KL_INLINE V &operator OP##=(V &a, V b) { V old = a; a = old OP b; return a; }
typedef signed char kl_char;
KL_DEFINE(char, kl_char)
KL_DEFINE(uchar, uchar)
KL_DEFINE(short, short)
KL_DEFINE(ushort, ushort)
KL_DEFINE(int, int)
KL_DEFINE(uint, uint)
KL_DEFINE(long, long)
KL_DEFINE(ulong, ulong)
KL_DEFINE(float, float)
KL_DEFINE(double, double)

// vloadn and vstoren need no more alignment than one element: one access per element.
#define KL_VECTOR_MEMORY(N)                                                                                      \
    template <typename E> KL_INLINE typename kl_vector<E, N>::type vload##N(size_t at, const E *p)               \
    {                                                                                                            \
        typename kl_vector<E, N>::type v;                                                                        \
        kl_move(&v, p + N * at, N * sizeof(E), sizeof(E));                                                       \
        return v;                                                                                                \
    }                                                                                                            \
    template <typename E> KL_INLINE void vstore##N(typename kl_vector<E, N>::type v, size_t at, E *p)            \
    {                                                                                                            \
        kl_move(p + N * at, &v, N * sizeof(E), sizeof(E));                                                       \
    }
KL_VECTOR_MEMORY(2)
KL_VECTOR_MEMORY(4)
KL_VECTOR_MEMORY(8)
KL_VECTOR_MEMORY(16)

// ---- work-items ---------------------------------------------------------------------------------------------------------
KL_INLINE unsigned kl_axis(kl_uint3 v, unsigned d, unsigned other) { return d == 0 ? v.x : d == 1 ? v.y : d == 2 ? v.z : other; }
inline size_t get_local_id(unsigned d) { return kl_axis(kl_thread_index(), d, 0); }
inline size_t get_group_id(unsigned d) { return kl_axis(kl_block_index(), d, 0); }
inline size_t get_local_size(unsigned d) { return kl_axis(kl_block_size(), d, 1); }
inline size_t get_num_groups(unsigned d) { return kl_axis(kl_grid_size(), d, 1); }
inline size_t get_global_size(unsigned d) { return get_local_size(d) * get_num_groups(d); }
inline size_t get_global_id(unsigned d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
inline size_t get_global_offset(unsigned) { return 0; }
inline unsigned get_work_dim() { return kl_grid_size().z * kl_block_size().z > 1 ? 3 : kl_grid_size().y * kl_block_size().y > 1 ? 2 : 1; }
inline size_t get_local_linear_id() { return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); }
inline unsigned get_sub_group_local_id() { return kl_lane(); }
enum { CLK_LOCAL_MEM_FENCE = 1, CLK_GLOBAL_MEM_FENCE = 2 };
KL_INLINE void barrier(unsigned) { kl_barrier(0); }
KL_INLINE void work_group_barrier(unsigned) { kl_barrier(0); }
KL_INLINE void mem_fence(unsigned) {}

// ---- arithmetic and atomics -----------------------------------------------------------------------------------------------
template <typename A, typename B> KL_INLINE auto min(A a, B b) -> decltype(a + b) { return b < a ? b : a; }
template <typename A, typename B> KL_INLINE auto max(A a, B b) -> decltype(a + b) { return a < b ? b : a; }
template <typename T> KL_INLINE T clamp(T v, typename kl_same<T>::type lo, typename kl_same<T>::type hi) { return v < lo ? lo : v > hi ? hi : v; }
template <typename T> KL_INLINE T mad(T a, typename kl_same<T>::type b, typename kl_same<T>::type c) { return a * b + c; }
template <typename T> KL_INLINE T mul24(T a, typename kl_same<T>::type b) { return a * b; }
template <typename T> KL_INLINE T mad24(T a, typename kl_same<T>::type b, typename kl_same<T>::type c) { return a * b + c; }
template <typename T> KL_INLINE T select(T a, T b, bool c) { return c ? b : a; }
template <typename T> KL_INLINE T rotate(T v, unsigned n) { return T(v << n | v >> (8 * sizeof(T) - n)); }
KL_INLINE int as_int(float v) { return kl_unpack<int>(kl_pack(v)); }
KL_INLINE float as_float(unsigned v) { return kl_unpack<float>(kl_pack(v)); }
KL_INLINE float native_sqrt(float v) { return sqrtf(v); }
KL_INLINE float native_exp(float v) { return expf(v); }
KL_INLINE float rsqrt(float v) { return 1.0f / sqrtf(v); }
KL_INLINE int convert_int(double v) { return int(v); }
KL_INLINE float convert_float(double v) { return float(v); }
KL_ATOMIC_OP(atomic_add, KL_ATOMIC, T(old + v))
KL_ATOMIC_OP(atomic_sub, KL_ATOMIC, T(old - v))
KL_ATOMIC_OP(atomic_min, KL_ATOMIC, v < old ? v : old)
KL_ATOMIC_OP(atomic_max, KL_ATOMIC, v > old ? v : old)
KL_ATOMIC_OP(atomic_and, KL_ATOMIC, T(old & v))
KL_ATOMIC_OP(atomic_or, KL_ATOMIC, T(old | v))
KL_ATOMIC_OP(atomic_xor, KL_ATOMIC, T(old ^ v))
KL_ATOMIC_OP(atomic_xchg, KL_ATOMIC, v)
KL_ATOMIC_OP(atom_add, KL_ATOMIC, T(old + v))
template <typename T> KL_INLINE T atomic_inc(volatile T *p) { return atomic_add(p, T(1)); }
template <typename T> KL_INLINE T atomic_dec(volatile T *p) { return atomic_sub(p, T(1)); }
template <typename T> KL_INLINE T atom_inc(volatile T *p) { return atomic_add(p, T(1)); }
KL_CAS_OP(atomic_cmpxchg)

struct kl_any_shape { unsigned v[3]; };
inline kl_launch_shape kl_shape(kl_any_shape g, kl_any_shape b, size_t dynamic = 0)
{
    return {{g.v[0], g.v[1], g.v[2]}, {b.v[0], b.v[1], b.v[2]}, dynamic};
}

// ---- qualifiers, last: they are ordinary names above -----------------------------------------------------------------------
#define __kernel
#define kernel
#define __global
#define global
#define __local
#define local
#define __constant
#define constant
#define __private
#define private
#define __read_only
#define restrict __restrict

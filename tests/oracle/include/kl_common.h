// Shared by the CUDA and OpenCL headers: launching, vector types, warp exchanges, atomics.
#pragma once
#include "../runtime.h"
#include <math.h>

#define KL_INLINE __attribute__((always_inline)) inline

template <typename F> void kl_call(void *f) { (*static_cast<F *>(f))(); }

struct kl_launch_shape { unsigned grid[3], block[3]; size_t dynamic; };

template <typename F, typename... A> void kl_launch(const char *name, int line, kl_launch_shape s, F f, A... a)
{
    auto body = [&] { f(a...); };
    kl_run(name, line, s.grid, s.block, s.dynamic, &kl_call<decltype(body)>, &body);
}

// One textual copy of a built-in vector is one access of its whole width, or of its pieces where its alignment allows no more.
#define KL_COPIES(V, PIECE)                                                                  \
    V() = default;                                                                           \
    KL_INLINE V(const V &o) { kl_move(this, &o, sizeof(V), PIECE); }                         \
    KL_INLINE V &operator=(const V &o) { kl_move(this, &o, sizeof(V), PIECE); return *this; }

template <typename T> KL_INLINE uint64_t kl_pack(T v) { uint64_t u = 0; kl_copy(&u, &v, sizeof v); return u; }
template <typename T> KL_INLINE T kl_unpack(uint64_t u) { T v; kl_copy(&v, &u, sizeof v); return v; }
template <typename T> KL_INLINE T kl_value(const volatile T *p) { T v; kl_copy(&v, const_cast<const T *>(p), sizeof v); return v; }
template <typename T> KL_INLINE void kl_set(volatile T *p, T v) { kl_copy(const_cast<T *>(p), &v, sizeof v); }

template <typename T> struct kl_same { typedef T type; };
#define KL_ATOMIC_OP(NAME, KIND, NEW)                                                                        \
    template <typename T> KL_INLINE T NAME(volatile T *p, typename kl_same<T>::type v)                       \
    {                                                                                                        \
        kl_note(const_cast<T *>(p), sizeof(T), KIND);                                                        \
        T old = kl_value(p);                                                                                 \
        kl_set<T>(p, NEW);                                                                                   \
        return old;                                                                                          \
    }
#define KL_CAS_OP(NAME)                                                                                      \
    template <typename T> KL_INLINE T NAME(volatile T *p, typename kl_same<T>::type c, typename kl_same<T>::type v) \
    {                                                                                                        \
        kl_note(const_cast<T *>(p), sizeof(T), KL_SWAP);                                                     \
        T old = kl_value(p);                                                                                 \
        if (old == c)                                                                                        \
            kl_set<T>(p, v);                                                                                 \
        return old;                                                                                          \
    }

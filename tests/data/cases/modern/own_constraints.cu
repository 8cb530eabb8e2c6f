// origin: own
// C++20 constraints whose value decides which function, class or branch is meant. `s` of a store says which one it was.
#include <concepts>
#include <cuda/std/concepts>
template <class T> concept small = sizeof(T) <= 4;
template <class T> concept tile = requires { T::rows; typename T::dtype; };
template <class T> concept row_major = tile<T> && requires { requires T::row; };
template <class T, int N> concept at_least = sizeof(T) >= N;
template <class T> concept indexed = requires(T t, int i) { t[i]; };
template <class T> concept sized = requires(const T &t) { { t.size() } -> std::same_as<int>; };
template <class T> concept sums = requires(T a, T b) { a + b; };
template <class... T> constexpr bool any_double = (std::same_as<T, double> || ...);
struct A { using dtype = float; static constexpr int rows = 32; static constexpr bool row = true; float v; __device__ int size() const { return 2; } };
struct B { using dtype = float; static constexpr int rows = 32; static constexpr bool row = false; float v; __device__ float size() const { return 2; } __device__ float &operator[](int i) { return v; } };
struct C { float v; };
__device__ C operator+(C a, C b) { return {a.v + b.v}; }

// overloads with the same parameters, told apart by their requires clauses
template <class T> requires small<T> __device__ int width(T) { return 1; }
template <class T> requires(!small<T>) __device__ int width(T) { return 2; }
// constrained parameters; the more constrained overload is meant
template <class T> __device__ int kind(T) { return 8; }
template <tile T> __device__ int kind(T) { return 4; }
template <row_major T> __device__ int kind(T) { return 2; }
// constrained auto
__device__ int number(std::integral auto) { return 1; }
__device__ int number(std::floating_point auto) { return 2; }
__device__ int number(const tile auto &) { return 4; }
__device__ int number(auto) { return 8; }
// concepts with arguments
template <at_least<8> T> __device__ int wide(T) { return 4; }
template <class T> __device__ int wide(T) { return 1; }
// trailing clauses, of functions and of methods
template <class T> __device__ int last(T) requires(sizeof(T) == 8) { return 2; }
template <class T> __device__ int last(T) requires(sizeof(T) == 4) { return 1; }
template <class T> struct Box {
    T v;
    __device__ int step() const requires std::integral<T> { return 2; }
    __device__ int step() const requires(!std::integral<T>) { return 4; }
};
// partial specialisations by constraint
template <class T> struct pitch { static constexpr int value = 8; };
template <small T> struct pitch<T> { static constexpr int value = 1; };
template <class T> requires indexed<T> && (!small<T>) struct pitch<T *> { static constexpr int value = 4; };
template <class T> __device__ constexpr int has() {
    if constexpr (requires(T t) { t.size(); }) return 2;
    else return 4;
}

__global__ void clause1(float *o) { o[threadIdx.x * width(1.0f)] = 1; }                    //= all: global store s=4
__global__ void clause2(float *o) { o[threadIdx.x * width(1.0)] = 1; }                     //= all: global store s=8
__global__ void kind1(float *o) { o[threadIdx.x * kind(A{})] = 1; }                        //= all: global store s=8
__global__ void kind2(float *o) { o[threadIdx.x * kind(B{})] = 1; }                        //= all: global store s=16
__global__ void kind3(float *o) { o[threadIdx.x * kind(C{})] = 1; }                        //= all: global store s=32
__global__ void auto1(float *o) { o[threadIdx.x * number(3)] = 1; }                        //= all: global store s=4
__global__ void auto2(float *o) { o[threadIdx.x * number(3.0f)] = 1; }                     //= all: global store s=8
__global__ void auto3(float *o) { A a; o[threadIdx.x * number(a)] = 1; }                   //= all: global store s=16
__global__ void auto4(float *o) { C c; o[threadIdx.x * number(c)] = 1; }                   //= all: global store s=32
__global__ void argument1(float *o) { o[threadIdx.x * wide(1.0)] = 1; }                    //= all: global store s=16
__global__ void argument2(float *o) { o[threadIdx.x * wide(1.0f)] = 1; }                   //= all: global store s=4
__global__ void trailing1(float *o) { o[threadIdx.x * last(1.0)] = 1; }                    //= all: global store s=8
__global__ void trailing2(float *o) { o[threadIdx.x * last(1)] = 1; }                      //= all: global store s=4
__global__ void method1(float *o) { Box<int> b; o[threadIdx.x * b.step()] = 1; }           //= all: global store s=8
__global__ void method2(float *o) { Box<float> b; o[threadIdx.x * b.step()] = 1; }         //= all: global store s=16
__global__ void special1(float *o) { o[threadIdx.x * pitch<int>::value] = 1; }             //= all: global store s=4
__global__ void special2(float *o) { o[threadIdx.x * pitch<double>::value] = 1; }          //= all: global store s=32
__global__ void valid1(float *o) { if constexpr (indexed<B>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }       //= all: global store s=4
__global__ void valid2(float *o) { if constexpr (indexed<A>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }       //= all: global store s=32
__global__ void valid3(float *o) { if constexpr (indexed<float *>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; } //= all: global store s=4
__global__ void valid4(float *o) { if constexpr (sized<A>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }         //= all: global store s=4
__global__ void valid5(float *o) { if constexpr (sized<B>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }         //= all: global store s=32
__global__ void valid6(float *o) { if constexpr (sums<C>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }          //= all: global store s=4
__global__ void valid7(float *o) { if constexpr (sums<A>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }          //= all: global store s=32
__global__ void valid8(float *o) { if constexpr (sums<int>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }        //= all: global store s=4
__global__ void inner1(float *o) { o[threadIdx.x * has<A>()] = 1; }                        //= all: global store s=8
__global__ void inner2(float *o) { o[threadIdx.x * has<C>()] = 1; }                        //= all: global store s=16
__global__ void folded(float *o) { if constexpr (any_double<int, double>) o[threadIdx.x] = 1; else o[threadIdx.x * 8] = 1; }   //= all: global store s=4
template <small T, class... R> requires(std::integral<R> && ...) __global__ void packed(T *o, R... r) { o[threadIdx.x * sizeof...(r)] = 1; }   //= all: global store s=8
template <class T> requires small<T> __global__ void chosen(T *o) { o[threadIdx.x] = 1; }                               //= all: global store s=4
void go(float *o)
{
    clause1<<<1, 64>>>(o); clause2<<<1, 64>>>(o); kind1<<<1, 64>>>(o); kind2<<<1, 64>>>(o); kind3<<<1, 64>>>(o);
    auto1<<<1, 64>>>(o); auto2<<<1, 64>>>(o); auto3<<<1, 64>>>(o); auto4<<<1, 64>>>(o); argument1<<<1, 64>>>(o); argument2<<<1, 64>>>(o);
    trailing1<<<1, 64>>>(o); trailing2<<<1, 64>>>(o); method1<<<1, 64>>>(o); method2<<<1, 64>>>(o); special1<<<1, 64>>>(o); special2<<<1, 64>>>(o);
    valid1<<<1, 64>>>(o); valid2<<<1, 64>>>(o); valid3<<<1, 64>>>(o); valid4<<<1, 64>>>(o); valid5<<<1, 64>>>(o); valid6<<<1, 64>>>(o);
    valid7<<<1, 64>>>(o); valid8<<<1, 64>>>(o); inner1<<<1, 64>>>(o); inner2<<<1, 64>>>(o); folded<<<1, 64>>>(o);
    packed<float, int, int><<<1, 64>>>(o, 1, 2); chosen<float><<<1, 64>>>(o);
}

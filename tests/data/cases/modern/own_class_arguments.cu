// origin: own
// C++20: a configuration of class type as a template argument, designated initialisers, a table made by a lambda at compile time.
//   pitch = 32 + pad: column of a 32-row tile: pad 0 -> 32 ways, 1 -> 1, 8 -> 40 r mod 32 = 8 r: 4 rows differ -> 8 ways
struct Config {
    int rows = 32, pad = 0;
    bool vector = false;
    __host__ __device__ constexpr int pitch() const { return 32 + pad; }
    constexpr bool operator==(const Config &) const = default;
};
template <int N> struct Table { int v[N]; __host__ __device__ constexpr int operator[](int i) const { return v[i]; } };
__host__ __device__ constexpr Table<32> turned() {
    Table<32> t{};
    for (int i = 0; i < 32; i++) t.v[i] = 31 - i;
    return t;
}
__device__ constexpr Table<32> reversed = turned();
template <Config C> __global__ void columns(const float *g, float *o)
{
    __shared__ __align__(16) float s[C.rows * C.pitch()];
    if constexpr (C.vector) {
        for (int i = threadIdx.x; i < C.rows * 8; i += blockDim.x) *(float4 *)&s[i / 8 * C.pitch() + i % 8 * 4] = ((const float4 *)g)[i];   //= Config{32,8,1}: shared store w=4 | global load s=16
    } else {
        for (int i = threadIdx.x; i < C.rows * 32; i += blockDim.x) s[i / 32 * C.pitch() + i % 32] = g[i];   //= Config{32,0,0}: shared store w=1 | global load s=4 | Config{32,1,0}: shared store w=1 | global load s=4
    }
    __syncthreads();
    float a = 0;
#pragma unroll
    for (int c = 0; c < 4; c++) a += s[threadIdx.x % 32 * C.pitch() + reversed[c]];                    //= Config{32,0,0}: shared load w=32 | Config{32,1,0}: shared load w=1 | Config{32,8,1}: shared load w=8
    o[blockIdx.x * blockDim.x + threadIdx.x] = a;                                                     //= all: global store s=4
}
inline constexpr Config padded{.pad = 1};
void go(const float *g, float *o) { columns<Config{}><<<4, 128>>>(g, o); columns<padded><<<4, 128>>>(g, o); columns<Config{.pad = 8, .vector = true}><<<4, 128>>>(g, o); }

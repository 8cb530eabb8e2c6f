// origin: own
// Class-type template arguments, consteval, designated initialisers, using enum, structured bindings.
#include <cuda/std/array>
#include <cuda/std/utility>
enum class Layout { row, col };
struct Config { int bm = 32, bn = 32, pad = 0; Layout layout = Layout::row; constexpr bool operator==(const Config &) const = default; consteval int ld() const { return (layout == Layout::row ? bn : bm) + pad; } };
consteval int log2i(int n) { int r = 0; while (n >>= 1) ++r; return r; }
template <Config C> struct Tile {
    using enum Layout;
    float s[C.bm * (C.bn + C.pad)];
    static constexpr auto strides() { if constexpr (C.layout == row) return cuda::std::pair{C.ld(), 1}; else return cuda::std::pair{1, C.ld()}; }
    __device__ float &operator()(int i, int j) { constexpr auto st = strides(); return s[i * st.first + j * st.second]; }
};
template <Config C> __global__ void k(float *o)
{
    __shared__ Tile<C> t;
    const auto [x, y] = cuda::std::pair<int, int>(threadIdx.x, threadIdx.y);
    t(y, x) = 1;       //= Config{32,32,0,0}: shared store w=1 | Config{32,32,1,0}: shared store w=1 | Config{32,32,0,1}: shared store w=32
    __syncthreads();
    o[(y << log2i(C.bn)) + x] = t(x, y); //= all: global store s=4 | Config{32,32,0,0}: shared load w=32 | Config{32,32,1,0}: shared load w=1 | Config{32,32,0,1}: shared load w=1
}
constexpr Config plain{}, padded{.pad = 1}, cols{.layout = Layout::col};
void go(float *o) { k<plain><<<1, dim3(32, 8)>>>(o); k<padded><<<1, dim3(32, 8)>>>(o); k<cols><<<1, dim3(32, 8)>>>(o); }

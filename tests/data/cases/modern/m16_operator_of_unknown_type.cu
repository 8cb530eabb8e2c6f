// origin: issue cases
// flashinfer fastdiv.cuh over <cuda/cmath>'s cuda::fast_mod_div (its header is not read): `n / impl_` is taken for the file's own
// operator/(uint32_t, const uint_fastdiv &), which calls divmod, which ...: "recursive call of operator/ is not analysed".
// expected: an operand of unknown type chooses no overload that needs a conversion of it; n / impl_ is unknown; no recursion. store: 4 sectors
#include <cuda/cmath>
#include <cstdint>
struct uint_fastdiv {
    __host__ uint_fastdiv(uint32_t d) : impl_(d ? d : 1), d_(d) {}
    __host__ __device__ __forceinline__ void divmod(uint32_t n, uint32_t &q, uint32_t &r) const { q = n / impl_; r = n - q * d_; }
    cuda::fast_mod_div<uint32_t> impl_;
    uint32_t d_;
};
__host__ __device__ __forceinline__ uint32_t operator/(const uint32_t n, const uint_fastdiv &v) { uint32_t q, r; v.divmod(n, q, r); return q; }
__global__ void k(float *o, uint_fastdiv f) { o[threadIdx.x + 256 * blockIdx.x] = blockIdx.x / f; }   //= all: global store s=4
void go(float *o, int n) { k<<<64, 256>>>(o, uint_fastdiv(n)); }

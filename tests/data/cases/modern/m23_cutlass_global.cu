// origin: issue cases
// DeepGEMM: every kernel is declared by CUTLASS_GLOBAL (cutlass.h is not found): "no kernel found (43 files)", exit code 0, no word of a missing header.
// expected: the kernel is seen (`__launch_bounds__`, threadIdx), or at least a KL003 that names cutlass.h and the macro; global store 32 sectors
#include <cutlass/cutlass.h>
template <int N>
CUTLASS_GLOBAL void __launch_bounds__(128, 1) k(float *o)
{
    o[blockIdx.x * 4096 + threadIdx.x * 32] = N;
}

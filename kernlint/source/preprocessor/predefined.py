"""Macros that exist before the first line: the compiler's own, and those of standard headers that
kernlint never sees.

Data only. A definition by the user, in the file or on the command line, wins over every one of
these.
"""

from __future__ import annotations

IMPLIED: dict[
    str, dict[str, str]
] = {  # what a standard header defines where a macro of the user's is defined
    "NDEBUG": {
        "assert(condition)": "__builtin_assume(condition)"
    },  # nothing is checked; what follows may rely on it all the same
}

LIMITS: dict[str, str] = {
    "CHAR_BIT": "8",
    "SCHAR_MIN": "(-128)",
    "SCHAR_MAX": "127",
    "UCHAR_MAX": "255",
    "CHAR_MIN": "(-128)",
    "CHAR_MAX": "127",
    "SHRT_MIN": "(-32768)",
    "SHRT_MAX": "32767",
    "USHRT_MAX": "65535",
    "INT_MIN": "(-2147483647-1)",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295U",
    "LONG_MIN": "(-9223372036854775807L-1L)",
    "LONG_MAX": "9223372036854775807L",
    "ULONG_MAX": "18446744073709551615UL",
    "M_E": "2.7182818284590452354",
    "M_LOG2E": "1.4426950408889634074",
    "M_LOG10E": "0.43429448190325182765",
    "M_LN2": "0.69314718055994530942",
    "M_LN10": "2.30258509299404568402",
    "M_PI": "3.14159265358979323846",
    "M_PI_2": "1.57079632679489661923",
    "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390",
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
    "FLT_RADIX": "2",
    "FLT_DIG": "6",
    "FLT_MANT_DIG": "24",
    "FLT_MAX_EXP": "128",
    "FLT_MIN_EXP": "(-125)",
    "FLT_MAX_10_EXP": "38",
    "FLT_MIN_10_EXP": "(-37)",
    "FLT_MAX": "3.402823466e+38f",
    "FLT_MIN": "1.175494351e-38f",
    "FLT_EPSILON": "1.192092896e-07f",
    "DBL_DIG": "15",
    "DBL_MANT_DIG": "53",
    "DBL_MAX_EXP": "1024",
    "DBL_MIN_EXP": "(-1021)",
    "DBL_MAX": "1.7976931348623158e+308",
    "DBL_MIN": "2.2250738585072014e-308",
    "DBL_EPSILON": "2.2204460492503131e-16",
}

# <climits>, <cstdint>, <cfloat>, <cmath>, math_constants.h, cuda_fp16.h on 64-bit Linux
CUDA_HEADERS: dict[str, str] = {
    **LIMITS,
    "LLONG_MIN": "(-9223372036854775807LL-1LL)",
    "LLONG_MAX": "9223372036854775807LL",
    "ULLONG_MAX": "18446744073709551615ULL",
    "INT8_MIN": "(-128)",
    "INT8_MAX": "(127)",
    "UINT8_MAX": "(255)",
    "INT16_MIN": "(-32767-1)",
    "INT16_MAX": "(32767)",
    "UINT16_MAX": "(65535)",
    "INT32_MIN": "(-2147483647-1)",
    "INT32_MAX": "(2147483647)",
    "UINT32_MAX": "(4294967295U)",
    "INT64_MIN": "(-9223372036854775807L-1)",
    "INT64_MAX": "(9223372036854775807L)",
    "UINT64_MAX": "(18446744073709551615UL)",
    "INTPTR_MAX": "(9223372036854775807L)",
    "UINTPTR_MAX": "(18446744073709551615UL)",
    "PTRDIFF_MAX": "(9223372036854775807L)",
    "PTRDIFF_MIN": "(-9223372036854775807L-1)",
    "SIZE_MAX": "(18446744073709551615UL)",
    "RAND_MAX": "2147483647",
    "EXIT_SUCCESS": "0",
    "EXIT_FAILURE": "1",
    "INFINITY": "__int_as_float(0x7f800000)",
    "NAN": "__int_as_float(0x7fffffff)",
    "HUGE_VALF": "__int_as_float(0x7f800000)",
    "HUGE_VAL": "__longlong_as_double(0x7ff0000000000000LL)",
    "CUDART_INF_F": "__int_as_float(0x7f800000)",
    "CUDART_NAN_F": "__int_as_float(0x7fffffff)",
    "CUDART_MIN_DENORM_F": "__int_as_float(0x00000001)",
    "CUDART_MAX_NORMAL_F": "__int_as_float(0x7f7fffff)",
    "CUDART_PI_F": "3.141592654f",
    "CUDART_PIO2_F": "1.570796327f",
    "CUDART_PIO4_F": "0.785398163f",
    "CUDART_L2E_F": "1.442695041f",
    "CUDART_LN2_F": "0.693147181f",
    "CUDART_SQRT_TWO_F": "1.414213562f",
    "CUDART_SQRT_HALF_F": "0.707106781f",
    "CUDART_INF": "__longlong_as_double(0x7ff0000000000000LL)",
    "CUDART_NAN": "__longlong_as_double(0xfff8000000000000LL)",
    "CUDART_PI": "3.1415926535897931e+0",
    "CUDART_VERSION": "13000",
    "CUDA_VERSION": "13000",
}

CUDA: dict[str, str] = {
    "__CUDACC__": "1",
    "__NVCC__": "1",
    "__CUDACC_VER_MAJOR__": "13",
    "__CUDACC_VER_MINOR__": "0",
    "__CUDACC_VER_BUILD__": "48",
    "__CUDA_API_VER_MAJOR__": "13",
    "__CUDA_API_VER_MINOR__": "0",
    "__cplusplus": "201703L",
    "__STDC__": "1",
    "__STDC_HOSTED__": "1",
    "__GNUC__": "12",
    "__GNUC_MINOR__": "2",
    "__GNUC_PATCHLEVEL__": "0",
    "__GNUG__": "12",
    "__linux__": "1",
    "__linux": "1",
    "linux": "1",
    "__gnu_linux__": "1",
    "__unix__": "1",
    "__unix": "1",
    "__x86_64__": "1",
    "__x86_64": "1",
    "__amd64__": "1",
    "__LP64__": "1",
    "_LP64": "1",
    "__ELF__": "1",
    "__OPTIMIZE__": "1",
    "__EXCEPTIONS": "1",
    "__SIZEOF_INT__": "4",
    "__SIZEOF_LONG__": "8",
    "__SIZEOF_LONG_LONG__": "8",
    "__SIZEOF_POINTER__": "8",
    "__SIZEOF_SIZE_T__": "8",
    "__SIZEOF_FLOAT__": "4",
    "__SIZEOF_DOUBLE__": "8",
    "__CHAR_BIT__": "8",
    "__INT_MAX__": "0x7fffffff",
    "__LONG_MAX__": "0x7fffffffffffffffL",
    "__BYTE_ORDER__": "__ORDER_LITTLE_ENDIAN__",
    "__ORDER_LITTLE_ENDIAN__": "1234",
    "__ORDER_BIG_ENDIAN__": "4321",
    "__SIZE_TYPE__": "unsigned long",
    "__PTRDIFF_TYPE__": "long",
    "__FLT_MAX__": "3.402823466e+38f",
    "__FLT_EPSILON__": "1.192092896e-07f",
    "__DBL_MAX__": "1.7976931348623158e+308",
    "__cpp_if_constexpr": "201606L",
    "__cpp_fold_expressions": "201603L",
    "__cpp_structured_bindings": "201606L",
    "__cpp_lambdas": "200907L",
    "__cpp_constexpr": "201603L",
}

# OpenCL C 3.0, sections 6.13 (preprocessor) and 6.15 (constants of built-in functions); values of
# CL/opencl-c headers
OPENCL: dict[str, str] = {
    **LIMITS,
    "__OPENCL__": "1",
    "__OPENCL_VERSION__": "300",
    "__OPENCL_C_VERSION__": "300",
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    "CL_VERSION_2_0": "200",
    "CL_VERSION_2_1": "210",
    "CL_VERSION_2_2": "220",
    "CL_VERSION_3_0": "300",
    "__ENDIAN_LITTLE__": "1",
    "__IMAGE_SUPPORT__": "1",
    "__STDC_VERSION__": "199901L",
    "LONG_MIN": "(-9223372036854775807L-1L)",
    "CLK_LOCAL_MEM_FENCE": "1",
    "CLK_GLOBAL_MEM_FENCE": "2",
    "CLK_IMAGE_MEM_FENCE": "4",
    "CLK_ADDRESS_NONE": "0",
    "CLK_ADDRESS_CLAMP_TO_EDGE": "2",
    "CLK_ADDRESS_CLAMP": "4",
    "CLK_ADDRESS_REPEAT": "6",
    "CLK_ADDRESS_MIRRORED_REPEAT": "8",
    "CLK_NORMALIZED_COORDS_FALSE": "0",
    "CLK_NORMALIZED_COORDS_TRUE": "1",
    "CLK_FILTER_NEAREST": "0x10",
    "CLK_FILTER_LINEAR": "0x20",
    "CLK_SNORM_INT8": "0x10D0",
    "CLK_SNORM_INT16": "0x10D1",
    "CLK_UNORM_INT8": "0x10D2",
    "CLK_UNORM_INT16": "0x10D3",
    "CLK_SIGNED_INT8": "0x10D7",
    "CLK_SIGNED_INT16": "0x10D8",
    "CLK_SIGNED_INT32": "0x10D9",
    "CLK_UNSIGNED_INT8": "0x10DA",
    "CLK_UNSIGNED_INT16": "0x10DB",
    "CLK_UNSIGNED_INT32": "0x10DC",
    "CLK_HALF_FLOAT": "0x10DD",
    "CLK_FLOAT": "0x10DE",
    "CLK_R": "0x10B0",
    "CLK_RG": "0x10B2",
    "CLK_RGBA": "0x10B5",
    "MAXFLOAT": "0x1.fffffep127f",
    "HUGE_VALF": "as_float(0x7f800000)",
    "HUGE_VAL": "as_double(0x7ff0000000000000L)",
    "INFINITY": "as_float(0x7f800000)",
    "NAN": "as_float(0x7fc00000)",
    "M_E_F": "2.71828182845904523536028747135266250f",
    "M_LOG2E_F": "1.44269504088896340735992468100189214f",
    "M_LOG10E_F": "0.434294481903251827651128918916605082f",
    "M_LN2_F": "0.693147180559945309417232121458176568f",
    "M_LN10_F": "2.30258509299404568401799145468436421f",
    "M_PI_F": "3.14159265358979323846264338327950288f",
    "M_PI_2_F": "1.57079632679489661923132169163975144f",
    "M_PI_4_F": "0.785398163397448309615660845819875721f",
    "M_1_PI_F": "0.318309886183790671537767526745028724f",
    "M_2_PI_F": "0.636619772367581343075535053490057448f",
    "M_2_SQRTPI_F": "1.12837916709551257389615890312154517f",
    "M_SQRT2_F": "1.41421356237309504880168872420969808f",
    "M_SQRT1_2_F": "0.707106781186547524400844362104849039f",
    "HALF_MAX": "0x1.ffcp15h",
    "HALF_MIN": "0x1.0p-14h",
    "HALF_EPSILON": "0x1.0p-10h",
    "CHAR_MIN": "SCHAR_MIN",
    "CHAR_MAX": "SCHAR_MAX",
    "cl_khr_fp64": "1",
    "cl_khr_fp16": "1",
    "cl_khr_byte_addressable_store": "1",
    "cl_khr_global_int32_base_atomics": "1",
    "cl_khr_global_int32_extended_atomics": "1",
    "cl_khr_local_int32_base_atomics": "1",
    "cl_khr_local_int32_extended_atomics": "1",
    "cl_khr_int64_base_atomics": "1",
    "cl_khr_int64_extended_atomics": "1",
    "cl_khr_3d_image_writes": "1",
    "cl_khr_subgroups": "1",
    "__opencl_c_int64": "1",
    "__opencl_c_fp64": "1",
    "__opencl_c_images": "1",
    "__opencl_c_subgroups": "1",
    "__opencl_c_generic_address_space": "1",
}

BUILTINS = (
    "__LINE__",
    "__FILE__",
    "__BASE_FILE__",
    "__FILE_NAME__",
    "__COUNTER__",
    "__DATE__",
    "__TIME__",
    "__INCLUDE_LEVEL__",
)
# `#ifdef __has_include` holds, though none of these expands
ALWAYS_DEFINED = frozenset(
    {
        "__has_include",
        "__has_include_next",
        "__has_attribute",
        "__has_cpp_attribute",
        "__has_builtin",
    }
)


# hipcc for AMD devices (HIP documentation, porting guide: compiler defines) and what HIP's headers
# define
HIP = {
    "__HIP__": "1",
    "__HIPCC__": "1",
    "__HIP_PLATFORM_AMD__": "1",
    "__HIP_PLATFORM_HCC__": "1",
    "__HIP_DEVICE_COMPILE__": "1",
    "__AMDGCN__": "1",
    "HIP_KERNEL_NAME(...)": "__VA_ARGS__",
    "HIP_SYMBOL(name)": "name",
    "HIP_DYNAMIC_SHARED(type, name)": "extern __shared__ type name[];",
    "HIP_DYNAMIC_SHARED_ATTRIBUTE": "",
}

# PyTorch 2: c10/macros/Macros.h, ATen/cuda/detail/KernelUtils.h; of ATen/Dispatch.h and
# torch/headeronly/core/Dispatch.h the switch over the types of a tensor, which is not known here:
# the first case that is written runs (lowering/dispatch.py)
TORCH = {
    "C10_WARP_SIZE": "32",
    "C10_LAUNCH_BOUNDS_0": "",
    "C10_LAUNCH_BOUNDS_1(threads)": "__launch_bounds__((threads))",
    "C10_LAUNCH_BOUNDS_2(threads, blocks)": "__launch_bounds__((threads), (blocks))",
    "C10_HOST_DEVICE": "__host__ __device__",
    "C10_DEVICE": "__device__",
    "C10_HOST": "__host__",
    "C10_RESTRICT": "__restrict__",
    "CUDA_KERNEL_LOOP_TYPE(i, n, type)": (
        "for (type i = (type)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)"
    ),
    "CUDA_KERNEL_LOOP(i, n)": "CUDA_KERNEL_LOOP_TYPE(i, n, int)",
}
TORCH |= {
    f"{prefix}_{name}": text
    for prefix in ("AT", "THO")
    for name, text in (
        ("DISPATCH_SWITCH(TYPE, NAME, ...)", "[&] { __VA_ARGS__ }()"),
        (
            "DISPATCH_CASE(ENUM, ...)",
            'return AT_DISPATCH_CASE_LAMBDA(ENUM, "scalar_t", __VA_ARGS__);',
        ),
        (
            "PRIVATE_CASE_TYPE_USING_HINT(ENUM, HINT, ...)",
            "return AT_DISPATCH_CASE_LAMBDA(ENUM, #HINT, __VA_ARGS__);",
        ),
    )
}


def predefined(language: str, arch: int) -> dict[str, str]:
    """Name → replacement for one language; `arch` is the compute capability times 100 (sm_90:
    900)."""
    if language == "opencl":
        return dict(OPENCL)
    if language == "hip":
        return {
            **CUDA_HEADERS,
            **TORCH,
            **{name: value for name, value in CUDA.items() if not name.startswith("__CUDA")},
            **HIP,
        }
    return {
        **CUDA_HEADERS,
        **TORCH,
        **CUDA,
        "__CUDA_ARCH__": str(arch),
        "__CUDA_ARCH_LIST__": str(arch),
    }

// Device code that several kernels of staging.cu share.
#pragma once

template <typename T>
__device__ __forceinline__ T fetch(const T *__restrict__ values, int index, int stride)
{
    return values[index * stride];
}

__device__ inline void spread(float *tile, int lane, float value)
{
    tile[lane * 2] = value;
}

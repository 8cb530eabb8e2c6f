// Matrix transpose in OpenCL, n a multiple of 32: naive, tiled, padded.
#define TILE 32

// Bad: neighbouring work-items write elements n apart.
// kernlint: launch(grid=32x32, block=32x32, n=1024)
__kernel void transpose_naive(__global float *out, __global const float *in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[x * n + y] = in[y * n + x];
}

// Better: rows on both sides, but the tile's column shares banks.
// kernlint: launch(grid=32x32, block=32x32, n=1024)
__kernel void transpose_tiled(__global float *out, __global const float *in, int n)
{
    __local float tile[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_group_id(1) * TILE + lx, y = get_group_id(0) * TILE + ly;
    out[y * n + x] = tile[lx][ly];
}

// Good: rows of 33 words start in different banks.
// kernlint: launch(grid=32x32, block=32x32, n=1024)
__kernel void transpose_padded(__global float *out, __global const float *in, int n)
{
    __local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_group_id(1) * TILE + lx, y = get_group_id(0) * TILE + ly;
    out[y * n + x] = tile[lx][ly];
}

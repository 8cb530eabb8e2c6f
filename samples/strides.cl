// Strides in global and local memory after M. Komatsu: how many cache lines and banks 16 work-items of int touch.
// Made for `--device intel-gen9` (16 lanes, 64-byte lines, 16 banks).

// kernlint: launch(grid=64, block=16)
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void global_unit(__global int *out, __global const int *in)
{
    int gid = get_global_id(0);
    out[gid] = in[gid];  // one line: full bandwidth
}

// kernlint: launch(grid=64, block=16)
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void global_offset(__global int *out, __global const int *in)
{
    int gid = get_global_id(0);
    out[gid] = in[gid + 1];  // two lines: half
}

// kernlint: launch(grid=64, block=16)
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void global_stride8(__global int *out, __global const int *in)
{
    int gid = get_global_id(0);
    out[gid] = in[gid * 8];  // a line for every two work-items: 1/8
}

// kernlint: launch(grid=64, block=16)
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void global_stride16(__global int *out, __global const int *in)
{
    int gid = get_global_id(0);
    out[gid] = in[gid * 16];  // a line for each work-item: 1/16
}

// kernlint: launch(grid=16x16, block=4x2, gsize=64)
__kernel void global_rows(__global int *out, __global const int *in, int gsize)
{
    int i = get_global_id(0) + get_global_id(1) * gsize;
    out[i] = in[i];  // a line for each row of the group: 1/4
}

// kernlint: launch(grid=64, block=16)
__kernel void local_strides(__global int *out)
{
    __local int s[512];
    int lid = get_local_id(0), sum = 0;
    for (int i = lid; i < 512; i += 16) s[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += s[lid];       // 16 banks
    sum += s[lid + 1];   // 16 banks
    sum += s[lid & ~1];  // 8 banks, pairs share a word: no conflict
    sum += s[lid * 2];   // 8 banks: 1/2
    sum += s[lid * 16];  // one bank: 16-way
    sum += s[lid * 17];  // 16 banks again
    out[get_global_id(0)] = sum;
}

// origin: issue cases
// launch: work-group 256, 16384 work-items.
// right: barrier() inside `if (l < 32)` with 256 work-items: violates OpenCL (all work-items must reach it). Error.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void total(__global const float *in, __global float *out)
{
    __local float acc[256];
    const uint l = get_local_id(0);
    acc[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 128; s > 32; s >>= 1) {
        if (l < s) acc[l] += acc[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l < 32) {
        acc[l] += acc[l + 32]; barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL401 not reached by
        acc[l] += acc[l + 16]; barrier(CLK_LOCAL_MEM_FENCE);
        acc[l] += acc[l + 8]; barrier(CLK_LOCAL_MEM_FENCE);
        acc[l] += acc[l + 4]; barrier(CLK_LOCAL_MEM_FENCE);
        acc[l] += acc[l + 2]; barrier(CLK_LOCAL_MEM_FENCE);
        acc[l] += acc[l + 1]; barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = acc[0];
}

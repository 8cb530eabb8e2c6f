// origin: issue cases
// launch: work-group 16x16, 640x480 work-items (directive below).
// right: work-items leave the loop by their own data while others go on to the barrier: not reached by all, hang. Must be told (error or "may").
// kernlint: launch(kernel=track, grid=40x30, block=16x16)
__kernel void track(__global const float *img, __global float2 *flow, int steps, int pitch)
{
    __local float part[256];
    const int l = get_local_id(1) * 16 + get_local_id(0);
    float2 p = flow[get_global_id(1) * pitch + get_global_id(0)];
    for (int k = 0; k < steps; ++k) {
        if (p.x < 0 || p.y < 0 || p.x > 639 || p.y > 479) break;
        part[l] = img[(int)p.y * pitch + (int)p.x];
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL401 may not be reached
        p += (float2)(part[l ^ 1] - part[l], part[l ^ 16] - part[l]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    flow[get_global_id(1) * pitch + get_global_id(0)] = p;
}

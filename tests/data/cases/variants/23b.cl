// origin: our own
// right: error: then / else barrier
// kernlint: launch(grid=8, block=128)
__kernel void halves(__global float *d)
{
    __local float s[128];
    uint l = get_local_id(0);
    s[l] = d[get_global_id(0)];
    if (l < 64) { s[l] += 1; barrier(CLK_LOCAL_MEM_FENCE); d[get_global_id(0)] = s[l + 64]; }  // expect: KL401 not reached by
    else { s[l] *= 2; barrier(CLK_LOCAL_MEM_FENCE); d[get_global_id(0)] = s[l - 64]; }
}

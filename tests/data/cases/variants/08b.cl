// origin: our own
// right: 4 vectors of 8 bytes in turn: 2 wavefronts; neighbours that agree would take 1
// kernlint: launch(grid=16, block=64)
__kernel void coef(__global const float2 *in, __global float2 *out)
{
    __local float2 c[4];
    int l = get_local_id(0);
    if (l < 4) c[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = c[l & 3] * in[get_global_id(0)];  // expect: KL103 2 wavefronts per request instead of 1
}

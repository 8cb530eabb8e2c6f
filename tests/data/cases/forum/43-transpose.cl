// origin: our own
// question: OpenCL transpose with __local tile 32x32: 32-way (32x8 group)
// kernlint: launch(grid=32x32, block=32x8, w=1024, h=1024)
__kernel void transpose(__global const float *in, __global float *out, int w, int h)
{
    __local float t[32][32];
    int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 32, gy = get_group_id(1) * 32;
    for (int j = 0; j < 32; j += 8) t[ly + j][lx] = in[(gy + ly + j) * w + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 32; j += 8) out[(gx + ly + j) * h + gy + lx] = t[lx][ly + j];  // expect: KL101 32 wavefronts per request instead of 1
}

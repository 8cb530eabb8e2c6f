// origin: our own
// right: KL402 (OpenCL), loop with barrier first and return after
// kernlint: launch(grid=4, block=64, n=100)
__kernel void walk(__global float *x, int n)
{
    __local float s[64];
    int l = get_local_id(0);
    for (int r = 0; r < n; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL402 may have returned between this barrier and an earlier one
        s[l] = x[r * 64 + l];
        if (s[l] > 3) return;
    }
    x[l] = s[l];
}

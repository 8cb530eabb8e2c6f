// origin: our own
// right: KL401/402 may: return by data inside loop before barrier
// kernlint: launch(grid=16, block=64)
__kernel void search(__global const int *d, __global int *out, int rounds)
{
    __local int s[64];
    int l = get_local_id(0);
    for (int r = 0; r < rounds; ++r) {
        s[l] = d[r * 1024 + get_global_id(0)];
        if (s[l] == 0) { out[0] = r; return; }
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL402 may have returned between this barrier and an earlier one
        out[get_global_id(0) + 1] = s[63 - l];
    }
}

// origin: issue cases
__kernel void k1(__global float *x, int n) {
    __local float s[256];
    int i = get_global_id(0);
    if (i >= n) return;
    s[get_local_id(0)] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL402 may have returned before this barrier
    x[i] = s[get_local_id(0)] + s[0];
}

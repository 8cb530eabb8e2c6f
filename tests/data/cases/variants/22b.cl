// origin: our own
// right: error: barrier under get_local_id(0) > 0
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void diff(__global float *x)
{
    __local float s[64];
    int l = get_local_id(0);
    s[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l > 0) {
        float d = s[l] - s[l - 1];
        barrier(CLK_LOCAL_MEM_FENCE);  // expect: KL401 not reached by
        s[l] = d;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = s[l];
}

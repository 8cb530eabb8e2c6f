// origin: issue cases
// kernlint: launch(grid=128, block=64)
kernel void t7(global float* restrict p) {
    local float my[64];
    event_t h[2];
    if (get_global_id(0) < 213) h[0] = async_work_group_copy(my, p, 64, 0);
}
// kernlint: launch(grid=128, block=64)
kernel void t8(global float* restrict p) {
    local float my[64];
    if (get_local_id(0) == 0) { event_t h = async_work_group_copy(my, p, 64, 0); wait_group_events(1, &h); }
    p[get_global_id(0)] = my[get_local_id(0)];
}
// kernlint: launch(grid=128, block=64)
kernel void t9(global float* restrict p) {
    if (get_local_id(0) == 0) { p[0] = work_group_reduce_add(p[get_local_id(0)]); sub_group_barrier(CLK_LOCAL_MEM_FENCE); work_group_barrier(CLK_LOCAL_MEM_FENCE); }
}

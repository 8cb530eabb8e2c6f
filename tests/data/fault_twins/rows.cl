__kernel void b_row_1(__global float *a, int n) {
    int i = get_global_id(0);
    if (i < n - 1) a[i] = a[i + 1];
}
__kernel void g_row_1(__global const float *a, __global float *b, int n) {
    int i = get_global_id(0);
    if (i < n - 1) b[i] = a[i + 1];
}
__kernel void b_row_2(__global int *sum, __global const int *a) {
    sum[0] += a[get_global_id(0)];
}
__kernel void g_row_2(__global int *sum, __global const int *a) {
    atomic_add(sum, a[get_global_id(0)]);
}
__kernel void b_row_3(__global float *u, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        u[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}
__kernel void g_row_3(__global const float *u, __global float *v, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
        v[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}
__kernel void g_row_4(__global float *a, int n) {
    int i = get_global_id(0);
    if (i < n) a[i] = a[i] * 2;
}
__kernel void b_row_5(__global float *partial, __global float *out, int groups) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0) partial[g] = g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    float s = 0;
    if (get_global_id(0) == 0) { for (int i = 0; i < groups; i++) s += partial[i]; out[0] = s; }
}

// kernlint: launch(grid=8, block=128, n=1024)
__kernel void b_fence(__global const float *in, __global float *out, int n) { __local float s[128]; int t = get_local_id(0), i = get_global_id(0); s[t] = in[i]; barrier(CLK_GLOBAL_MEM_FENCE); out[i] = s[127 - t]; }
// kernlint: launch(grid=8, block=128, n=1024)
__kernel void g_fence(__global const float *in, __global float *out, int n) { __local float s[128]; int t = get_local_id(0), i = get_global_id(0); s[t] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = s[127 - t]; }
// kernlint: launch(grid=8, block=128, n=1024)
__kernel void b_memfence(__global const float *in, __global float *out, int n) { __local float s[128]; int t = get_local_id(0), i = get_global_id(0); s[t] = in[i]; mem_fence(CLK_LOCAL_MEM_FENCE); out[i] = s[127 - t]; }
// kernlint: launch(grid=8, block=128)
__kernel void b_copy(__global const float *in, __global float *out) { __local float s[128]; event_t e = async_work_group_copy(s, in + get_group_id(0) * 128, 128, 0); out[get_global_id(0)] = s[get_local_id(0)]; wait_group_events(1, &e); }
// kernlint: launch(grid=8, block=128)
__kernel void g_copy(__global const float *in, __global float *out) { __local float s[128]; event_t e = async_work_group_copy(s, in + get_group_id(0) * 128, 128, 0); wait_group_events(1, &e); out[get_global_id(0)] = s[get_local_id(0)]; }
// kernlint: launch(grid=8, block=64)
__kernel void b_localarr(__global const float *in, __global float *out) { __local float s[64]; int t = get_local_id(0); s[t + 1] = in[get_global_id(0)]; if (t == 0) s[0] = 0; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = s[t]; }
// kernlint: launch(grid=8, block=64)
__kernel void g_localarr(__global const float *in, __global float *out) { __local float s[65]; int t = get_local_id(0); s[t + 1] = in[get_global_id(0)]; if (t == 0) s[0] = 0; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = s[t]; }
// kernlint: launch(grid=4, block=64)
__kernel void b_reduce(__global const int *in, __global int *out) { __local int s[64]; int t = get_local_id(0); s[t] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); for (int o = 32; o > 0; o >>= 1) { if (t < o) { s[t] += s[t + o]; barrier(CLK_LOCAL_MEM_FENCE); } } if (t == 0) out[get_group_id(0)] = s[0]; }
// kernlint: launch(grid=4, block=64)
__kernel void g_reduce(__global const int *in, __global int *out) { __local int s[64]; int t = get_local_id(0); s[t] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); for (int o = 32; o > 0; o >>= 1) { if (t < o) s[t] += s[t + o]; barrier(CLK_LOCAL_MEM_FENCE); } if (t == 0) out[get_group_id(0)] = s[0]; }
// kernlint: launch(grid=4, block=64)
__kernel void b_vload(__global const float *in, __global float *out) { int i = get_global_id(0); float4 v = *(__global const float4 *)(in + 3 * i); out[i] = v.x + v.y + v.z + v.w; }
// kernlint: launch(grid=4, block=64)
__kernel void g_vload(__global const float *in, __global float *out) { int i = get_global_id(0); float4 v = vload4(0, in + 3 * i); out[i] = v.x + v.y + v.z + v.w; }
// kernlint: launch(grid=4, block=64)
__kernel void b_gsum(__global const int *in, __global int *total) { total[0] += in[get_global_id(0)]; }
// kernlint: launch(grid=4, block=64)
__kernel void g_gsum(__global const int *in, __global int *total) { atomic_add(&total[0], in[get_global_id(0)]); }
// kernlint: launch(grid=4, block=64)
__kernel void b_lcount(__global const int *in, __global int *out) { __local int c; if (in[get_global_id(0)] > 3) atomic_inc(&c); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) out[get_group_id(0)] = c; }
// kernlint: launch(grid=4, block=64)
__kernel void g_lcount(__global const int *in, __global int *out) { __local int c; if (get_local_id(0) == 0) c = 0; barrier(CLK_LOCAL_MEM_FENCE); if (in[get_global_id(0)] > 3) atomic_inc(&c); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) out[get_group_id(0)] = c; }
__constant float w[5] = {1, 4, 6, 4, 1};
// kernlint: launch(grid=4, block=64)
__kernel void b_const(__global const float *in, __global float *out) { int i = get_global_id(0); float a = 0; for (int k = 0; k <= 5; k++) a += w[k] * in[i + k]; out[i] = a; }
// kernlint: launch(grid=4, block=64)
__kernel void b_gplace(__global float *x) { int i = get_global_id(0); float v = x[i + 1]; x[i] = v; }
// kernlint: launch(grid=4, block=64)
__kernel void g_gplace(__global float *x, __global float *y) { int i = get_global_id(0); float v = x[i + 1]; y[i] = v; }
// kernlint: launch(grid=4, block=64)
__kernel void b_gfence(__global float *x, __global float *y) { int l = get_local_id(0), i = get_global_id(0); x[i] = y[i]; barrier(CLK_LOCAL_MEM_FENCE); y[i] = x[i - l + 63 - l]; }
// kernlint: launch(grid=4, block=64)
__kernel void g_gfence(__global float *x, __global float *y) { int l = get_local_id(0), i = get_global_id(0); x[i] = y[i]; barrier(CLK_GLOBAL_MEM_FENCE); y[i] = x[i - l + 63 - l]; }
// kernlint: launch(grid=4, block=64)
__kernel void g_both(__global float *x, __global float *y) { __local float s[64]; int l = get_local_id(0), i = get_global_id(0); x[i] = y[i]; s[l] = y[i]; work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); y[i] = x[i - l + 63 - l] + s[63 - l]; }

typedef struct { float4 pos; int id; } Particle;
__constant int weights[3] = {1, 2, 1};
inline int clampi(int x, int lo, int hi) { return x < lo ? lo : (x > hi ? hi : x); }
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void k1(__global const float *in, __global float *out, __local float *tmp, const int n, float4 c, __global Particle *ps, image2d_t img) {
    int gid = get_global_id(0), lid = get_local_id(0);
    __local float tile[64];
    for (int d = 0; d < 2; d++) out[get_global_id(d)] = 0;
    tile[lid] = in[clampi(gid, 0, n - 1)] * weights[lid % 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = vload4(gid, in);
    v.xy += v.zw * 2.0f;
    v.lo = (float2)(1.0f);
    vstore4(v, gid, out);
    float4 w = (float4)(tile[0], 1.0f, v.s01);
    int4 mask = w > c;
    out[mask.x & 3] = dot(v, w);
    ps[gid].pos = v; ps[gid].id = as_int(v.x) + convert_int(v.y);
    tmp[lid] = ps[lid].pos.z;
    atomic_inc((volatile __global int *)&ps[gid].id);
    float4 px = read_imagef(img, (int2)(gid, lid));
    out[gid] = px.x;
    event_t e = async_work_group_copy(tmp, in + gid, 64, 0);
    wait_group_events(1, &e);
    uchar4 u = ((__global uchar4*)in)[gid]; out[u.w] = select(1.0f, 2.0f, u.x > 3);
    private int arr[4]; arr[lid & 3] = lid; out[arr[0]] = min(lid, 4);
    size_t total = get_global_size(0) * get_num_groups(1);
    out[total] = mad24(lid, 3, 4) + rotate(lid, 3);
}

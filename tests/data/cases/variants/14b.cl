// origin: our own
// right: 20-byte structures: 20 sectors instead of 4
typedef struct { float x, y, z, q, m; } body_t;
__kernel void forces(__global const body_t *b, __global float4 *f, int n)
{
    size_t me = get_global_id(0);
    float4 a = (float4)(0.0f);
    for (int j = 0; j < n; ++j) {
        float dx = b[j].x - b[me].x, dy = b[j].y - b[me].y, dz = b[j].z - b[me].z;  // expect: KL206 20 sectors per request instead of 4
        float r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-6f);
        a.x += b[j].m * dx * r; a.y += b[j].m * dy * r; a.z += b[j].m * dz * r;
    }
    f[me] = a;
}

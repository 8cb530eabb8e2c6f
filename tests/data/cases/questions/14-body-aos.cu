// origin: issue cases
// launch: block 256, grid 118, n = 30000 (host code below).
// right: body[me].x/.y/.z and the updates of vx, vy, vz: 24 sectors per request (32 x 24 B; ideal 4);
//        body[j].*: 1 sector (all lanes the same address). Fix: structure of arrays (or stage tiles in shared memory).
typedef struct { float x, y, z, vx, vy, vz; } Star;
__global__ void pull(Star *body, float dt, int n)
{
    int me = blockDim.x * blockIdx.x + threadIdx.x;
    if (me < n) {
        float ax = 0.f, ay = 0.f, az = 0.f;
        for (int j = 0; j < n; j++) {
            float dx = body[j].x - body[me].x;  // expect: KL206 23.99 sectors per request instead of 4 | structure of arrays
            float dy = body[j].y - body[me].y;
            float dz = body[j].z - body[me].z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
            float f = inv * inv * inv;
            ax += dx * f; ay += dy * f; az += dz * f;
        }
        body[me].vx += dt * ax; body[me].vy += dt * ay; body[me].vz += dt * az;
    }
}
int main()
{
    int n = 30000;
    Star *d; cudaMalloc(&d, n * sizeof(Star));
    pull<<<(n + 255) / 256, 256>>>(d, 0.01f, n);
}

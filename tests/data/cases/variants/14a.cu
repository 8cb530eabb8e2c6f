// origin: our own
// right: 32-byte structures: 32 sectors instead of 4
struct Vec { float x, y, z; };
struct Particle { Vec pos; Vec vel; float mass; int id; };
__global__ void drift(Particle *p, float dt, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle &q = p[i];
    q.pos.x += q.vel.x * dt;  // expect: KL206 32 sectors per request instead of 4
    q.pos.y += q.vel.y * dt;
    q.pos.z += q.vel.z * dt;
}
void step(Particle *p, int n) { const int T = 192; drift<<<(n + T - 1) / T, T>>>(p, 0.5f, n); }

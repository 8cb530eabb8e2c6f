// One member of a structure per thread: array of structures and structure of arrays.

struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int kind;
};

struct Particles {
    float *x, *y, *z;
    float *vx, *vy, *vz;
};

// Bad: neighbouring particles are 32 bytes apart, so each lane reads its four bytes from its own sector.
// kernlint: launch(grid=4096, block=256, n=1000000)
__global__ void move_structures(Particle *p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}

// Good: one array per member.
// kernlint: launch(grid=4096, block=256, n=1000000)
__global__ void move_arrays(Particles p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p.x[i] += dt * p.vx[i];
        p.y[i] += dt * p.vy[i];
        p.z[i] += dt * p.vz[i];
    }
}

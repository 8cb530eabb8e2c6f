// Particle codes: n-body, AoS/SoA integration, pairwise distances, nearest neighbours, cell binning.
#include <cstdio>
#include <cuda_runtime.h>

struct Particle {
    float x, y, z;
    float vx, vy, vz;
    float mass;
    int alive;
};

struct ParticleArrays {
    float *x, *y, *z;
    float *vx, *vy, *vz;
};

#define CHECK_LAUNCH(name)                                                        \
    if (cudaError_t e = cudaGetLastError(); e != cudaSuccess) {                   \
        std::fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(e));            \
        return 1;                                                                 \
    }

__device__ inline float hash01(unsigned v) {
    v = (v ^ 61u) ^ (v >> 16);
    v *= 9u;
    v ^= v >> 4;
    v *= 0x27d4eb2du;
    v ^= v >> 15;
    return (v & 0xffffff) * (1.0f / 16777216.0f);
}

__global__ void init_all(float4* bodies, float4* vel, Particle* aos, ParticleArrays soa, float* feat,
                         int nb, int np, int nf) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nb) {
        bodies[i] = make_float4(hash01(3 * i), hash01(3 * i + 1), hash01(3 * i + 2), 1.0f / nb);
        vel[i] = make_float4(0, 0, 0, 0);
    }
    if (i < np) {
        Particle p;
        p.x = hash01(i);
        p.y = hash01(i + 77);
        p.z = hash01(i + 991);
        p.vx = 0.1f;
        p.vy = -0.05f;
        p.vz = 0.02f;
        p.mass = 1.f;
        p.alive = (i % 10) != 3;
        aos[i] = p;
        soa.x[i] = p.x;
        soa.y[i] = p.y;
        soa.z[i] = p.z;
        soa.vx[i] = p.vx;
        soa.vy[i] = p.vy;
        soa.vz[i] = p.vz;
    }
    if (i < nf) feat[i] = hash01(i * 5 + 1) * 2.f - 1.f;
}

// All pairs gravity with a tile of bodies in shared memory.
template <int TILE>
__global__ void nbody_forces(const float4* __restrict__ pos, float4* __restrict__ vel, int n, float dt) {
    __shared__ float4 tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    const float4 me = pos[i];
    float ax = 0.f, ay = 0.f, az = 0.f;

    for (int t = 0; t < n / TILE; ++t) {
        tile[threadIdx.x] = pos[t * TILE + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; ++j) {
            const float4 o = tile[j];
            const float dx = o.x - me.x;
            const float dy = o.y - me.y;
            const float dz = o.z - me.z;
            const float d2 = dx * dx + dy * dy + dz * dz + 1e-4f;
            const float inv = rsqrtf(d2);
            const float s = o.w * inv * inv * inv;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    float4 v = vel[i];
    v.x += ax * dt;
    v.y += ay * dt;
    v.z += az * dt;
    vel[i] = v;
}

__global__ void step_aos(Particle* p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (!p[i].alive) return;
    p[i].vz -= 9.81f * dt;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
    if (p[i].z < 0.f) {
        p[i].z = -p[i].z;
        p[i].vz = -0.8f * p[i].vz;
    }
}

__global__ void step_soa(ParticleArrays p, int n, float dt) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        float vz = p.vz[i] - 9.81f * dt;
        float z = p.z[i] + vz * dt;
        p.x[i] += p.vx[i] * dt;
        p.y[i] += p.vy[i] * dt;
        if (z < 0.f) {
            z = -z;
            vz = -0.8f * vz;
        }
        p.z[i] = z;
        p.vz[i] = vz;
    }
}

// Squared distances between two sets of D-dimensional points (row major), 64x64 tile, 4x4 per thread.
constexpr int FD = 16;

__global__ void pairwise_sq(const float* __restrict__ X, const float* __restrict__ Y, float* __restrict__ dist, int ny) {
    __shared__ float xs[FD][64];
    __shared__ float ys[FD][64 + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int x0 = blockIdx.y * 64, y0 = blockIdx.x * 64;

#pragma unroll
    for (int l = 0; l < 64 * FD / 256; ++l) {
        const int e = tid + l * 256;
        const int pt = e / FD, d = e % FD;
        xs[d][pt] = X[(x0 + pt) * FD + d];
        ys[d][pt] = Y[(y0 + pt) * FD + d];
    }
    __syncthreads();

    float acc[4][4] = {};
#pragma unroll
    for (int d = 0; d < FD; ++d) {
        float a[4], b[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            a[i] = xs[d][ty * 4 + i];
            b[i] = ys[d][tx + 16 * i];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                float t = a[i] - b[j];
                acc[i][j] += t * t;
            }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            dist[(x0 + ty * 4 + i) * ny + y0 + tx + 16 * j] = acc[i][j];
}

// K nearest references of each query, best list kept sorted in registers.
template <int K>
__global__ void knn_tile(const float4* __restrict__ query, const float4* __restrict__ ref, int nref,
                         int* __restrict__ idx, float* __restrict__ d2) {
    constexpr int T = 128;
    __shared__ float rx[T];
    __shared__ float ry[T];
    __shared__ float rz[T];
    const int q = blockIdx.x * T + threadIdx.x;
    const float4 me = query[q];

    float best[K];
    int who[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
        best[k] = 3.0e38f;
        who[k] = -1;
    }

    for (int base = 0; base < nref; base += T) {
        const int count = min(T, nref - base);
        if (threadIdx.x < count) {
            const float4 r = ref[base + threadIdx.x];
            rx[threadIdx.x] = r.x;
            ry[threadIdx.x] = r.y;
            rz[threadIdx.x] = r.z;
        }
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            const float dx = rx[j] - me.x;
            const float dy = ry[j] - me.y;
            const float dz = rz[j] - me.z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < best[K - 1]) {
                int id = base + j;
#pragma unroll
                for (int k = 0; k < K; ++k) {
                    if (d < best[k]) {
                        float td = best[k];
                        int ti = who[k];
                        best[k] = d;
                        who[k] = id;
                        d = td;
                        id = ti;
                    }
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < K; ++k) {
        idx[q * K + k] = who[k];
        d2[q * K + k] = best[k];
    }
}

// Count particles per cell of an 8x8x8 grid using a block-private histogram.
__global__ void bin_cells(const Particle* p, int n, unsigned* cells) {
    __shared__ unsigned local[512];
    for (int c = threadIdx.x; c < 512; c += blockDim.x) local[c] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (!p[i].alive) continue;
        int cx = min(max((int)(p[i].x * 8.f), 0), 7);
        int cy = min(max((int)(p[i].y * 8.f), 0), 7);
        int cz = min(max((int)(p[i].z * 8.f), 0), 7);
        atomicAdd(&local[(cz * 8 + cy) * 8 + cx], 1u);
    }
    __syncthreads();

    for (int c = threadIdx.x; c < 512; c += blockDim.x)
        if (local[c] != 0) atomicAdd(&cells[c], local[c]);
}

int main() {
    constexpr int NB = 4096;
    constexpr int NP = 100000;
    constexpr int NPTS = 1024;
    constexpr int NREF = 2000;
    constexpr int KNN = 4;

    float4 *bodies, *vel;
    Particle* aos;
    ParticleArrays soa;
    float *feat, *dist, *kd;
    int* ki;
    unsigned* cells;
    cudaMalloc(&bodies, NB * sizeof(float4));
    cudaMalloc(&vel, NB * sizeof(float4));
    cudaMalloc(&aos, NP * sizeof(Particle));
    for (float** f : {&soa.x, &soa.y, &soa.z, &soa.vx, &soa.vy, &soa.vz}) cudaMalloc(f, NP * sizeof(float));
    cudaMalloc(&feat, NPTS * FD * sizeof(float));
    cudaMalloc(&dist, NPTS * NPTS * sizeof(float));
    cudaMalloc(&kd, NB * KNN * sizeof(float));
    cudaMalloc(&ki, NB * KNN * sizeof(int));
    cudaMalloc(&cells, 512 * sizeof(unsigned));
    cudaMemset(cells, 0, 512 * sizeof(unsigned));
    CHECK_LAUNCH("alloc");

    init_all<<<(NP + 255) / 256, 256>>>(bodies, vel, aos, soa, feat, NB, NP, NPTS * FD);
    CHECK_LAUNCH("init_all");

    nbody_forces<128><<<NB / 128, 128>>>(bodies, vel, NB, 0.001f);
    CHECK_LAUNCH("nbody_forces");
    step_aos<<<(NP + 127) / 128, 128>>>(aos, NP, 0.01f);
    CHECK_LAUNCH("step_aos");
    step_soa<<<132, 256>>>(soa, NP, 0.01f);
    CHECK_LAUNCH("step_soa");
    pairwise_sq<<<dim3(NPTS / 64, NPTS / 64), dim3(16, 16)>>>(feat, feat, dist, NPTS);
    CHECK_LAUNCH("pairwise_sq");
    knn_tile<KNN><<<NB / 128, 128>>>(bodies, bodies, NREF, ki, kd);
    CHECK_LAUNCH("knn_tile");
    bin_cells<<<64, 192>>>(aos, NP, cells);
    CHECK_LAUNCH("bin_cells");
    cudaDeviceSynchronize();
    CHECK_LAUNCH("sync");

    cudaFree(bodies);
    cudaFree(vel);
    cudaFree(aos);
    for (float* f : {soa.x, soa.y, soa.z, soa.vx, soa.vy, soa.vz}) cudaFree(f);
    cudaFree(feat);
    cudaFree(dist);
    cudaFree(kd);
    cudaFree(ki);
    cudaFree(cells);
    std::puts("particles ok");
    return 0;
}

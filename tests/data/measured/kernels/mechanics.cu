#include <cstdio>
#include <cstdint>
#include <vector>

#define TILE 64
#define R 2
constexpr int CAP = 12;
constexpr float H2 = 0.0225f;

__device__ __forceinline__ unsigned xorshift(unsigned &s) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}
__device__ float uniform(uint64_t &state) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    unsigned x = (unsigned)(((state >> 18) ^ state) >> 27), r = (unsigned)(state >> 59);
    x = (x >> r) | (x << ((32 - r) & 31));
    return (x >> 8) * (1.0f / 16777216.0f);
}
__device__ float3 pull(float4 a, float4 b, float3 f) {
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = b.w * inv * inv * inv;
    return make_float3(f.x + dx * w, f.y + dy * w, f.z + dz * w);
}

__global__ void nbody_tiled(const float4 *__restrict__ body, float3 *__restrict__ acc, int n) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 f = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += TILE) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; k++) f = pull(me, tile[k], f);
        __syncthreads();
    }
    if (i < n) acc[i] = f;
}
__global__ void nbody_skewed(const float4 *body, float3 *acc, int n) {
    __shared__ float sx[32], sy[32], sz[32], sm[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    float4 me = body[i];
    float3 f = make_float3(0, 0, 0);
    for (int b = 0; b < n / 32; b++) {
        float4 o = body[b * 32 + t];
        sx[t] = o.x, sy[t] = o.y, sz[t] = o.z, sm[t] = o.w;
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            int j = (t + k) & 31;
            f = pull(me, make_float4(sx[j], sy[j], sz[j], sm[j]), f);
        }
        __syncthreads();
    }
    acc[i] = f;
}
__global__ void kick_drift(float4 *body, float3 *vel, const float3 *acc, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 v = vel[i], a = acc[i];
    v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
    body[i].x += v.x * dt;
    body[i].y += v.y * dt;
    body[i].z += v.z * dt;
    vel[i] = v;
}
__global__ void cell_count(const float2 *pos, int *counts, int n, int nx, int ny) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cx = min(max((int)(pos[i].x * nx), 0), nx - 1), cy = min(max((int)(pos[i].y * ny), 0), ny - 1);
    atomicAdd(&counts[cy * nx + cx], 1);
}
__global__ void cell_build(const float2 *pos, int *list, int *filled, int n, int nx, int ny) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= nx * ny) return;
    int k = 0;
    for (int i = 0; i < n && k < CAP; i++) {
        int cx = min((int)(pos[i].x * nx), nx - 1), cy = min((int)(pos[i].y * ny), ny - 1);
        if (cy * nx + cx == c) list[c * CAP + k++] = i;
    }
    filled[c] = k;
}
__global__ void lj_cells(const float2 *pos, const int *list, const int *filled, float2 *force, int nx, int ny) {
    int slot = threadIdx.x, cx = blockIdx.x, cy = blockIdx.y, c = cy * nx + cx;
    if (slot >= filled[c]) return;
    int i = list[c * CAP + slot];
    float2 p = pos[i], f = make_float2(0, 0);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int m = ((cy + dy + ny) % ny) * nx + (cx + dx + nx) % nx;
            for (int k = 0; k < filled[m]; k++) {
                int j = list[m * CAP + k];
                if (j == i) continue;
                float rx = p.x - pos[j].x, ry = p.y - pos[j].y, r2 = rx * rx + ry * ry + 1e-4f;
                if (r2 > H2) continue;
                float s = 1e-6f / (r2 * r2 * r2), w = s * (2.0f * s - 1.0f) / r2;
                f.x += w * rx, f.y += w * ry;
            }
        }
    force[i] = f;
}
__global__ void sph_density(const float2 *__restrict__ pos, float *__restrict__ rho, int n, float mass) {
    __shared__ float2 s[96];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 p = pos[min(i, n - 1)];
    float d = 0;
    for (int b = 0; b < n; b += 96) {
        int m = min(96, n - b);
        if (threadIdx.x < m) s[threadIdx.x] = pos[b + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < m; k++) {
            float x = p.x - s[k].x, y = p.y - s[k].y, q = H2 - x * x - y * y;
            if (q > 0) d += mass * q * q * q;
        }
        __syncthreads();
    }
    if (i < n) rho[i] = d;
}
__global__ void sph_pressure(const float2 *pos, const float *rho, const int *neigh, float2 *f, int n, int most, float k0) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 a = make_float2(0.0f, -9.8f * rho[i]);
    for (int k = 0; k < most; k++) {
        int j = neigh[k * n + i];
        if (j < 0) break;
        float w = k0 * (rho[i] + rho[j]) / (2.0f * fmaxf(rho[j], 1e-6f));
        a.x -= w * (pos[j].x - pos[i].x);
        a.y -= w * (pos[j].y - pos[i].y);
    }
    f[i] = a;
}
__global__ void cloth_springs(const float4 *pos, float4 *force, int w, int h, float rest) {
    __shared__ float4 s[8 + 2][16 + 2];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = ty * 16 + tx; k < 18 * 10; k += 128) {
        int lx = k % 18, ly = k / 18;
        s[ly][lx] = pos[min(max(y0 + ly, 0), h - 1) * w + min(max(x0 + lx, 0), w - 1)];
    }
    __syncthreads();
    int x = x0 + 1 + tx, y = y0 + 1 + ty;
    if (x >= w || y >= h) return;
    const int ox[4] = {-1, 1, 0, 0}, oy[4] = {0, 0, -1, 1};
    float4 p = s[ty + 1][tx + 1], f = make_float4(0, -9.8f, 0, 0);
#pragma unroll
    for (int e = 0; e < 4; e++) {
        if (x + ox[e] < 0 || x + ox[e] >= w || y + oy[e] < 0 || y + oy[e] >= h) continue;
        float4 q = s[ty + 1 + oy[e]][tx + 1 + ox[e]];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z, len = sqrtf(dx * dx + dy * dy + dz * dz) + 1e-6f;
        float g = 40.0f * (len - rest) / len;
        f.x += g * dx, f.y += g * dy, f.z += g * dz;
    }
    force[y * w + x] = f;
}
__global__ void cloth_verlet(float4 *pos, float4 *old, const float4 *force, int w, int h, float dt2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w || (y == 0 && x % 8 == 0)) return;
    int i = y * w + x;
    float4 p = pos[i], o = old[i], f = force[i];
    old[i] = p;
    p.x += 0.99f * (p.x - o.x) + f.x * dt2;
    p.y = fmaxf(p.y + 0.99f * (p.y - o.y) + f.y * dt2, -1.0f);
    p.z += 0.99f * (p.z - o.z) + f.z * dt2;
    pos[i] = p;
}
__global__ void mc_pi(unsigned long long *hits, int rounds, unsigned seed) {
    __shared__ int part[128];
    unsigned s = seed ^ (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u;
    int in = 0;
    for (int r = 0; r < rounds; r++) {
        float x = (xorshift(s) >> 8) / 16777216.0f, y = (xorshift(s) >> 8) / 16777216.0f;
        if (x * x + y * y <= 1.0f) in++;
    }
    part[threadIdx.x] = in;
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(hits, (unsigned long long)part[0]);
}
__global__ void mc_walk(float *paths, int walkers, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walkers) return;
    uint64_t st = 0x9E3779B97F4A7C15ull * (i + 1);
    float x = 1.0f;
    for (int t = 0; t < steps; t++) {
        x *= 1.0f + 0.02f * (uniform(st) - 0.5f);
        paths[t * walkers + i] = x;
    }
}
__global__ void ising_half(signed char *spin, const float *boltz, unsigned *state, int w, int h, int colour) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= w / 2 || y >= h) return;
    int x = 2 * col + ((y + colour) & 1), up = (y + h - 1) % h, down = (y + 1) % h;
    int sum = spin[up * w + x] + spin[down * w + x] + spin[y * w + (x + 1) % w] + spin[y * w + (x + w - 1) % w];
    unsigned s = state[y * (w / 2) + col];
    int e = spin[y * w + x] * sum;
    if (e <= 0 || (xorshift(s) >> 8) < boltz[e] * 16777216.0f) spin[y * w + x] = -spin[y * w + x];
    state[y * (w / 2) + col] = s;
}
__global__ void life(const uint8_t *in, uint8_t *out, int w, int h) {
    __shared__ uint8_t s[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int ly = threadIdx.y; ly < 10; ly += 8)
        for (int lx = threadIdx.x; lx < 34; lx += 32) {
            int gx = (blockIdx.x * 32 + lx + w - 1) % w, gy = (blockIdx.y * 8 + ly + h - 1) % h;
            s[ly][lx] = in[gy * w + gx];
        }
    __syncthreads();
    if (x >= w || y >= h) return;
    int c = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) c += s[threadIdx.y + dy][threadIdx.x + dx];
    bool alive = s[threadIdx.y + 1][threadIdx.x + 1];
    out[y * w + x] = c == 3 || (alive && c == 4);
}
__global__ void rule110(const unsigned *in, unsigned *out, int words) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned c = in[i], l = (c >> 1) | (in[i == 0 ? words - 1 : i - 1] << 31), r = (c << 1) | (in[i + 1 < words ? i + 1 : 0] >> 31);
        out[i] = (c | r) & ~(l & c & r);
    }
}
__global__ void heat_1d(const double *in, double *out, int n, double k) {
    __shared__ double s[128 + 2 * R];
    int i = blockIdx.x * 128 + threadIdx.x, l = threadIdx.x + R;
    s[l] = i < n ? in[i] : 0.0;
    if (threadIdx.x < R) {
        s[l - R] = i >= R ? in[i - R] : 0.0;
        s[l + 128] = i + 128 < n ? in[i + 128] : 0.0;
    }
    __syncthreads();
    if (i < R || i >= n - R) return;
    out[i] = s[l] + k * (-s[l - 2] + 16 * s[l - 1] - 30 * s[l] + 16 * s[l + 1] - s[l + 2]) / 12;
}
__global__ void heat_3d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz, float k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, plane = nx * ny;
    if (x >= nx - 1 || y >= ny - 1) return;
    int at = y * nx + x;
    float below = in[at], here = in[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        float above = in[at + plane];
        out[at] = here + k * (below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] - 6.0f * here);
        below = here;
        here = above;
    }
}
__global__ void heat_implicit(const float *d, float *x, float *cp, int lines, int n, float r) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= lines) return;
    float c = -r / (1 + 2 * r), v = d[j] / (1 + 2 * r);
    cp[j] = c, x[j] = v;
    for (int i = 1; i < n; i++) {
        float m = 1.0f / (1 + 2 * r + r * c);
        c = -r * m;
        v = (d[i * lines + j] + r * v) * m;
        cp[i * lines + j] = c, x[i * lines + j] = v;
    }
    for (int i = n - 2; i >= 0; i--) x[i * lines + j] = v = x[i * lines + j] - cp[i * lines + j] * v;
}

template <typename T> static T *device(const std::vector<T> &h) {
    T *d;
    cudaMalloc(&d, h.size() * sizeof(T));
    cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static float next(unsigned &s) {
    s = s * 1664525u + 1013904223u;
    return float(s >> 8) / 16777216.0f;
}

int main() {
    unsigned s = 2024u;
    std::vector<float4> bodies(500), cloth(70 * 45);
    for (auto &b : bodies) b = {next(s), next(s), next(s), 0.001f + 0.001f * next(s)};
    for (int i = 0; i < 70 * 45; i++) cloth[i] = {0.1f * (i % 70), -0.1f * (i / 70), 0.01f * next(s), 1.0f};
    std::vector<float2> points(450);
    for (auto &p : points) p = {next(s), next(s)};
    std::vector<int> neigh(10 * 450);
    for (int i = 0; i < 450; i++)
        for (int k = 0; k < 10; k++) neigh[k * 450 + i] = k < 3 + i % 6 ? (i + 17 * (k + 1)) % 450 : -1;
    std::vector<signed char> spin(64 * 48);
    for (auto &p : spin) p = next(s) < 0.5f ? -1 : 1;
    std::vector<unsigned> seeds(32 * 48), tape(300);
    for (size_t i = 0; i < seeds.size(); i++) seeds[i] = 747796405u * unsigned(i + 1);
    for (size_t i = 0; i < tape.size(); i++) tape[i] = 2891336453u * unsigned(i + 3);
    std::vector<uint8_t> board(100 * 50);
    for (auto &c : board) c = next(s) < 0.3f;
    std::vector<double> rod(600);
    for (int i = 0; i < 600; i++) rod[i] = i > 250 && i < 350 ? 100.0 : 0.0;
    std::vector<float> room(50 * 34 * 12), slab(150 * 40);
    for (auto &v : room) v = 20.0f + next(s);
    for (auto &v : slab) v = next(s);

    float4 *body = device(bodies), *pos = device(cloth), *old = device(cloth), *force = zeros<float4>(70 * 45);
    float3 *acc = zeros<float3>(500), *vel = zeros<float3>(500);
    nbody_tiled<<<8, TILE>>>(body, acc, 500);
    kick_drift<<<4, 128>>>(body, vel, acc, 500, 0.01f);
    nbody_skewed<<<6, 32>>>(body, acc, 192);

    float2 *pts = device(points);
    int *list = zeros<int>(7 * 9 * CAP), *filled = zeros<int>(7 * 9);
    cell_count<<<4, 128>>>(pts, zeros<int>(7 * 9), 450, 7, 9);
    cell_build<<<2, 32>>>(pts, list, filled, 450, 7, 9);
    lj_cells<<<dim3(7, 9), 32>>>(pts, list, filled, zeros<float2>(450), 7, 9);
    float *rho = zeros<float>(450);
    sph_density<<<5, 96>>>(pts, rho, 450, 1000.0f);
    sph_pressure<<<4, 128>>>(pts, rho, device(neigh), zeros<float2>(450), 450, 10, 0.3f);

    for (int step = 0; step < 2; step++) {
        cloth_springs<<<dim3(5, 6), dim3(16, 8)>>>(pos, force, 70, 45, 0.1f);
        cloth_verlet<<<dim3(3, 45), 32>>>(pos, old, force, 70, 45, 1e-4f);
    }
    mc_pi<<<6, 128>>>(zeros<unsigned long long>(1), 50, 99u);
    mc_walk<<<3, 96>>>(zeros<float>(250 * 20), 250, 20);

    signed char *lattice = device(spin);
    unsigned *rng = device(seeds);
    float *boltz = device(std::vector<float>{1.0f, 0.41f, 0.17f, 0.07f, 0.03f});
    ising_half<<<dim3(2, 6), dim3(16, 8)>>>(lattice, boltz, rng, 64, 48, 0);
    ising_half<<<dim3(2, 6), dim3(16, 8)>>>(lattice, boltz, rng, 64, 48, 1);
    life<<<dim3(4, 7), dim3(32, 8)>>>(device(board), zeros<uint8_t>(100 * 50), 100, 50);
    rule110<<<2, 64>>>(device(tape), zeros<unsigned>(300), 300);

    heat_1d<<<5, 128>>>(device(rod), zeros<double>(600), 600, 0.2);
    heat_3d<<<dim3(2, 8), dim3(32, 4)>>>(device(room), zeros<float>(50 * 34 * 12), 50, 34, 12, 0.1f);
    heat_implicit<<<3, 64>>>(device(slab), zeros<float>(150 * 40), zeros<float>(150 * 40), 150, 40, 0.25f);
    cudaDeviceSynchronize();
    cudaError_t e = cudaGetLastError();
    printf("mechanics %s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}

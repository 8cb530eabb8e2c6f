#include <cstdio>
#include <cstdint>
#include <vector>

struct Particle { float3 pos; float mass; float3 vel; int id; };                 // 32 bytes
struct Ray { float3 origin, dir; float tmin, tmax; };                            // 32 bytes
struct Hit { float t; int prim; };                                               // 8 bytes
struct CellState { double energy; float pressure; short material; uint8_t ghost, level; };   // 16 bytes
struct Record { int key; char tag; double value; short qty[3]; };                // 24 bytes
struct Packed3 { float a, b, c; };                                               // 12 bytes
struct __align__(16) Quad { float a, b, c, d; };                                 // 16 bytes
struct Mixed { uint8_t kind; uint16_t code; float w; };                          // 8 bytes
struct Node { int left, right; float lo, hi; int count; };                       // 20 bytes
struct Odd { uint8_t r, g, b; };                                                 // 3 bytes
struct ParticlesSoA { float *x, *y, *z, *mass; int *id; };
template <typename T, int N> struct Vec {
    T v[N];
    __host__ __device__ T &operator[](int i) { return v[i]; }
    __host__ __device__ const T &operator[](int i) const { return v[i]; }
};
struct Params { int n; float dt; float3 gravity; int stride; };

__device__ __forceinline__ float dot3(const float3 &a, const float3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ Particle pushed(Particle p, float dt) {
    p.pos.x += p.vel.x * dt, p.pos.y += p.vel.y * dt, p.pos.z += p.vel.z * dt;
    return p;
}
__device__ void damp(Particle &p, float k) {
    p.vel.x *= k;
    p.vel.z *= k;
}
__device__ Hit sphere(Ray r, float radius) {
    Hit h{-1.0f, -1};
    float b = dot3(r.origin, r.dir), c = dot3(r.origin, r.origin) - radius * radius, disc = b * b - c;
    if (disc > 0.0f) h = {-b - sqrtf(disc), 1};
    return h;
}

__global__ void copy_whole(const Particle *in, Particle *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void copy_members(const Particle *in, Particle *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i].pos.x = in[i].pos.z;
        out[i].pos.z = in[i].pos.x;
        out[i].id = in[i].id + 1;
    }
}
__global__ void push_value(Particle *__restrict__ p, Params q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= q.n) return;
    p[i] = pushed(p[i], q.dt);
}
__global__ void push_reference(Particle *p, const Params q) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * q.stride;
    if (i >= q.n) return;
    Particle &me = p[i];
    damp(me, 0.98f);
    me.pos.y += q.gravity.y * q.dt * q.dt;
}
__global__ void push_soa(ParticlesSoA s, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m = s.mass[i];
    s.x[i] += dt * m;
    s.y[i] -= dt * m;
    if (s.id[i] & 1) s.z[i] = 0.0f;
}
__global__ void aos_to_soa(const Particle *__restrict__ in, ParticlesSoA s, int n) {
    __shared__ Particle tile[64];
    int t = threadIdx.x, base = blockIdx.x * 64;
    const float *raw = reinterpret_cast<const float *>(in + base);
    float *flat = reinterpret_cast<float *>(tile);
    int words = min(64, n - base) * (int)(sizeof(Particle) / sizeof(float));
    for (int k = t; k < words; k += blockDim.x) flat[k] = raw[k];
    __syncthreads();
    int i = base + t;
    if (i < n) {
        s.x[i] = tile[t].pos.x;
        s.y[i] = tile[t].pos.y;
        s.z[i] = tile[t].pos.z;
        s.mass[i] = tile[t].mass;
        s.id[i] = tile[t].id;
    }
}
__global__ void trace(const Ray *rays, Hit *hits, int n, float radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Hit h = sphere(rays[i], radius);
    if (h.t < rays[i].tmin || h.t > rays[i].tmax) h.prim = -1;
    hits[i] = h;
}
__global__ void cells_flux(const CellState *c, double *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    const CellState *row = c + y * nx;
    if (row[x].ghost) return;
    double e = row[x - 1].energy + row[x + 1].energy - 2.0 * row[x].energy;
    float p = c[(y - 1) * nx + x].pressure - c[(y + 1) * nx + x].pressure;
    out[y * nx + x] = e + p * row[x].level;
}
__global__ void records_sum(const Record *r, double *out, int n) {
    __shared__ double part[96];
    int t = threadIdx.x;
    double s = 0;
    for (int i = blockIdx.x * 96 + t; i < n; i += gridDim.x * 96) s += r[i].value * r[i].qty[1] + r[i].tag;
    part[t] = s;
    __syncthreads();
    for (int w = 48; w >= 3; w >>= 1) {
        if (t < w) part[t] += part[t + w];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0] + part[1] + part[2];
}
__global__ void packed_stage(const Packed3 *in, Packed3 *out, int n) {
    __shared__ Packed3 s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = i < n ? in[i] : Packed3{0, 0, 0};
    __syncthreads();
    Packed3 l = s[(t + 127) % 128], r = s[(t + 1) & 127];
    if (i < n) out[i] = {l.a + r.a, l.b - r.b, s[t].c};
}
__global__ void quad_stage(const Quad *__restrict__ in, float *__restrict__ out) {
    __shared__ Quad s[8][9];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[(blockIdx.x * 8 + y) * 8 + x];
    __syncthreads();
    Quad q = s[x][y];
    out[(blockIdx.x * 8 + y) * 8 + x] = q.a + s[y][7 - x].d * q.c;
}
__global__ void mixed_members(const Mixed *in, unsigned *codes, float *w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    codes[i] = in[i].code;
    if (in[i].kind > 2) w[i] = in[n - 1 - i].w;
}
__global__ void walk_nodes(const Node *nodes, const float *q, int *out, int n, int depth) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = 0;
    for (int d = 0; d < depth; d++) {
        const Node &k = nodes[at];
        at = q[i] < 0.5f * (k.lo + k.hi) ? k.left : k.right;
    }
    out[i] = nodes[at].count;
}
__global__ void rgb_to_luma(const Odd *in, Odd *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Odd p = in[i];
    uint8_t y = (p.r * 77 + p.g * 150 + p.b * 29) >> 8;
    out[i] = Odd{y, y, p.b};
}
template <typename T, int N> __global__ void vec_scale(const Vec<T, N> *in, Vec<T, N> *out, int n, T k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vec<T, N> v = in[i];
#pragma unroll
    for (int j = 0; j < N; j++) v[j] *= k;
    out[i] = v;
}
template <typename T, int N> __global__ void vec_dot(const Vec<T, N> *a, const Vec<T, N> *b, T *out, int n) {
    __shared__ Vec<T, N> s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i < n) s[t] = b[i];
    __syncthreads();
    if (i >= n) return;
    T r = 0;
    for (int j = 0; j < N; j++) r += a[i][j] * s[t ^ 1][j];
    out[i] = r;
}
__global__ void gather_struct(const Hit *hits, const int *order, Hit *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = hits[order[i]];
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

int main() {
    std::vector<Particle> p(500);
    for (int i = 0; i < 500; i++) p[i] = {{i * 0.5f, i * 0.25f, 1.0f}, 1.0f + i % 7, {0.1f, 0.2f * (i % 3), -0.1f}, i};
    std::vector<Ray> rays(300);
    for (int i = 0; i < 300; i++) rays[i] = {{0.01f * (i % 150), 0.0f, -3.0f}, {0, 0, 1}, 0.0f, 100.0f};
    std::vector<CellState> cells(70 * 33);
    for (int i = 0; i < 70 * 33; i++) cells[i] = {i * 0.125, 1.0f + i % 5, short(i % 4), uint8_t(i % 11 == 0), uint8_t(i % 3)};
    std::vector<Record> rec(1000);
    for (int i = 0; i < 1000; i++) rec[i] = {i, char(i % 26), i * 0.5, {short(i % 9), short(i % 10), 0}};
    std::vector<Mixed> mixed(333);
    for (int i = 0; i < 333; i++) mixed[i] = {uint8_t(i / 16 % 5), uint16_t(i * 3), i * 0.1f};
    std::vector<Node> nodes(31);
    for (int i = 0; i < 31; i++) {
        int level = 0, first = 0;
        while (2 * first + 1 <= i) { first = 2 * first + 1; level++; }
        float w = 1.0f / (1 << level);
        nodes[i] = {i < 15 ? 2 * i + 1 : i, i < 15 ? 2 * i + 2 : i, (i - first) * w, (i - first + 1) * w, 1 + i};
    }
    std::vector<float> q(250);
    for (int i = 0; i < 250; i++) q[i] = float(i * 37 % 250) / 250.0f;
    std::vector<int> order(300);
    for (int i = 0; i < 300; i++) order[i] = i * 7 % 300;
    std::vector<Odd> rgb(401);
    for (int i = 0; i < 401; i++) rgb[i] = {uint8_t(i), uint8_t(i * 3), uint8_t(i * 5)};
    std::vector<float> f(6400, 1.5f);
    std::vector<double> g(1200, 0.75);

    Particle *dp = device(p), *dq = zeros<Particle>(500);
    ParticlesSoA soa{zeros<float>(500), zeros<float>(500), zeros<float>(500), zeros<float>(500), zeros<int>(500)};
    Hit *hits = zeros<Hit>(300);
    Params params{500, 0.01f, {0.0f, -9.8f, 0.0f}, 3};
    copy_whole<<<4, 128>>>(dp, dq, 500);
    copy_members<<<2, 96>>>(dp, dq, 500);
    push_value<<<8, 64>>>(dp, params);
    push_reference<<<2, 128>>>(dp, params);
    aos_to_soa<<<8, 64>>>(dp, soa, 500);
    push_soa<<<4, 128>>>(soa, 500, 0.02f);
    trace<<<5, 64>>>(device(rays), hits, 300, 1.0f);
    cells_flux<<<dim3(3, 5), dim3(32, 8)>>>(device(cells), zeros<double>(70 * 33), 70, 33);
    records_sum<<<4, 96>>>(device(rec), zeros<double>(4), 1000);
    packed_stage<<<3, 128>>>((Packed3 *)device(f), zeros<Packed3>(350), 350);
    quad_stage<<<6, dim3(8, 8)>>>((Quad *)device(f), zeros<float>(384));
    mixed_members<<<3, 128>>>(device(mixed), zeros<unsigned>(333), zeros<float>(333), 333);
    walk_nodes<<<4, 64>>>(device(nodes), device(q), zeros<int>(250), 250, 4);
    rgb_to_luma<<<4, 128>>>(device(rgb), zeros<Odd>(401), 401);
    vec_scale<float, 6><<<3, 96>>>((Vec<float, 6> *)device(f), zeros<Vec<float, 6>>(270), 270, 1.25f);
    vec_scale<double, 3><<<3, 64>>>((Vec<double, 3> *)device(g), zeros<Vec<double, 3>>(180), 180, 0.5);
    vec_dot<float, 5><<<4, 64>>>((Vec<float, 5> *)device(f), (Vec<float, 5> *)device(f), zeros<float>(250), 250);
    gather_struct<<<3, 128>>>(hits, device(order), zeros<Hit>(300), 300);
    cudaDeviceSynchronize();
    cudaError_t e = cudaGetLastError();
    printf("records %s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}

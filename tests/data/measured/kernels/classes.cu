#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

struct vec3 {
    float x, y, z;
    __device__ vec3(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
    __device__ vec3 operator+(const vec3 &o) const { return vec3(x + o.x, y + o.y, z + o.z); }
    __device__ vec3 operator*(float s) const { return {x * s, y * s, z * s}; }
    __device__ vec3 &operator+=(const vec3 &o) { x += o.x; y += o.y; z += o.z; return *this; }
    __device__ float dot(const vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};
__global__ void vec_axpy(const vec3 *a, vec3 *b, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += a[i] * s;
}
__global__ void vec_dots(const vec3 *a, const vec3 *b, float *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = a[i].dot(b[i]);
}
template <typename T, int N> struct Array {
    T v[N];
    __device__ T &operator[](int i) { return v[i]; }
    __device__ const T &operator[](int i) const { return v[i]; }
};
template <typename T, int N> __global__ void array_scale(const Array<T, N> *in, Array<T, N> *out, T k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Array<T, N> a = in[i];
#pragma unroll
    for (int j = 0; j < N; j++) a[j] *= k;
    out[i] = a;
}
template <typename T> struct View2 {
    T *data;
    int pitch;
    __device__ T &operator()(int r, int c) const { return data[r * pitch + c]; }
    __device__ View2 row_block(int r) const { return {data + r * pitch, pitch}; }
};
__global__ void view_copy(View2<const float> in, View2<float> out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows || c >= cols) return;
    out(r, c) = in(r, c);
}
template <typename Op> __device__ float reduce_warp(float v, Op op) {
    for (int d = 16; d; d /= 2) v = op(v, __shfl_xor_sync(~0u, v, d));
    return v;
}
struct Max { __device__ float operator()(float a, float b) const { return a > b ? a : b; } };
struct Add { __device__ float operator()(float a, float b) const { return a + b; } };
template <typename Op> __global__ void reduce_rows(const float *in, float *out, int cols, Op op) {
    float v = in[blockIdx.x * cols + threadIdx.x];
    for (int c = threadIdx.x + 32; c < cols; c += 32) v = op(v, in[blockIdx.x * cols + c]);
    v = reduce_warp(v, op);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
union Word { unsigned u; unsigned char b[4]; float f; };
__global__ void byte_swap(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Word w, r;
    w.u = in[i];
    for (int k = 0; k < 4; k++) r.b[k] = w.b[3 - k];
    out[i] = r.u;
}
struct Packed { unsigned kind : 4, flags : 4, index : 24; };
__global__ void unpack(const Packed *p, const float *table, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Packed q = p[i];
    out[i] = q.kind == 3 ? table[q.index % 50] : (float)q.flags;
}
enum class Mode { Copy, Scale, Skip };
template <Mode M> __global__ void by_mode(const float *in, float *out, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    if constexpr (M == Mode::Copy) out[i] = in[i];
    else if constexpr (M == Mode::Scale) out[i] = in[i] * 2 + in[n - 1 - i];
    else if (i % 2) out[i] = 0;
}
struct alignas(16) Node { float lo[3]; int left; float hi[3]; int right; };
__global__ void traverse(const Node *nodes, const float3 *points, int *hits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = points[i];
    int count = 0, at = 0;
    while (at >= 0) {
        Node node = nodes[at];
        bool in = p.x >= node.lo[0] && p.x <= node.hi[0] && p.y >= node.lo[1] && p.y <= node.hi[1];
        count += in;
        at = in ? node.left : node.right;
    }
    hits[i] = count;
}
__constant__ float coeff[3][5] = {{1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}, {3, 4, 5, 6, 7}};
__device__ float poly(float x, int which) {
    float s = 0;
    for (int i = 4; i >= 0; i--) s = s * x + coeff[which][i];
    return s;
}
__global__ void polynomials(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = poly(x[i], i % 3) + poly(x[i], blockIdx.x);
}
__global__ void tables(float *out, const int *sel, int n) {
    constexpr int steps[8] = {1, 3, 5, 7, 11, 13, 17, 19};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(i * steps[3]) % n] = steps[sel[i] & 7];
}
__global__ void matrix_refs(float (*m)[33], const float (&w)[33], int n) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < 33; c += blockDim.x) m[r][c] = m[r][c] * w[c] + m[(r + 1) % n][32 - c];
}
__global__ void pointers(float *const *rows, int n, int cols) {
    float *row = rows[blockIdx.x];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] += 1;
}
class Rng {
    unsigned s;
  public:
    __device__ explicit Rng(unsigned seed) : s(seed * 747796405u + 2891336453u) {}
    __device__ unsigned next() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
    __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
};
__global__ void monte_pi(unsigned *hits, int trials) {
    Rng rng(blockIdx.x * blockDim.x + threadIdx.x + 1);
    unsigned c = 0;
    for (int k = 0; k < trials; k++) {
        float x = rng.uniform(), y = rng.uniform();
        if (x * x + y * y < 1.f) c++;
    }
    hits[blockIdx.x * blockDim.x + threadIdx.x] = c;
}

static float *floats(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<float> h(n);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = shift + scale * float((s >> 8) & 0xffff) / 65536.0f; }
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}
static __half *halves(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<__half> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = __float2half(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    __half *d;
    cudaMalloc(&d, n * sizeof(__half));
    cudaMemcpy(d, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *ints(size_t n, unsigned modulus, unsigned step = 7, T first = 0) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++) h[i] = first + T((i * step) % modulus);
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}


int main() {
    vec_axpy<<<3, 96>>>((vec3 *)floats(780), (vec3 *)floats(780), 2.f, 260);
    vec_dots<<<3, 96>>>((vec3 *)floats(780), (vec3 *)floats(780), zeros<float>(260), 260);
    array_scale<float, 6><<<3, 64>>>((Array<float, 6> *)floats(900), (Array<float, 6> *)zeros<float>(900), 3.f, 150);
    array_scale<double, 2><<<3, 64>>>((Array<double, 2> *)floats(600), (Array<double, 2> *)zeros<float>(600), 3., 150);
    view_copy<<<dim3(2, 3), dim3(32, 8)>>>(View2<const float>{floats(64 * 20), 64}, View2<float>{zeros<float>(60 * 20), 60}, 20, 58);
    reduce_rows<<<5, 32>>>(floats(5 * 90), zeros<float>(5), 90, Max());
    reduce_rows<<<5, 32>>>(floats(5 * 90), zeros<float>(5), 90, Add());
    byte_swap<<<4, 64>>>(ints<unsigned>(230, 100000, 997), zeros<unsigned>(230), 230);
    unpack<<<4, 64>>>((Packed *)ints<unsigned>(230, 1000, 3), floats(50), zeros<float>(230), 230);
    by_mode<Mode::Copy><<<3, 96>>>(floats(250), zeros<float>(250), 250);
    by_mode<Mode::Scale><<<3, 96>>>(floats(250), zeros<float>(250), 250);
    by_mode<Mode::Skip><<<3, 96>>>(floats(250), zeros<float>(250), 250);
    {
        std::vector<Node> h(20);
        for (int i = 0; i < 20; i++) h[i] = {{0.01f * i, 0, 0}, i + 1 < 20 ? i + 1 : -1, {1, 1, 1}, i + 3 < 20 ? i + 3 : -1};
        Node *d;
        cudaMalloc(&d, sizeof(Node) * 20);
        cudaMemcpy(d, h.data(), sizeof(Node) * 20, cudaMemcpyHostToDevice);
        traverse<<<2, 64>>>(d, (float3 *)floats(300), zeros<int>(100), 100);
    }
    polynomials<<<3, 64>>>(floats(170), zeros<float>(170), 170);
    tables<<<3, 64>>>(zeros<float>(170), ints<int>(170, 100), 170);
    {
        float *w = floats(33);
        matrix_refs<<<4, 32>>>((float (*)[33])floats(33 * 4), *(float (*)[33])w, 4);
        float *rows[3] = {floats(70), floats(70), floats(70)}, **d;
        cudaMalloc(&d, sizeof rows);
        cudaMemcpy(d, rows, sizeof rows, cudaMemcpyHostToDevice);
        pointers<<<3, 64>>>(d, 3, 70);
    }
    monte_pi<<<2, 64>>>(zeros<unsigned>(128), 50);
    return finish("classes");
}

// Axis permutations of 3-D tensors, with functors mapped over them.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tensor {

struct Shape {
    int d0, d1, d2;
    __host__ __device__ int size() const { return d0 * d1 * d2; }
    __host__ __device__ int at(int i, int j, int k) const { return (i * d1 + j) * d2 + k; }
};

template <typename T>
struct View {
    T *data;
    Shape shape;
    __device__ T &operator()(int i, int j, int k) const { return data[shape.at(i, j, k)]; }
};

struct Scale {
    float factor;
    __device__ float operator()(float x) const { return x * factor; }
};

struct Relu {
    __device__ float operator()(float x) const { return x > 0.0f ? x : 0.0f; }
};

// (i, j, k) -> (k, j, i), one thread per element, three-dimensional blocks
__global__ void permute210(const float *in, float *out, Shape s)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int i = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < s.d0 && j < s.d1 && k < s.d2)
        out[(k * s.d1 + j) * s.d0 + i] = in[(i * s.d1 + j) * s.d2 + k];
}

// The last two axes are exchanged, tile by tile; the batch is blockIdx.z.
template <typename T, int TILE, int ROWS>
__global__ void batchedTranspose(const T *in, T *out, int rows, int cols)
{
    __shared__ T tile[TILE][TILE + 1];
    const T *src = in + (size_t)blockIdx.z * rows * cols;
    T *dst = out + (size_t)blockIdx.z * rows * cols;
    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (c < cols && r + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = src[(r + k) * cols + c];
    __syncthreads();
    c = blockIdx.y * TILE + threadIdx.x;
    r = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (c < rows && r + k < cols)
            dst[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
}

template <typename F>
__global__ void mapView(View<float> v, F f)
{
    int k = threadIdx.x, j = blockIdx.x, i = blockIdx.y;
    for (; k < v.shape.d2; k += blockDim.x)
        v(i, j, k) = f(v(i, j, k));
}

// sum over the middle axis
__global__ void sumMiddle(View<const float> v, float *out)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y;
    if (k >= v.shape.d2)
        return;
    float sum = 0;
    for (int j = 0; j < v.shape.d1; j++)
        sum += v(i, j, k);
    out[i * v.shape.d2 + k] = sum;
}

} // namespace tensor

static void ok(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "cuda: %s\n", cudaGetErrorName(e));
        abort();
    }
}

template <typename A, typename B>
static int differ(const A &a, const B &b, const char *what)
{
    int n = 0;
    for (size_t i = 0; i < b.size(); i++)
        n += a[i] != b[i];
    printf("%s: %d wrong\n", what, n);
    return n;
}

int main()
{
    using namespace tensor;
    const Shape s{30, 45, 70};
    const int n = s.size();
    std::vector<float> h(n), g(n), w(n);
    std::iota(h.begin(), h.end(), -1000.0f);
    float *a, *b;
    ok(cudaMalloc(&a, n * sizeof(float)));
    ok(cudaMalloc(&b, n * sizeof(float)));
    ok(cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    int bad = 0;

    dim3 block(8, 4, 5);
    dim3 grid((s.d2 + block.x - 1) / block.x, (s.d1 + block.y - 1) / block.y, (s.d0 + block.z - 1) / block.z);
    permute210<<<grid, block>>>(a, b, s);
    ok(cudaGetLastError());
    ok(cudaMemcpy(g.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < s.d0; i++)
        for (int j = 0; j < s.d1; j++)
            for (int k = 0; k < s.d2; k++)
                w[(k * s.d1 + j) * s.d0 + i] = h[s.at(i, j, k)];
    bad += differ(g, w, "permute210");

    for (int i = 0; i < s.d0; i++)
        for (int j = 0; j < s.d1; j++)
            for (int k = 0; k < s.d2; k++)
                w[(i * s.d2 + k) * s.d1 + j] = h[s.at(i, j, k)];
    batchedTranspose<float, 32, 8><<<dim3((s.d2 + 31) / 32, (s.d1 + 31) / 32, s.d0), dim3(32, 8)>>>(a, b, s.d1, s.d2);
    ok(cudaGetLastError());
    ok(cudaMemcpy(g.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    bad += differ(g, w, "batchedTranspose 32");
    batchedTranspose<float, 16, 16><<<dim3((s.d2 + 15) / 16, (s.d1 + 15) / 16, s.d0), dim3(16, 16)>>>(a, b, s.d1, s.d2);
    ok(cudaGetLastError());
    ok(cudaMemcpy(g.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
    bad += differ(g, w, "batchedTranspose 16");
    // pairs of floats as doubles: 30 x 45 x 35
    batchedTranspose<double, 32, 4><<<dim3(2, 2, s.d0), dim3(32, 4)>>>((const double *)a, (double *)b, s.d1, s.d2 / 2);
    ok(cudaGetLastError());

    std::vector<float> sums(s.d0 * s.d2), sw(s.d0 * s.d2, 0.0f);
    for (int i = 0; i < s.d0; i++)
        for (int j = 0; j < s.d1; j++)
            for (int k = 0; k < s.d2; k++)
                sw[i * s.d2 + k] += h[s.at(i, j, k)];
    sumMiddle<<<dim3((s.d2 + 31) / 32, s.d0), 32>>>(View<const float>{a, s}, b);
    ok(cudaGetLastError());
    ok(cudaMemcpy(sums.data(), b, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bad += differ(sums, sw, "sumMiddle");

    mapView<<<dim3(s.d1, s.d0), 64>>>(View<float>{a, s}, Scale{2.0f});
    mapView<<<dim3(s.d1, s.d0), 48>>>(View<float>{a, s}, Relu());
    ok(cudaGetLastError());
    ok(cudaMemcpy(g.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        w[i] = h[i] > 0 ? 2 * h[i] : 0;
    bad += differ(g, w, "mapView");
    puts(bad ? "FAIL" : "OK");
    return bad != 0;
}

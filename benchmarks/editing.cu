// A file of the length that people edit: helpers and macros used everywhere, a dozen kernels, the host code that launches them.
// benchmarks/editing.py opens it in the language server and types in it.

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TILE 32
#define ROWS 8
#define THREADS 256
#define RADIUS 4
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status_ = (call);                                                    \
        if (status_ != cudaSuccess) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

// ---------------------------------------------------------------- helpers

// Where the element of a row and a column lies.
__host__ __device__ inline int at(int row, int column, int pitch)
{
    return row * pitch + column;
}

__device__ inline int clamped(int i, int n)
{
    return i < 0 ? 0 : (i >= n ? n - 1 : i);
}

__device__ inline float warpSum(float value)
{
    for (int delta = 16; delta > 0; delta /= 2)
        value += __shfl_down_sync(0xffffffffu, value, delta);
    return value;
}

__device__ inline float warpMax(float value)
{
    for (int delta = 16; delta > 0; delta /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, delta));
    return value;
}

template <typename T>
__device__ inline T square(T x)
{
    return x * x;
}

struct Particle {
    float x, y, z, mass;
};

// ---------------------------------------------------------------- vectors

__global__ void fill(float *out, float value, int n)
{
    int i = at(blockIdx.x, threadIdx.x, blockDim.x);
    if (i < n)
        out[i] = value;
}

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = at(blockIdx.x, threadIdx.x, blockDim.x); i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

template <typename T>
__global__ void dot(T *partial, const T *a, const T *b, int n)
{
    __shared__ T sums[THREADS / 32];
    T sum = 0;
    for (int i = at(blockIdx.x, threadIdx.x, blockDim.x); i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    sum = warpSum(sum);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < THREADS / 32) {
        sum = sums[threadIdx.x];
        for (int delta = THREADS / 64; delta > 0; delta /= 2)
            sum += __shfl_down_sync((1u << (THREADS / 32)) - 1, sum, delta);
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    }
}

__global__ void norms(float *out, const Particle *particles, int n)
{
    int i = at(blockIdx.x, threadIdx.x, blockDim.x);
    if (i < n) {
        float x = particles[i].x, y = particles[i].y, z = particles[i].z;
        out[i] = sqrtf(square(x) + square(y) + square(z)) * particles[i].mass;
    }
}

// ---------------------------------------------------------------- matrices

__global__ void transposeNaive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[at(x, y + j, n)] = in[at(y + j, x, n)];
}

__global__ void transposeTiled(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[at(y + j, x, n)];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[at(y + j, x, n)] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposePadded(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[at(y + j, x, n)];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[at(y + j, x, n)] = tile[threadIdx.x][threadIdx.y + j];
}

// C = A B, square matrices whose side is a multiple of 16.
template <int SIDE>
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float sa[SIDE][SIDE];
    __shared__ float sb[SIDE][SIDE];
    int row = blockIdx.y * SIDE + threadIdx.y;
    int column = blockIdx.x * SIDE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += SIDE) {
        sa[threadIdx.y][threadIdx.x] = a[at(row, k + threadIdx.x, n)];
        sb[threadIdx.y][threadIdx.x] = b[at(k + threadIdx.y, column, n)];
        __syncthreads();
        for (int i = 0; i < SIDE; ++i)
            sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
        __syncthreads();
    }
    c[at(row, column, n)] = sum;
}

// y = A x, a warp for each row.
__global__ void matvec(float *y, const float *a, const float *x, int rows, int columns)
{
    int row = at(blockIdx.x, threadIdx.x, blockDim.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int j = lane; j < columns; j += 32)
        sum += a[at(row, j, columns)] * x[j];
    sum = warpSum(sum);
    if (lane == 0)
        y[row] = sum;
}

// y = A x, compressed rows, a thread for each.
__global__ void spmv(float *y, const float *values, const int *columns, const int *starts, const float *x, int rows)
{
    int row = at(blockIdx.x, threadIdx.x, blockDim.x);
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; ++k)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// ---------------------------------------------------------------- reductions and scans

__global__ void reduceInterleaved(float *out, const float *in)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    sums[t] = in[at(blockIdx.x, t, THREADS)];
    for (int stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            sums[t] += sums[t + stride];
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void reduceSequential(float *out, const float *in)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    sums[t] = in[at(blockIdx.x, t, THREADS)];
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride)
            sums[t] += sums[t + stride];
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// Exclusive sums of each block's 512 elements.
__global__ void scanBlock(float *out, const float *in, float *totals)
{
    __shared__ float temp[2 * THREADS];
    int t = threadIdx.x, offset = 1;
    temp[2 * t] = in[at(blockIdx.x, 2 * t, 2 * THREADS)];
    temp[2 * t + 1] = in[at(blockIdx.x, 2 * t + 1, 2 * THREADS)];
    for (int d = THREADS; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0) {
        totals[blockIdx.x] = temp[2 * THREADS - 1];
        temp[2 * THREADS - 1] = 0.0f;
    }
    for (int d = 1; d < 2 * THREADS; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            float kept = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += kept;
        }
    }
    __syncthreads();
    out[at(blockIdx.x, 2 * t, 2 * THREADS)] = temp[2 * t];
    out[at(blockIdx.x, 2 * t + 1, 2 * THREADS)] = temp[2 * t + 1];
}

// A row for each block: exp(x - max) / sum.
__global__ void softmaxRows(float *out, const float *in, int columns)
{
    __shared__ float shared[THREADS / 32];
    const float *row = in + at(blockIdx.x, 0, columns);
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    float most = -1e30f;
    for (int j = threadIdx.x; j < columns; j += THREADS)
        most = fmaxf(most, row[j]);
    most = warpMax(most);
    if (lane == 0)
        shared[warp] = most;
    __syncthreads();
    for (int w = 0; w < THREADS / 32; ++w)
        most = fmaxf(most, shared[w]);
    __syncthreads();

    float sum = 0.0f;
    for (int j = threadIdx.x; j < columns; j += THREADS)
        sum += expf(row[j] - most);
    sum = warpSum(sum);
    if (lane == 0)
        shared[warp] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < THREADS / 32; ++w)
        sum += shared[w];
    for (int j = threadIdx.x; j < columns; j += THREADS)
        out[at(blockIdx.x, j, columns)] = expf(row[j] - most) / sum;
}

// ---------------------------------------------------------------- counting

__global__ void histogramGlobal(unsigned *bins, const unsigned char *data, int n)
{
    for (int i = at(blockIdx.x, threadIdx.x, blockDim.x); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}

__global__ void histogramShared(unsigned *bins, const unsigned char *data, int n)
{
    __shared__ unsigned counts[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        counts[b] = 0;
    __syncthreads();
    for (int i = at(blockIdx.x, threadIdx.x, blockDim.x); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], counts[b]);
}

// ---------------------------------------------------------------- images

__constant__ float weights[2 * RADIUS + 1];

__global__ void blurRows(float *out, const float *in, int width, int height)
{
    __shared__ float line[ROWS][TILE + 2 * RADIUS];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    line[threadIdx.y][threadIdx.x + RADIUS] = in[at(y, x, width)];
    if (threadIdx.x < RADIUS) {
        line[threadIdx.y][threadIdx.x] = in[at(y, clamped(x - RADIUS, width), width)];
        line[threadIdx.y][threadIdx.x + TILE + RADIUS] = in[at(y, clamped(x + TILE, width), width)];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; ++k)
        sum += weights[k + RADIUS] * line[threadIdx.y][threadIdx.x + RADIUS + k];
    if (y < height)
        out[at(y, x, width)] = sum;
}

__global__ void blurColumns(float *out, const float *in, int width, int height)
{
    __shared__ float block[ROWS + 2 * RADIUS][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    block[threadIdx.y + RADIUS][threadIdx.x] = in[at(y, x, width)];
    if (threadIdx.y < RADIUS) {
        block[threadIdx.y][threadIdx.x] = in[at(clamped(y - RADIUS, height), x, width)];
        block[threadIdx.y + ROWS + RADIUS][threadIdx.x] = in[at(clamped(y + ROWS, height), x, width)];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; ++k)
        sum += weights[k + RADIUS] * block[threadIdx.y + RADIUS + k][threadIdx.x];
    if (y < height)
        out[at(y, x, width)] = sum;
}

__global__ void grey(float *out, const uchar4 *pixels, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 pixel = pixels[at(y, x, width)];
        out[at(y, x, width)] = 0.299 * pixel.x + 0.587 * pixel.y + 0.114 * pixel.z;
    }
}

// ---------------------------------------------------------------- particles

__global__ void forces(float4 *out, const float4 *bodies, int n)
{
    __shared__ float4 near[THREADS];
    int i = at(blockIdx.x, threadIdx.x, THREADS);
    float4 own = bodies[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += THREADS) {
        near[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < THREADS; ++j) {
            float dx = near[j].x - own.x, dy = near[j].y - own.y, dz = near[j].z - own.z;
            float d2 = square(dx) + square(dy) + square(dz) + 1e-6f;
            float pull = near[j].w * rsqrtf(d2) / d2;
            sum.x += dx * pull;
            sum.y += dy * pull;
            sum.z += dz * pull;
        }
        __syncthreads();
    }
    out[i] = make_float4(sum.x, sum.y, sum.z, own.w);
}

__global__ void advance(Particle *particles, const float4 *pull, float dt, int n)
{
    int i = at(blockIdx.x, threadIdx.x, blockDim.x);
    if (i >= n)
        return;
    particles[i].x += dt * pull[i].x;
    particles[i].y += dt * pull[i].y;
    particles[i].z += dt * pull[i].z;
}

// ---------------------------------------------------------------- host

static float *device(size_t count)
{
    float *memory = nullptr;
    CHECK(cudaMalloc(&memory, count * sizeof(float)));
    return memory;
}

static void vectors(int n)
{
    float *x = device(n), *y = device(n), *partial = device(1024);
    fill<<<CEIL_DIV(n, THREADS), THREADS>>>(x, 1.0f, n);
    fill<<<CEIL_DIV(n, THREADS), THREADS>>>(y, 2.0f, n);
    saxpy<<<1024, THREADS>>>(y, x, 0.5f, n);
    dot<float><<<1024, THREADS>>>(partial, x, y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(partial));
}

static void matrices(int n)
{
    float *a = device(size_t(n) * n), *b = device(size_t(n) * n), *c = device(size_t(n) * n);
    dim3 block(TILE, ROWS), grid(n / TILE, n / TILE);
    transposeNaive<<<grid, block>>>(b, a, n);
    transposeTiled<<<grid, block>>>(b, a, n);
    transposePadded<<<grid, block>>>(b, a, n);
    dim3 square(16, 16), tiles(n / 16, n / 16);
    matmul<16><<<tiles, square>>>(c, a, b, n);
    matvec<<<CEIL_DIV(n, THREADS / 32), THREADS>>>(c, a, b, n, n);
    softmaxRows<<<n, THREADS>>>(c, a, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}

static void sums(int blocks)
{
    float *in = device(size_t(blocks) * 2 * THREADS), *out = device(size_t(blocks) * 2 * THREADS), *totals = device(blocks);
    reduceInterleaved<<<blocks, THREADS>>>(out, in);
    reduceSequential<<<blocks, THREADS>>>(out, in);
    scanBlock<<<blocks, THREADS>>>(out, in, totals);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(totals));
}

static void images(int width, int height)
{
    float *in = device(size_t(width) * height), *out = device(size_t(width) * height);
    uchar4 *pixels = nullptr;
    unsigned *bins = nullptr;
    CHECK(cudaMalloc(&pixels, size_t(width) * height * sizeof(uchar4)));
    CHECK(cudaMalloc(&bins, 256 * sizeof(unsigned)));
    dim3 block(TILE, ROWS), grid(CEIL_DIV(width, TILE), CEIL_DIV(height, ROWS));
    grey<<<grid, block>>>(in, pixels, width, height);
    blurRows<<<grid, block>>>(out, in, width, height);
    blurColumns<<<grid, block>>>(in, out, width, height);
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(pixels);
    histogramGlobal<<<512, THREADS>>>(bins, bytes, 4 * width * height);
    histogramShared<<<512, THREADS>>>(bins, bytes, 4 * width * height);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(pixels));
    CHECK(cudaFree(bins));
}

static void bodies(int n)
{
    float4 *at_ = nullptr, *pull = nullptr;
    Particle *particles = nullptr;
    CHECK(cudaMalloc(&at_, n * sizeof(float4)));
    CHECK(cudaMalloc(&pull, n * sizeof(float4)));
    CHECK(cudaMalloc(&particles, n * sizeof(Particle)));
    forces<<<n / THREADS, THREADS>>>(pull, at_, n);
    advance<<<CEIL_DIV(n, THREADS), THREADS>>>(particles, pull, 0.01f, n);
    norms<<<CEIL_DIV(n, THREADS), THREADS>>>(reinterpret_cast<float *>(pull), particles, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(at_));
    CHECK(cudaFree(pull));
    CHECK(cudaFree(particles));
}

int main()
{
    vectors(1 << 24);
    matrices(2048);
    sums(4096);
    images(1920, 1080);
    bodies(16384);
    printf("done\n");
    return 0;
}

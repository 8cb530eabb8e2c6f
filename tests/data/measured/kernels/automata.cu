// Cellular automata, space-filling curves and other integer kernels with awkward control flow.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void require(bool condition, const char *message)
{
    if (!condition) {
        fputs(message, stderr);
        fputc('\n', stderr);
        exit(1);
    }
}
#define GPU(expr) require((expr) == cudaSuccess, #expr)

enum Op { ADD, SUB, XOR, SHIFT, NOP };

typedef struct { int w, h; } extent;

__device__ static inline int wrap(int v, int n) { return v < 0 ? v + n : v >= n ? v - n : v; }

// Conway's game on a torus, straight from global memory.
__global__ void life(const uint8_t *now, uint8_t *next, extent e)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= e.w || y >= e.h) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        const int yy = wrap(y + dy, e.h);
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            const int xx = wrap(x + dx, e.w);
            alive += now[yy * e.w + xx];
        }
    }
    const int self = now[y * e.w + x];
    next[y * e.w + x] = alive == 3 || (alive == 2 && self);
}

// Spreads the low 16 bits to the even places.
__host__ __device__ constexpr uint32_t spread(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    v = (v | v << 1) & 0x55555555u;
    return v;
}

__global__ void toMorton(const uint16_t *in, uint16_t *out, int width)
{
    const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t y = blockIdx.y * blockDim.y + threadIdx.y;
    out[spread(x) | spread(y) << 1] = in[y * width + x];
}

__global__ void bitReverse(const int2 *in, int2 *out, int bits)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

// A different operation for each group of lanes.
__global__ void dispatch(int *data, const int *other, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Op op = Op((threadIdx.x >> 2) % 5);
    int v = data[i];
    switch (op) {
    case ADD:
        v += other[i];
        break;
    case SUB:
        v -= other[n - 1 - i];
        break;
    case XOR:
        v ^= other[i & ~3];
        break;
    case SHIFT:
        v <<= 1;
        break;
    default:
        return;
    }
    data[i] = v;
}

// Lanes leave at different times.
__global__ void collatz(const unsigned *start, unsigned *steps, int n, unsigned most)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = start[i], k = 0;
        while (v != 1 && k < most) {
            v = (v & 1) ? 3 * v + 1 : v >> 1;
            ++k;
        }
        steps[i] = k;
    }
}

// A triangular walk: thread t adds t + 1 numbers; every third thread leaves early.
__global__ void triangle(const float *x, float *out, int side)
{
    const int row = threadIdx.x;
    const float *tri = x + blockIdx.x * (side * (side + 1) / 2);
    if (row % 3 == 2) return;
    float s = 0;
    int k = row * (row + 1) / 2;
    const int end = k + row + 1;
    do {
        s += tri[k++];
    } while (k < end);
    out[blockIdx.x * side + row] = s;
}

// Rule 30 on bits in shared memory, many generations a launch.
__global__ void rule30(uint32_t *cells, int generations)
{
    __shared__ uint32_t line[2][96];
    const unsigned t = threadIdx.x;
    line[0][t] = cells[blockIdx.x * 96 + t];
    __syncthreads();
    for (int g = 0; g < generations; g++) {
        const uint32_t *from = line[g & 1];
        const uint32_t c = from[t];
        const uint32_t l = (c << 1) | (from[(t + 95) % 96] >> 31);
        const uint32_t r = (c >> 1) | (from[(t + 1) % 96] << 31);
        line[~g & 1][t] = l ^ (c | r);
        __syncthreads();
    }
    cells[blockIdx.x * 96 + t] = line[generations & 1][t];
}

int main()
{
    bool good = true;
    const extent e = {333, 222};
    const int cells = e.w * e.h;
    std::vector<uint8_t> a(cells), b(cells);
    for (int i = 0; i < cells; i++) a[i] = (i * 7 + i / 5) % 3 == 0;
    uint8_t *da, *db;
    GPU(cudaMalloc(&da, cells));
    GPU(cudaMalloc(&db, cells));
    GPU(cudaMemcpy(da, a.data(), cells, cudaMemcpyHostToDevice));
    dim3 bs(37, 7);
    life<<<dim3((e.w + bs.x - 1) / bs.x, (e.h + bs.y - 1) / bs.y), bs>>>(da, db, e);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(b.data(), db, cells, cudaMemcpyDeviceToHost));
    for (int y = 0; y < e.h; y++)
        for (int x = 0; x < e.w; x++) {
            int n = 0;
            for (int k = 0; k < 9; k++)
                if (k != 4) n += a[(y + k / 3 - 1 + e.h) % e.h * e.w + (x + k % 3 - 1 + e.w) % e.w];
            good &= b[y * e.w + x] == (n == 3 || (n == 2 && a[y * e.w + x]));
        }
    printf("life %d\n", good);

    const int side = 256;
    std::vector<uint16_t> m(side * side), mm(side * side);
    for (int i = 0; i < side * side; i++) m[i] = (uint16_t)i;
    uint16_t *dm, *dmm;
    GPU(cudaMalloc(&dm, m.size() * 2));
    GPU(cudaMalloc(&dmm, m.size() * 2));
    GPU(cudaMemcpy(dm, m.data(), m.size() * 2, cudaMemcpyHostToDevice));
    toMorton<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(dm, dmm, side);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(mm.data(), dmm, m.size() * 2, cudaMemcpyDeviceToHost));
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) good &= mm[spread(x) | spread(y) << 1] == m[y * side + x];
    printf("morton %d\n", good);

    const int bits = 14, n = 1 << bits;
    std::vector<int2> c(n), d(n);
    for (int i = 0; i < n; i++) c[i] = make_int2(i, -i);
    int2 *dc, *dd;
    GPU(cudaMalloc(&dc, n * sizeof(int2)));
    GPU(cudaMalloc(&dd, n * sizeof(int2)));
    GPU(cudaMemcpy(dc, c.data(), n * sizeof(int2), cudaMemcpyHostToDevice));
    bitReverse<<<n / 128, 128>>>(dc, dd, bits);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(d.data(), dd, n * sizeof(int2), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int r = 0;
        for (int k = 0; k < bits; k++) r |= (i >> k & 1) << (bits - 1 - k);
        good &= d[r].x == i;
    }
    printf("bitReverse %d\n", good);

    dispatch<<<(2 * n - 50 + 127) / 128, 128>>>((int *)dd, (int *)dc, 2 * n - 50);
    std::vector<unsigned> start(20000), steps(20000);
    for (int i = 0; i < 20000; i++) start[i] = i + 1;
    unsigned *ds, *dk;
    GPU(cudaMalloc(&ds, 80000));
    GPU(cudaMalloc(&dk, 80000));
    GPU(cudaMemcpy(ds, start.data(), 80000, cudaMemcpyHostToDevice));
    collatz<<<(20000 + 63) / 64, 64>>>(ds, dk, 20000, 1000);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(steps.data(), dk, 80000, cudaMemcpyDeviceToHost));
    good &= steps[26] == 111 && steps[0] == 0;
    printf("collatz %d\n", good);

    const int blocks = 40, rows = 80;
    float *tri, *sums;
    std::vector<float> ht(blocks * rows * (rows + 1) / 2, 1.0f), hs(blocks * rows);
    GPU(cudaMalloc(&tri, ht.size() * sizeof(float)));
    GPU(cudaMalloc(&sums, hs.size() * sizeof(float)));
    GPU(cudaMemcpy(tri, ht.data(), ht.size() * sizeof(float), cudaMemcpyHostToDevice));
    GPU(cudaMemset(sums, 0, hs.size() * sizeof(float)));
    triangle<<<blocks, rows>>>(tri, sums, rows);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(hs.data(), sums, hs.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * rows; i++) good &= hs[i] == (i % rows % 3 == 2 ? 0 : i % rows + 1);
    printf("triangle %d\n", good);

    rule30<<<50, 96>>>(ds, 25);
    GPU(cudaDeviceSynchronize());
    puts(good ? "OK" : "FAIL");
    return !good;
}

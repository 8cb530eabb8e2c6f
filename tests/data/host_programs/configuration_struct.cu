// A solver with a structure of parameters, getters and defaults from the command line.
// run:
// run: -v --tile 8
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <cuda_runtime.h>

struct Extent { int x = 64, y = 64, z = 16; int volume() const { return x * y * z; } };
struct Parameters {
    Extent extent;
    int iterations = 2;
    unsigned tile = 16;
    bool verbose = false;
    float dt{0.1f};
    static Parameters parse(int argc, char **argv)
    {
        Parameters p;
        for (int i = 1; i < argc; ++i) {
            std::string word = argv[i];
            if (word == "--iterations" && i + 1 < argc) p.iterations = std::stoi(argv[++i]);
            else if (word == "--tile" && i + 1 < argc) p.tile = static_cast<unsigned>(std::atoi(argv[++i]));
            else if (word == "-v") p.verbose = true;
            else { fprintf(stderr, "unknown option %s\n", word.c_str()); std::exit(1); }
        }
        return p;
    }
};
__global__ void relax(float *u, const float *v, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) for (int z = 0; z < nz; z++) u[(z * ny + y) * nx + x] = v[(z * ny + y) * nx + x];
}
__global__ void norm(const float *u, float *r, int n) { extern __shared__ float s[]; s[threadIdx.x] = u[blockIdx.x * blockDim.x + threadIdx.x]; __syncthreads(); if (threadIdx.x == 0) r[blockIdx.x] = s[0] + n; }
__global__ void fill(float *u, int n, float a) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) u[i] = a; }

class Grid {
public:
    explicit Grid(const Extent &e) : extent_(e), size_(e.volume()) { cudaMalloc(&data_, bytes()); }
    Grid(const Grid &) = delete;
    ~Grid() { cudaFree(data_); }
    int nx() const { return extent_.x; }
    int ny() const { return extent_.y; }
    int nz() const { return extent_.z; }
    int size() const { return size_; }
    size_t bytes() const { return sizeof(float) * static_cast<size_t>(size_); }
    float *data() { return data_; }
    const float *data() const { return data_; }
private:
    Extent extent_;
    int size_;
    float *data_{};
};
static dim3 blocks_for(const Grid &g, const dim3 &block) { return {(g.nx() + block.x - 1) / block.x, (g.ny() + block.y - 1) / block.y, 1}; }
static int log2_floor(int n) { int k = 0; while (n >>= 1) ++k; return k; }
static int power_of_two_below(int n) { return 1 << log2_floor(n); }

int main(int argc, char **argv)
{
    const Parameters parameters = Parameters::parse(argc, argv);
    Grid a(parameters.extent), b(parameters.extent);
    const dim3 block{parameters.tile, parameters.tile / 2, 1};
    fill<<<std::min(a.size() / 256, 120), 256>>>(a.data(), a.size(), 1.f);
    Grid *from = &a, *to = &b;
    for (int it = 0; it < parameters.iterations; ++it) {
        relax<<<blocks_for(*to, block), block>>>(to->data(), from->data(), to->nx(), to->ny(), to->nz());
        std::swap(from, to);
    }
    int threads = power_of_two_below(200);
    int groups = static_cast<int>(std::ceil(a.size() / static_cast<double>(threads)));
    float *r;
    cudaMalloc(&r, groups * sizeof(float));
    norm<<<groups, threads, threads * sizeof(float)>>>(a.data(), r, a.size());
    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(status)); return EXIT_FAILURE; }
    if (parameters.verbose) fill<<<1, 32>>>(r, groups, 0.f);
    cudaFree(r);
    return EXIT_SUCCESS;
}

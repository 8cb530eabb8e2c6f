// run:
// run: -n 4096 -t 64 -c
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <unistd.h>
__global__ void scale(float *x, int n) { x[threadIdx.x] = n; }
__global__ void verify(float *x, int n) { x[threadIdx.x] = n; }
static void usage(const char *name) { fprintf(stderr, "%s [-n size] [-t threads] [-c]\n", name); exit(1); }
struct Options { int n = 1 << 16; int threads = 256; bool check = false; };
static Options parse(int argc, char **argv)
{
    Options options;
    int letter;
    while ((letter = getopt(argc, argv, "n:t:c")) != -1) {
        switch (letter) {
        case 'n': options.n = atoi(optarg); break;
        case 't': options.threads = std::stoi(optarg); break;
        case 'c': options.check = true; break;
        default: usage(argv[0]);
        }
    }
    return options;
}
int main(int argc, char **argv)
{
    Options options = parse(argc, argv);
    float *x;
    cudaMalloc(&x, options.n * sizeof(float));
    scale<<<(options.n + options.threads - 1) / options.threads, options.threads>>>(x, options.n);
    if (options.check) verify<<<1, 32>>>(x, 7);
}

#include <cstdio>
#include <cuda_runtime.h>
#include <helper_cuda.h>
__global__ void blur(float *out, const float *in, int width, int height, int radius) { out[threadIdx.x] = in[radius]; }
int run(int argc, char **argv, const dim3 &image)
{
    int radius = 4;
    if (checkCmdLineFlag(argc, (const char **)argv, "radius")) radius = getCmdLineArgumentInt(argc, (const char **)argv, "radius");
    float *in, *out;
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&in), image.x * image.y * sizeof(float)));
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&out), image.x * image.y * sizeof(float)));
    dim3 block(16, 16), grid(image.x / block.x, image.y / block.y);
    for (int i = 0; i < 10; ++i) blur<<<grid, block, (16 + 2 * radius) * sizeof(float)>>>(out, in, image.x, image.y, radius);
    getLastCudaError("blur");
    checkCudaErrors(cudaDeviceSynchronize());
    return 0;
}
int main(int argc, char **argv)
{
    if (checkCmdLineFlag(argc, (const char **)argv, "help")) { printf("-width=N -height=N -radius=N\n"); exit(EXIT_SUCCESS); }
    findCudaDevice(argc, (const char **)argv);
    dim3 image(1024, 512);
    if (checkCmdLineFlag(argc, (const char **)argv, "width")) image.x = getCmdLineArgumentInt(argc, (const char **)argv, "width");
    if (checkCmdLineFlag(argc, (const char **)argv, "height")) image.y = getCmdLineArgumentInt(argc, (const char **)argv, "height");
    exit(run(argc, argv, image));
}

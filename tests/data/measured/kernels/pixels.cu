// Image code: grey from uchar4 and packed RGB, separable blur with shared rows, bilinear resize, thresholds with ballots.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

struct RGB { unsigned char r, g, b; };

__global__ void grey4(const uchar4 *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 p = in[y * w + x];
    out[y * w + x] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__global__ void grey3(const RGB *in, unsigned char *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        RGB p = in[i];
        out[i] = (p.r * 77 + p.g * 150 + p.b * 29) >> 8;
    }
}

template <int R>
__global__ void blur_rows(const float *in, float *out, int w)
{
    __shared__ float row[256 + 2 * R];
    int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
    const float *src = in + (size_t)y * w;
    row[threadIdx.x + R] = x < w ? src[x] : 0.f;
    if (threadIdx.x < R) {
        int left = x - R, right = x + 256;
        row[threadIdx.x] = left >= 0 ? src[left] : 0.f;
        row[threadIdx.x + 256 + R] = right < w ? src[right] : 0.f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; ++k) sum += row[threadIdx.x + R + k];
    if (x < w) out[(size_t)y * w + x] = sum / (2 * R + 1);
}

__global__ void blur_columns(const float *in, float *out, int w, int h, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    int count = 0;
    for (int k = -radius; k <= radius; ++k) {
        int yy = y + k;
        if (yy >= 0 && yy < h) {
            sum += in[yy * w + x];
            ++count;
        }
    }
    out[y * w + x] = sum / count;
}

__global__ void half_size(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int ow = w / 2;
    if (x < ow && y < h / 2)
        out[y * ow + x] = 0.25f * (in[2 * y * w + 2 * x] + in[2 * y * w + 2 * x + 1] + in[(2 * y + 1) * w + 2 * x] + in[(2 * y + 1) * w + 2 * x + 1]);
}

__global__ void threshold_bits(const unsigned char *in, uint32_t *bits, int n, unsigned char limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool on = i < n && in[i] > limit;
    unsigned word = __ballot_sync(0xffffffffu, on);
    if ((threadIdx.x & 31) == 0 && i < n) bits[i / 32] = word;
}

int main()
{
    const int w = 1000, h = 300;
    uchar4 *c4;
    RGB *c3;
    unsigned char *g;
    float *f, *o;
    uint32_t *bits;
    cudaMalloc(&c4, w * h * sizeof(uchar4));
    cudaMalloc(&c3, w * h * sizeof(RGB));
    cudaMalloc(&g, w * h);
    cudaMalloc(&f, w * h * sizeof(float));
    cudaMalloc(&o, w * h * sizeof(float));
    cudaMalloc(&bits, (w * h + 31) / 32 * 4);
    cudaMemset(c4, 7, w * h * 4);
    cudaMemset(c3, 7, w * h * 3);
    cudaMemset(f, 0, w * h * 4);
    dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    grey4<<<grid, block>>>(c4, g, w, h);
    grey3<<<(w * h + 255) / 256, 256>>>(c3, g, w * h);
    blur_rows<3><<<dim3((w + 255) / 256, h), 256>>>(f, o, w);
    blur_rows<8><<<dim3((w + 255) / 256, h), 256>>>(f, o, w);
    blur_columns<<<grid, block>>>(o, f, w, h, 4);
    half_size<<<dim3((w / 2 + 15) / 16, (h / 2 + 15) / 16), dim3(16, 16)>>>(f, o, w, h);
    threshold_bits<<<(w * h + 511) / 512, 512>>>(g, bits, w * h, 20);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}

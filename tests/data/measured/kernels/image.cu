// Image filters on 8-bit, half-precision and float pixels.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char Pixel;

#define HANDLE_ERROR(err) (HandleError(err, __LINE__))
static void HandleError(cudaError_t err, int line) {
    if (err != cudaSuccess) {
        printf("%s at line %d\n", cudaGetErrorString(err), line);
        exit(EXIT_FAILURE);
    }
}

__global__ void rgba_to_grey(const uchar4* const rgba, unsigned char* const grey, int numRows, int numCols) {
    const int2 p = make_int2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
    if (p.x >= numCols || p.y >= numRows) return;
    const int m = p.y * numCols + p.x;
    uchar4 c = rgba[m];
    grey[m] = (unsigned char)((c.x * 77 + c.y * 151 + c.z * 28) >> 8);
}

__device__ unsigned char ComputeSobel(Pixel ul, Pixel um, Pixel ur, Pixel ml, Pixel mr, Pixel ll, Pixel lm, Pixel lr) {
    short Horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
    short Vert = ul + 2 * um + ur - ll - 2 * lm - lr;
    short Sum = (short)(abs((int)Horz) + abs((int)Vert));
    if (Sum > 0xff) return 0xff;
    return (unsigned char)Sum;
}

__global__ void sobelShared(const Pixel* src, Pixel* dst, int w, int h) {
    __shared__ Pixel win[18][34];
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int y = threadIdx.y; y < 18; y += blockDim.y)
        for (int x = threadIdx.x; x < 34; x += blockDim.x) {
            int sx = min(max(x0 + x, 0), w - 1);
            int sy = min(max(y0 + y, 0), h - 1);
            win[y][x] = src[sy * w + sx];
        }
    __syncthreads();
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = x0 + tx, y = y0 + ty;
    if (x < w && y < h) {
        Pixel v = ComputeSobel(win[ty - 1][tx - 1], win[ty - 1][tx], win[ty - 1][tx + 1],
                               win[ty][tx - 1], win[ty][tx + 1],
                               win[ty + 1][tx - 1], win[ty + 1][tx], win[ty + 1][tx + 1]);
        dst[y * w + x] = v;
    }
}

__global__ void blend_half2(const __half2* a, const __half2* b, __half2* out, float alpha, int n2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        const __half2 wa = __float2half2_rn(alpha);
        const __half2 wb = __float2half2_rn(1.0f - alpha);
        out[i] = __hfma2(a[i], wa, __hmul2(b[i], wb));
    }
}

// sliding window along a row, one thread a row
__global__ void boxBlurRows(const float* id, float* od, int w, int h, int r) {
    const int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    const float* in = id + y * w;
    float* out = od + y * w;
    const float scale = 1.0f / ((r << 1) + 1);
    float t = in[0] * r;
    for (int x = 0; x < r + 1; x++) t += in[x];
    out[0] = t * scale;
    for (int x = 1; x < r + 1; x++) {
        t += in[x + r];
        t -= in[0];
        out[x] = t * scale;
    }
    for (int x = r + 1; x < w - r; x++) {
        t += in[x + r];
        t -= in[x - r - 1];
        out[x] = t * scale;
    }
    for (int x = w - r; x < w; x++) {
        t += in[w - 1];
        t -= in[x - r - 1];
        out[x] = t * scale;
    }
}

// look-up table through the read-only path, four pixels a thread
__global__ void applyLut(const unsigned* in4, unsigned* out4, const Pixel* lut, int words) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    union {
        unsigned word;
        Pixel px[4];
    } q;
    q.word = __ldg(&in4[i]);
#pragma unroll
    for (int k = 0; k < 4; k++) q.px[k] = __ldg(lut + q.px[k]);
    out4[i] = q.word;
}

__global__ void flipHorizontal(uchar3* img, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < w / 2) {
        uchar3 l = img[y * w + x];
        uchar3 r = img[y * w + w - 1 - x];
        img[y * w + x] = r;
        img[y * w + w - 1 - x] = l;
    }
}

int main() {
    const int w = 400, h = 250, n = w * h;
    std::vector<uchar4> rgba(n);
    std::vector<Pixel> grey(n), edge(n), want(n);
    for (int i = 0; i < n; i++) {
        rgba[i] = make_uchar4((i * 3) & 255, (i / 7) & 255, (i * i) & 255, 255);
        want[i] = (rgba[i].x * 77 + rgba[i].y * 151 + rgba[i].z * 28) >> 8;
    }
    uchar4* d_rgba;
    Pixel *d_grey, *d_edge, *d_lut;
    HANDLE_ERROR(cudaMalloc(&d_rgba, n * sizeof(uchar4)));
    HANDLE_ERROR(cudaMalloc(&d_grey, n));
    HANDLE_ERROR(cudaMalloc(&d_edge, n));
    HANDLE_ERROR(cudaMalloc(&d_lut, 256));
    HANDLE_ERROR(cudaMemcpy(d_rgba, rgba.data(), n * sizeof(uchar4), cudaMemcpyHostToDevice));
    const dim3 blockSize(24, 8, 1);
    const dim3 gridSize((w + blockSize.x - 1) / blockSize.x, (h + blockSize.y - 1) / blockSize.y, 1);
    rgba_to_grey<<<gridSize, blockSize>>>(d_rgba, d_grey, h, w);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(grey.data(), d_grey, n, cudaMemcpyDeviceToHost));
    int bad = grey != want;
    printf("grey %s\n", bad ? "FAIL" : "OK");

    sobelShared<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16)>>>(d_grey, d_edge, w, h);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(edge.data(), d_edge, n, cudaMemcpyDeviceToHost));
    int wrong = 0;
    auto at = [&](int x, int y) { return (int)want[std::clamp(y, 0, h - 1) * w + std::clamp(x, 0, w - 1)]; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int hz = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
            int vt = at(x - 1, y - 1) + 2 * at(x, y - 1) + at(x + 1, y - 1) - at(x - 1, y + 1) - 2 * at(x, y + 1) - at(x + 1, y + 1);
            wrong += edge[y * w + x] != std::min(255, abs(hz) + abs(vt));
        }
    printf("sobel %s\n", wrong ? "FAIL" : "OK");
    bad += wrong;

    std::vector<Pixel> lut(256), mapped(n);
    for (int i = 0; i < 256; i++) lut[i] = 255 - i;
    HANDLE_ERROR(cudaMemcpy(d_lut, lut.data(), 256, cudaMemcpyHostToDevice));
    applyLut<<<(n / 4 + 127) / 128, 128>>>((unsigned*)d_grey, (unsigned*)d_edge, d_lut, n / 4);
    HANDLE_ERROR(cudaMemcpy(mapped.data(), d_edge, n, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < n; i++) wrong += mapped[i] != 255 - want[i];
    printf("lut %s\n", wrong ? "FAIL" : "OK");
    bad += wrong;

    std::vector<__half> ha(2 * n), hb(2 * n);
    for (int i = 0; i < 2 * n; i++) {
        ha[i] = __float2half(float(i % 64));
        hb[i] = __float2half(float(i % 32));
    }
    __half2 *da, *db, *dc;
    HANDLE_ERROR(cudaMalloc(&da, n * sizeof(__half2)));
    HANDLE_ERROR(cudaMalloc(&db, n * sizeof(__half2)));
    HANDLE_ERROR(cudaMalloc(&dc, n * sizeof(__half2)));
    HANDLE_ERROR(cudaMemcpy(da, ha.data(), n * sizeof(__half2), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(db, hb.data(), n * sizeof(__half2), cudaMemcpyHostToDevice));
    blend_half2<<<(n + 255) / 256, 256>>>(da, db, dc, 0.5f, n);
    HANDLE_ERROR(cudaMemcpy(hb.data(), dc, n * sizeof(__half2), cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 2 * n; i++) wrong += __half2float(hb[i]) != (i % 64) * 0.5f + (i % 32) * 0.5f;
    printf("half %s\n", wrong ? "FAIL" : "OK");
    bad += wrong;

    float *f, *fo;
    std::vector<float> img(n), blur(n);
    for (int i = 0; i < n; i++) img[i] = float(i % 17);
    HANDLE_ERROR(cudaMalloc(&f, n * sizeof(float)));
    HANDLE_ERROR(cudaMalloc(&fo, n * sizeof(float)));
    HANDLE_ERROR(cudaMemcpy(f, img.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    const int radius = 3;
    boxBlurRows<<<(h + 63) / 64, 64>>>(f, fo, w, h, radius);
    HANDLE_ERROR(cudaMemcpy(blur.data(), fo, n * sizeof(float), cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float s = 0;
            for (int k = -radius; k <= radius; k++) s += img[y * w + std::clamp(x + k, 0, w - 1)];
            wrong += std::abs(s / (2 * radius + 1) - blur[y * w + x]) > 1e-3f;
        }
    printf("blur %s\n", wrong ? "FAIL" : "OK");
    bad += wrong;

    flipHorizontal<<<dim3((w / 2 + 63) / 64, h), 64>>>((uchar3*)d_rgba, w, h);
    HANDLE_ERROR(cudaDeviceSynchronize());
    puts(bad ? "FAIL" : "OK");
    return bad ? 1 : 0;
}

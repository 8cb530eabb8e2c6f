// Image processing: direct convolutions, separable filter, box filter, Sobel.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#define GUARD()                                                                     \
    {                                                                               \
        cudaError_t err = cudaGetLastError();                                       \
        if (err != cudaSuccess) {                                                   \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(err));             \
            return 1;                                                               \
        }                                                                           \
    }

__constant__ float c_k5[25];
__constant__ float c_sep[17];

__global__ void make_image(float* img, uchar4* rgba, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    img[y * w + x] = (float)((x * 13 + y * 7) & 255);
    rgba[y * w + x] = make_uchar4(x & 255, y & 255, (x ^ y) & 255, 255);
}

__global__ void make_tensor(float* t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = (i % 29) * 0.03f - 0.4f;
}

// 5x5 convolution, 32x32 output tile by 32x8 threads, four rows per thread.
__global__ void conv5x5_shared(const float* in, float* out, int w, int h) {
    constexpr int R = 2;
    constexpr int T = 32;
    __shared__ float tile[T + 2 * R][T + 2 * R];

    const int x0 = blockIdx.x * T - R;
    const int y0 = blockIdx.y * T - R;
    for (int j = threadIdx.y; j < T + 2 * R; j += blockDim.y) {
        for (int i = threadIdx.x; i < T + 2 * R; i += blockDim.x) {
            int gx = x0 + i;
            int gy = y0 + j;
            float v = 0.f;
            if (gx >= 0 && gx < w && gy >= 0 && gy < h) v = in[gy * w + gx];
            tile[j][i] = v;
        }
    }
    __syncthreads();

    float acc[4] = {0.f, 0.f, 0.f, 0.f};
    const int ly = threadIdx.y * 4;
#pragma unroll
    for (int ky = 0; ky < 5; ++ky) {
#pragma unroll
        for (int kx = 0; kx < 5; ++kx) {
            const float c = c_k5[ky * 5 + kx];
#pragma unroll
            for (int r = 0; r < 4; ++r)
                acc[r] += c * tile[ly + r + ky][threadIdx.x + kx];
        }
    }

    const int ox = blockIdx.x * T + threadIdx.x;
    if (ox >= w) return;
    for (int r = 0; r < 4; ++r) {
        int oy = blockIdx.y * T + ly + r;
        if (oy < h) out[oy * w + ox] = acc[r];
    }
}

// Multi channel 3x3 (NCHW, zero padding); each thread accumulates OCB output channels.
template <int CIN, int COUT, int OCB, int HW>
__global__ void conv3x3_nchw(const float* __restrict__ in, const float* __restrict__ wgt, float* __restrict__ out) {
    __shared__ float patch[18][18];
    __shared__ float ws[OCB][9];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    constexpr int TILES = HW / 16;
    const int bx = (blockIdx.x % TILES) * 16;
    const int by = (blockIdx.x / TILES) * 16;
    const int oc0 = blockIdx.y * OCB;
    const int n = blockIdx.z;

    float acc[OCB];
#pragma unroll
    for (int o = 0; o < OCB; ++o) acc[o] = 0.f;

    for (int c = 0; c < CIN; ++c) {
        const float* plane = in + (n * CIN + c) * HW * HW;
        for (int i = tid; i < 18 * 18; i += 256) {
            int py = i / 18, px = i % 18;
            int gy = by + py - 1, gx = bx + px - 1;
            bool ok = (unsigned)gy < (unsigned)HW && (unsigned)gx < (unsigned)HW;
            patch[py][px] = ok ? plane[gy * HW + gx] : 0.f;
        }
        if (tid < OCB * 9) ws[tid / 9][tid % 9] = wgt[((oc0 + tid / 9) * CIN + c) * 9 + tid % 9];
        __syncthreads();

        float p[9];
#pragma unroll
        for (int i = 0; i < 9; ++i) p[i] = patch[ty + i / 3][tx + i % 3];
#pragma unroll
        for (int o = 0; o < OCB; ++o) {
#pragma unroll
            for (int i = 0; i < 9; ++i) acc[o] += ws[o][i] * p[i];
        }
        __syncthreads();
    }

#pragma unroll
    for (int o = 0; o < OCB; ++o)
        out[((n * COUT + oc0 + o) * HW + by + ty) * HW + bx + tx] = acc[o];
}

#define SEP_R 8
#define ROW_BX 32
#define ROW_BY 4
#define ROW_STEPS 4

__global__ void separable_rows(const float* src, float* dst, int w, int h) {
    __shared__ float s[ROW_BY][ROW_BX * ROW_STEPS + 2 * SEP_R];

    const int y = blockIdx.y * ROW_BY + threadIdx.y;
    const int xbase = blockIdx.x * ROW_BX * ROW_STEPS;
    const float* row = src + y * w;      // h is a multiple of ROW_BY

    for (int i = threadIdx.x; i < ROW_BX * ROW_STEPS + 2 * SEP_R; i += ROW_BX) {
        int gx = min(max(xbase + i - SEP_R, 0), w - 1);
        s[threadIdx.y][i] = row[gx];
    }
    __syncthreads();

    for (int st = 0; st < ROW_STEPS; ++st) {
        float sum = 0.f;
#pragma unroll
        for (int k = -SEP_R; k <= SEP_R; ++k)
            sum += c_sep[SEP_R + k] * s[threadIdx.y][st * ROW_BX + threadIdx.x + SEP_R + k];
        dst[y * w + xbase + st * ROW_BX + threadIdx.x] = sum;
    }
}

__global__ void separable_cols(const float* src, float* dst, int w, int h) {
    // 16 columns wide, 64 outputs tall, thread block 16x16.
    __shared__ float s[64 + 2 * SEP_R][16 + 1];
    const int x = blockIdx.x * 16 + threadIdx.x;
    const int y0 = blockIdx.y * 64;

    for (int j = threadIdx.y; j < 64 + 2 * SEP_R; j += 16) {
        int gy = y0 + j - SEP_R;
        gy = gy < 0 ? 0 : (gy >= h ? h - 1 : gy);
        s[j][threadIdx.x] = src[gy * w + x];
    }
    __syncthreads();

#pragma unroll
    for (int r = 0; r < 4; ++r) {
        const int ly = r * 16 + threadIdx.y;
        float sum = 0.f;
        for (int k = 0; k <= 2 * SEP_R; ++k) sum += c_sep[k] * s[ly + k][threadIdx.x];
        dst[(y0 + ly) * w + x] = sum;
    }
}

template <int R>
__global__ void box_rgba(const uchar4* __restrict__ in, uchar4* __restrict__ out, int w, int h) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    int r = 0, g = 0, b = 0, cnt = 0;
    for (int dy = -R; dy <= R; ++dy) {
        int yy = y + dy;
        if (yy < 0 || yy >= h) continue;
        for (int dx = -R; dx <= R; ++dx) {
            int xx = x + dx;
            if (xx < 0 || xx >= w) continue;
            uchar4 p = in[yy * w + xx];
            r += p.x;
            g += p.y;
            b += p.z;
            ++cnt;
        }
    }
    out[y * w + x] = make_uchar4(r / cnt, g / cnt, b / cnt, 255);
}

// Luma conversion into a byte tile, then 3x3 Sobel magnitude.
__global__ void sobel_luma(const uchar4* in, uint8_t* mag, int w, int h) {
    __shared__ uint8_t luma[18][36];
    const int bx = blockIdx.x * 32, by = blockIdx.y * 16;

    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
        int ly = i / 34, lx = i - ly * 34;
        int gx = min(max(bx + lx - 1, 0), w - 1);
        int gy = min(max(by + ly - 1, 0), h - 1);
        uchar4 p = in[gy * w + gx];
        luma[ly][lx] = (uint8_t)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
    }
    __syncthreads();

    const int x = threadIdx.x, y = threadIdx.y;
    int tl = luma[y][x], tc = luma[y][x + 1], tr = luma[y][x + 2];
    int ml = luma[y + 1][x], mr = luma[y + 1][x + 2];
    int bl = luma[y + 2][x], bc = luma[y + 2][x + 1], br = luma[y + 2][x + 2];
    int gx = tr + 2 * mr + br - tl - 2 * ml - bl;
    int gy = bl + 2 * bc + br - tl - 2 * tc - tr;
    int m = abs(gx) + abs(gy);
    if (bx + x < w && by + y < h) mag[(by + y) * w + bx + x] = (uint8_t)min(m, 255);
}

int main() {
    constexpr int W = 1024, H = 768;
    constexpr int OW = 1000, OH = 750;   // cropped view for the guarded kernels
    constexpr int CIN = 8, COUT = 16, HW = 64, NB = 4;

    float *img, *tmp, *res, *ten, *wgt, *tout;
    uchar4 *rgba, *blur;
    uint8_t* edges;
    cudaMalloc(&img, W * H * sizeof(float));
    cudaMalloc(&tmp, W * H * sizeof(float));
    cudaMalloc(&res, W * H * sizeof(float));
    cudaMalloc(&rgba, W * H * sizeof(uchar4));
    cudaMalloc(&blur, W * H * sizeof(uchar4));
    cudaMalloc(&edges, W * H);
    cudaMalloc(&ten, NB * CIN * HW * HW * sizeof(float));
    cudaMalloc(&wgt, COUT * CIN * 9 * sizeof(float));
    cudaMalloc(&tout, NB * COUT * HW * HW * sizeof(float));
    GUARD();

    float k5[25], sep[17];
    for (int i = 0; i < 25; ++i) k5[i] = 1.0f / 25.0f + 0.001f * i;
    for (int i = 0; i < 17; ++i) sep[i] = (9 - abs(i - 8)) / 81.0f;
    cudaMemcpyToSymbol(c_k5, k5, sizeof(k5));
    cudaMemcpyToSymbol(c_sep, sep, sizeof(sep));

    make_image<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(img, rgba, W, H);
    make_tensor<<<(NB * CIN * HW * HW + 255) / 256, 256>>>(ten, NB * CIN * HW * HW);
    make_tensor<<<(COUT * CIN * 9 + 255) / 256, 256>>>(wgt, COUT * CIN * 9);
    GUARD();

    conv5x5_shared<<<dim3((OW + 31) / 32, (OH + 31) / 32), dim3(32, 8)>>>(img, res, OW, OH);
    GUARD();
    conv3x3_nchw<CIN, COUT, 8, HW><<<dim3((HW / 16) * (HW / 16), COUT / 8, NB), dim3(16, 16)>>>(ten, wgt, tout);
    GUARD();
    separable_rows<<<dim3(W / (ROW_BX * ROW_STEPS), H / ROW_BY), dim3(ROW_BX, ROW_BY)>>>(img, tmp, W, H);
    GUARD();
    separable_cols<<<dim3(W / 16, H / 64), dim3(16, 16)>>>(tmp, res, W, H);
    GUARD();
    box_rgba<3><<<dim3((OW + 15) / 16, (OH + 15) / 16), dim3(16, 16)>>>(rgba, blur, OW, OH);
    GUARD();
    sobel_luma<<<dim3((OW + 31) / 32, (OH + 15) / 16), dim3(32, 16)>>>(rgba, edges, OW, OH);
    GUARD();
    cudaDeviceSynchronize();
    GUARD();

    cudaFree(img); cudaFree(tmp); cudaFree(res);
    cudaFree(rgba); cudaFree(blur); cudaFree(edges);
    cudaFree(ten); cudaFree(wgt); cudaFree(tout);
    printf("conv_image done\n");
    return 0;
}

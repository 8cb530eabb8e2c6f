#include <cstdio>
#include <vector>

__constant__ float taps[32];
struct Biquad { float b0, b1, b2, a1, a2; };
struct Rgb { float r, g, b; };

__global__ void fir_tile(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float s[128 + 30];
    int base = blockIdx.x * 128 - 15;
    for (int k = threadIdx.x; k < 158; k += 128) {
        int i = base + k;
        s[k] = i >= 0 && i < n ? in[i] : 0.0f;
    }
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    float v = 0;
#pragma unroll
    for (int k = 0; k < 31; k++) v += taps[k] * s[threadIdx.x + k];
    out[i] = v;
}
__global__ void fir_decimate(const float *in, const float *h, float *out, int n, int outputs, int factor, int length) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs) return;
    float v = 0;
    for (int k = 0; k < length && i * factor + k < n; k++) v += h[k] * in[i * factor + k];
    out[i] = v;
}
__global__ void biquad_planar(const float *in, float *out, const Biquad *filters, int channels, int samples) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    Biquad f = filters[c];
    const float *x = in + c * samples;
    float *y = out + c * samples, z1 = 0, z2 = 0;
    for (int t = 0; t < samples; t++) {
        float v = x[t], w = f.b0 * v + z1;
        z1 = f.b1 * v - f.a1 * w + z2;
        z2 = f.b2 * v - f.a2 * w;
        y[t] = w;
    }
}
__global__ void fft64(const float2 *in, float2 *out) {
    __shared__ float2 s[4][64];
    float2 *row = s[threadIdx.y];
    int t = threadIdx.x, first = (blockIdx.x * 4 + threadIdx.y) * 64;
    row[__brev(t) >> 26] = in[first + t];
    row[__brev(t + 32) >> 26] = in[first + t + 32];
    __syncwarp();
    for (int len = 1; len < 64; len <<= 1) {
        int k = t & (len - 1), a = 2 * (t - k) + k;
        float sn, cs;
        __sincosf(-3.14159265f * k / len, &sn, &cs);
        float2 u = row[a], v = row[a + len];
        float2 w = make_float2(v.x * cs - v.y * sn, v.x * sn + v.y * cs);
        row[a] = make_float2(u.x + w.x, u.y + w.y);
        row[a + len] = make_float2(u.x - w.x, u.y - w.y);
        __syncwarp();
    }
    out[first + t] = row[t];
    out[first + t + 32] = row[t + 32];
}
__device__ __forceinline__ int padded(int i) { return i + i / 32; }
__global__ void fft256_radix4(const float2 *in, float *spectrum) {
    __shared__ float re[264], im[264];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 64) {
        float2 v = in[blockIdx.x * 256 + i];
        re[padded(i)] = v.x;
        im[padded(i)] = v.y;
    }
    __syncthreads();
    for (int ns = 1; ns < 256; ns *= 4) {
        int k = t % ns, j = (t / ns) * ns * 4 + k;
        float x[4], y[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            float sn, cs, a = re[padded(t + r * 64)], b = im[padded(t + r * 64)];
            __sincosf(-6.2831853f * r * k / (4 * ns), &sn, &cs);
            x[r] = a * cs - b * sn;
            y[r] = a * sn + b * cs;
        }
        __syncthreads();
        float ax = x[0] + x[2], ay = y[0] + y[2], bx = x[0] - x[2], by = y[0] - y[2];
        float cx = x[1] + x[3], cy = y[1] + y[3], dx = x[1] - x[3], dy = y[1] - y[3];
        re[padded(j)] = ax + cx;          im[padded(j)] = ay + cy;
        re[padded(j + ns)] = bx + dy;     im[padded(j + ns)] = by - dx;
        re[padded(j + 2 * ns)] = ax - cx; im[padded(j + 2 * ns)] = ay - cy;
        re[padded(j + 3 * ns)] = bx - dy; im[padded(j + 3 * ns)] = by + dx;
        __syncthreads();
    }
    for (int i = t; i < 129; i += 64) spectrum[blockIdx.x * 129 + i] = re[padded(i)] * re[padded(i)] + im[padded(i)] * im[padded(i)];
}
__global__ void haar_lifting(float2 *data) {
    __shared__ float s[256];
    int t = threadIdx.x;
    float2 v = data[blockIdx.x * 128 + t];
    s[2 * t] = v.x;
    s[2 * t + 1] = v.y;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        int i = t * 2 * step;
        if (i + step < 256) {
            float d = s[i + step] - s[i];
            s[i + step] = d;
            s[i] += 0.5f * d;
        }
    }
    __syncthreads();
    data[blockIdx.x * 128 + t] = *reinterpret_cast<float2 *>(s + 2 * t);
}
__global__ void autocorrelation(const float *in, float *out, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[blockIdx.x * n + i];
    __syncthreads();
    int lag = threadIdx.x;
    float v = 0;
    for (int i = 0; i + lag < n; i++) v += s[i] * s[i + lag];
    out[blockIdx.x * blockDim.x + lag] = v / (n - lag);
}
template <int L, int M> __global__ void resample_polyphase(const float *in, float *out, int n, int outputs) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs) return;
    int phase = i * M % L, base = i * M / L;
    float v = 0;
    for (int k = 0; k < 8; k++) {
        int at = base - k;
        if (at >= 0 && at < n) v += taps[phase + k * L] * in[at];
    }
    out[i] = v * L;
}
__global__ void histogram(const uchar4 *pixels, unsigned *bins, int quads) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uchar4 p = pixels[i];
        atomicAdd(&local[p.x], 1u);
        atomicAdd(&local[p.y], 1u);
        atomicAdd(&local[p.z], 1u);
        atomicAdd(&local[p.w], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(bins + b, local[b]);
}
__global__ void equalise(const unsigned char *pixels, const unsigned *bins, unsigned char *out, int n) {
    __shared__ unsigned cdf[2][256];
    __shared__ unsigned char lut[256];
    int t = threadIdx.x, from = 0;
    cdf[0][t] = bins[t];
    __syncthreads();
    for (int o = 1; o < 256; o <<= 1, from ^= 1) {
        cdf[from ^ 1][t] = t >= o ? cdf[from][t] + cdf[from][t - o] : cdf[from][t];
        __syncthreads();
    }
    lut[t] = (unsigned char)(255.0f * cdf[from][t] / n + 0.5f);
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) out[i] = lut[pixels[i]];
}
__device__ __forceinline__ void order(int &a, int &b) { int m = min(a, b); b = max(a, b); a = m; }
__global__ void median3x3(const unsigned char *in, unsigned char *out, int width, int height) {
    __shared__ unsigned char tile[10][34];
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        int x = min(max((int)blockIdx.x * 32 + k % 34 - 1, 0), width - 1), y = min(max((int)blockIdx.y * 8 + k / 34 - 1, 0), height - 1);
        tile[k / 34][k % 34] = in[y * width + x];
    }
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    int v[9];
#pragma unroll
    for (int k = 0; k < 9; k++) v[k] = tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]); order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]); order(v[4], v[2]);
    out[y * width + x] = (unsigned char)v[4];
}
__global__ void integral_rows(const unsigned char *in, unsigned *sums, int width, int height) {
    int y = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (y >= height) return;
    unsigned carry = 0;
    for (int x = lane; x - lane < width; x += 32) {
        unsigned v = x < width ? in[y * width + x] : 0;
        for (int o = 1; o < 32; o *= 2) {
            unsigned u = __shfl_up_sync(0xffffffffu, v, o);
            if (lane >= o) v += u;
        }
        if (x < width) sums[y * width + x] = v + carry;
        carry += __shfl_sync(0xffffffffu, v, 31);
    }
}
__global__ void integral_columns(unsigned *sums, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    unsigned run = 0;
    for (unsigned *p = sums + x; p < sums + width * height; p += width) *p = run += *p;
}
template <int R> __global__ void dilate_disc(const float *in, float *out, int width, int height) {
    __shared__ float tile[16 + 2 * R][16 + 2 * R + 1];
    int bx = blockIdx.x * 16 - R, by = blockIdx.y * 16 - R;
    for (int j = threadIdx.y; j < 16 + 2 * R; j += 16)
        for (int i = threadIdx.x; i < 16 + 2 * R; i += 16) {
            bool inside = bx + i >= 0 && bx + i < width && by + j >= 0 && by + j < height;
            tile[j][i] = inside ? in[(by + j) * width + bx + i] : -1e30f;
        }
    __syncthreads();
    int x = bx + R + threadIdx.x, y = by + R + threadIdx.y;
    float m = -1e30f;
    for (int j = -R; j <= R; j++)
        for (int i = -R; i <= R; i++)
            if (i * i + j * j <= R * R) m = fmaxf(m, tile[threadIdx.y + R + j][threadIdx.x + R + i]);
    if (x < width && y < height) out[y * width + x] = m;
}
__global__ void erode_bits(const unsigned *in, unsigned *out, int words, int height) {
    int w = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    if (y >= height) return;
    unsigned r = ~0u;
    for (int j = max(y - 1, 0); j <= min(y + 1, height - 1); j++) {
        unsigned c = in[j * words + w], before = w > 0 ? in[j * words + w - 1] : ~0u, after = w + 1 < words ? in[j * words + w + 1] : ~0u;
        r &= c & (c << 1 | before >> 31) & (c >> 1 | after << 31);
    }
    out[y * words + w] = r;
}
__global__ void rgb_to_ycbcr(const uchar3 *in, unsigned char *planes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 p = in[i];
    planes[i] = (66 * p.x + 129 * p.y + 25 * p.z + 4224) >> 8;
    planes[n + i] = (-38 * p.x - 74 * p.y + 112 * p.z + 32896) >> 8;
    planes[2 * n + i] = (112 * p.x - 94 * p.y - 18 * p.z + 32896) >> 8;
}
__device__ unsigned char clamp8(float v) { return (unsigned char)fminf(fmaxf(v, 0.0f), 255.0f); }
__global__ void nv12_to_rgba(const unsigned char *luma, const uchar2 *chroma, uchar4 *out, int width, int height) {
    int cx = blockIdx.x * blockDim.x + threadIdx.x, cy = blockIdx.y * blockDim.y + threadIdx.y;
    if (2 * cx >= width || 2 * cy >= height) return;
    uchar2 c = chroma[cy * (width / 2) + cx];
    float u = c.x - 128.0f, v = c.y - 128.0f;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int at = (2 * cy + k / 2) * width + 2 * cx + k % 2;
        float y = 1.164f * (luma[at] - 16.0f);
        out[at] = make_uchar4(clamp8(y + 1.596f * v), clamp8(y - 0.392f * u - 0.813f * v), clamp8(y + 2.017f * u), 255);
    }
}
__global__ void rgb_to_hsv(const Rgb *in, float *hue, float2 *sv, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Rgb p = in[i];
    float hi = fmaxf(p.r, fmaxf(p.g, p.b)), d = hi - fminf(p.r, fminf(p.g, p.b)), h = 0;
    if (d > 0) {
        if (hi == p.r) h = (p.g - p.b) / d + (p.g < p.b ? 6 : 0);
        else if (hi == p.g) h = (p.b - p.r) / d + 2;
        else h = (p.r - p.g) / d + 4;
    }
    hue[i] = h * 60;
    sv[i] = make_float2(hi > 0 ? d / hi : 0, hi);
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
    float h[32];
    for (int i = 0; i < 32; i++) h[i] = 1.0f / (1 + (i - 15) * (i - 15));
    cudaMemcpyToSymbol(taps, h, sizeof h);
    fir_tile<<<6, 128>>>(floats(700), zeros<float>(700), 700);
    fir_decimate<<<4, 64>>>(floats(720), floats(13), zeros<float>(238), 720, 238, 3, 13);
    biquad_planar<<<3, 32>>>(floats(80 * 50), zeros<float>(80 * 50), (Biquad *)floats(80 * 5, 0.4f), 80, 50);
    fft64<<<3, dim3(32, 4)>>>((float2 *)floats(12 * 64 * 2), (float2 *)zeros<float>(12 * 64 * 2));
    fft256_radix4<<<5, 64>>>((float2 *)floats(5 * 256 * 2), zeros<float>(5 * 129));
    haar_lifting<<<4, 128>>>((float2 *)floats(4 * 256));
    autocorrelation<<<3, 64, 300 * sizeof(float)>>>(floats(3 * 300), zeros<float>(3 * 64), 300);
    resample_polyphase<3, 2><<<5, 96>>>(floats(300), zeros<float>(450), 300, 450);
    unsigned char *image = ints<unsigned char>(100 * 76, 251, 97);
    unsigned *bins = zeros<unsigned>(256), *sums = zeros<unsigned>(100 * 76);
    histogram<<<6, 128>>>((uchar4 *)image, bins, 1900);
    equalise<<<5, 256>>>(image, bins, zeros<unsigned char>(100 * 76), 7600);
    median3x3<<<dim3(4, 10), dim3(32, 8)>>>(image, zeros<unsigned char>(100 * 76), 100, 76);
    integral_rows<<<19, dim3(32, 4)>>>(image, sums, 100, 76);
    integral_columns<<<2, 64>>>(sums, 100, 76);
    dilate_disc<3><<<dim3(5, 4), dim3(16, 16)>>>(floats(70 * 50), zeros<float>(70 * 50), 70, 50);
    erode_bits<<<8, dim3(6, 16)>>>(ints<unsigned>(6 * 120, 4000000007u, 2654435761u), zeros<unsigned>(6 * 120), 6, 120);
    rgb_to_ycbcr<<<5, 128>>>((uchar3 *)ints<unsigned char>(600 * 3, 256, 31), zeros<unsigned char>(600 * 3), 600);
    nv12_to_rgba<<<dim3(2, 6), dim3(32, 4)>>>(ints<unsigned char>(80 * 48, 220, 13), (uchar2 *)ints<unsigned char>(40 * 24 * 2, 250, 17), (uchar4 *)zeros<unsigned char>(80 * 48 * 4), 80, 48);
    rgb_to_hsv<<<4, 96>>>((Rgb *)floats(350 * 3), zeros<float>(350), (float2 *)zeros<float>(350 * 2), 350);
    return finish("signals");
}

// Three-dimensional seven-point stencils and a higher-order one with a queue of registers.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define NX 128
#define NY 64
#define NZ 40
#define IDX(x, y, z) ((x) + NX * ((y) + NY * (z)))

#define ASSERT_CUDA(e)                                  \
    if ((e) != cudaSuccess) {                           \
        printf("%s:%d failed\n", __FILE__, __LINE__);   \
        exit(1);                                        \
    }

__global__ void jacobi7(const float *__restrict__ in, float *__restrict__ out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < NZ - 1) {
        out[IDX(x, y, z)] = (in[IDX(x - 1, y, z)] + in[IDX(x + 1, y, z)] +
                             in[IDX(x, y - 1, z)] + in[IDX(x, y + 1, z)] +
                             in[IDX(x, y, z - 1)] + in[IDX(x, y, z + 1)]) * 0.125f +
                            in[IDX(x, y, z)] * 0.25f;
    }
}

// marches in z, keeps below, here and above in registers
__global__ void jacobi7March(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1) return;
    const int plane = nx * ny;
    int i = y * nx + x;
    float below = in[i];
    float here = in[i + plane];
    for (int z = 1; z < nz - 1; ++z) {
        i += plane;
        float above = in[i + plane];
        float sides = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx];
        out[i] = (sides + below + above) * 0.125f + here * 0.25f;
        below = here;
        here = above;
    }
}

// the plane in shared memory, the z neighbours in registers
template <int BX, int BY>
__global__ void jacobi7Shared(const float *in, float *out)
{
    __shared__ float s[BY + 2][BX + 2];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * BX + tx;
    const int y = blockIdx.y * BY + ty;
    const bool active = x < NX - 1 && y < NY - 1;
    float below = 0.0f, here = 0.0f;
    if (x < NX && y < NY) {
        below = in[IDX(x, y, 0)];
        here = in[IDX(x, y, 1)];
    }
    for (int z = 1; z < NZ - 1; z++) {
        float above = 0.0f;
        if (x < NX && y < NY) above = in[IDX(x, y, z + 1)];
        __syncthreads();
        s[ty][tx] = here;
        if (tx == 1) s[ty][0] = in[IDX(x - 1, min(y, NY - 1), z)];
        if (ty == 1) s[0][tx] = in[IDX(min(x, NX - 1), y - 1, z)];
        if (tx == BX) s[ty][BX + 1] = active ? in[IDX(x + 1, y, z)] : 0.0f;
        if (ty == BY) s[BY + 1][tx] = active ? in[IDX(x, y + 1, z)] : 0.0f;
        __syncthreads();
        if (active) {
            float sides = s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx];
            out[IDX(x, y, z)] = (sides + below + above) * 0.125f + here * 0.25f;
        }
        below = here;
        here = above;
    }
}

__constant__ float stencil[5] = {1.0f, 0.5f, 0.25f, 0.125f, 0.0625f};

// order 8 in z only, a queue of nine values
__global__ void fdz8(float *output, const float *input, const int dimx, const int dimy, const int dimz)
{
    const int gtidx = blockIdx.x * blockDim.x + threadIdx.x;
    const int gtidy = blockIdx.y * blockDim.y + threadIdx.y;
    const int stride_z = dimx * dimy;
    int inputIndex = gtidy * dimx + gtidx;
    int outputIndex = inputIndex + 4 * stride_z;
    float infront[4];
    float behind[4];
    float current;

    for (int i = 2; i >= 0; i--) {
        behind[i] = input[inputIndex];
        inputIndex += stride_z;
    }
    current = input[inputIndex];
    inputIndex += stride_z;
    for (int i = 0; i < 4; i++) {
        infront[i] = input[inputIndex];
        inputIndex += stride_z;
    }

#pragma unroll 9
    for (int iz = 4; iz < dimz - 4; iz++) {
        for (int i = 3; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = current;
        current = infront[0];
#pragma unroll 4
        for (int i = 0; i < 3; i++) infront[i] = infront[i + 1];
        infront[3] = input[inputIndex];
        inputIndex += stride_z;
        float value = stencil[0] * current;
#pragma unroll 4
        for (int i = 1; i <= 4; i++) value += stencil[i] * (infront[i - 1] + behind[i - 1]);
        output[outputIndex] = value;
        outputIndex += stride_z;
    }
}

int main()
{
    const int cells = NX * NY * NZ;
    std::vector<float> h(cells), g(cells), ref(cells, 0.0f);
    for (int i = 0; i < cells; i++) h[i] = (float)((i * 13) % 64);
    for (int z = 1; z < NZ - 1; z++)
        for (int y = 1; y < NY - 1; y++)
            for (int x = 1; x < NX - 1; x++)
                ref[IDX(x, y, z)] = (h[IDX(x - 1, y, z)] + h[IDX(x + 1, y, z)] + h[IDX(x, y - 1, z)] + h[IDX(x, y + 1, z)] +
                                     h[IDX(x, y, z - 1)] + h[IDX(x, y, z + 1)]) * 0.125f + h[IDX(x, y, z)] * 0.25f;
    float *a, *b;
    ASSERT_CUDA(cudaMalloc(&a, cells * sizeof(float)));
    ASSERT_CUDA(cudaMalloc(&b, cells * sizeof(float)));
    ASSERT_CUDA(cudaMemcpy(a, h.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
    int bad = 0;
    auto same = [&](const char *name) {
        ASSERT_CUDA(cudaGetLastError());
        ASSERT_CUDA(cudaMemcpy(g.data(), b, cells * sizeof(float), cudaMemcpyDeviceToHost));
        int d = 0;
        for (int i = 0; i < cells; i++) d += g[i] != ref[i];
        printf("%s: %d different\n", name, d);
        bad += d;
        ASSERT_CUDA(cudaMemset(b, 0, cells * sizeof(float)));
    };
    ASSERT_CUDA(cudaMemset(b, 0, cells * sizeof(float)));
    dim3 tpb(16, 6, 2);
    jacobi7<<<dim3(NX / tpb.x, (NY + tpb.y - 1) / tpb.y, NZ / tpb.z), tpb>>>(a, b);
    same("jacobi7");
    jacobi7March<<<dim3((NX - 2 + 31) / 32, (NY - 2 + 3) / 4), dim3(32, 4)>>>(a, b, NX, NY, NZ);
    same("jacobi7March");
    jacobi7Shared<32, 8><<<dim3((NX - 2 + 31) / 32, (NY - 2 + 7) / 8), dim3(32, 8)>>>(a, b);
    same("jacobi7Shared<32,8>");
    jacobi7Shared<20, 5><<<dim3((NX - 2 + 19) / 20, (NY - 2 + 4) / 5), dim3(20, 5)>>>(a, b);
    same("jacobi7Shared<20,5>");
    fdz8<<<dim3(NX / 32, NY / 8), dim3(32, 8)>>>(b, a, NX, NY, NZ);
    ASSERT_CUDA(cudaGetLastError());
    ASSERT_CUDA(cudaMemcpy(g.data(), b, cells * sizeof(float), cudaMemcpyDeviceToHost));
    int d = 0;
    for (int z = 4; z < NZ - 4; z++)
        for (int i = 0; i < NX * NY; i++) {
            float v = h[z * NX * NY + i];
            float c = 0.5f;
            for (int k = 1; k <= 4; k++, c /= 2) v += c * (h[(z + k) * NX * NY + i] + h[(z - k) * NX * NY + i]);
            d += g[z * NX * NY + i] != v;
        }
    printf("fdz8: %d different\n", d);
    bad += d;
    puts(bad ? "FAIL" : "OK");
    return bad != 0;
}

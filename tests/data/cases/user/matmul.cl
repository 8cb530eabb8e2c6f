// origin: issue cases
// OpenCL tiled matrix multiply with B's tile stored transposed (column access)
#define TS 16

__kernel void matmul(const int M, const int N, const int K,
                     const __global float *A, const __global float *B, __global float *C)
{
    const int row = get_local_id(1);
    const int col = get_local_id(0);
    const int globalRow = TS * get_group_id(1) + row;
    const int globalCol = TS * get_group_id(0) + col;

    __local float Asub[TS][TS];
    __local float Bsub[TS][TS];

    float acc = 0.0;
    for (int t = 0; t < K / TS; t++) {
        Asub[row][col] = A[globalRow * K + TS * t + col];
        Bsub[col][row] = B[(TS * t + row) * N + globalCol];  // expect: KL101 8 wavefronts per request instead of 1
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc += Asub[row][k] * Bsub[col][k];  // expect: KL101 16 wavefronts per request instead of 4
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[globalRow * N + globalCol] = acc;
}

__kernel void columns(__global const float *in, __global float *out, const int rows, const int cols)
{
    int r = get_global_id(0);
    if (r >= rows) return;
    float sum = 0;
    for (int c = 0; c < cols; c++)
        sum += in[r * cols + c];  // expect: KL201 32 sectors per request instead of 4
    out[r] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);  // expect: KL402 may have returned before this barrier
}

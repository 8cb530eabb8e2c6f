// A training loop with modes: some launches are never made.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
__global__ void encoder_forward(float *out, const int *in, int B, int T, int C) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < B * T * C) out[i] = in[i / C]; }
__global__ void layernorm_forward(float *out, const float *in, int N, int C) { int w = threadIdx.x / 32; int r = blockIdx.x * (blockDim.x / 32) + w; if (r < N) for (int c = threadIdx.x % 32; c < C; c += 32) out[r * C + c] = in[r * C + c]; }
__global__ void softmax_forward(float *out, const float *in, int N, int T) { extern __shared__ float s[]; s[threadIdx.x] = in[blockIdx.x * T + threadIdx.x]; out[blockIdx.x * T] = s[0]; }
__global__ void adamw(float *p, long n, float lr, unsigned seed) { long i = blockIdx.x * (long)blockDim.x + threadIdx.x; if (i < n) p[i] -= lr; }
__global__ void checksum(const float *p, long n) {}

typedef struct { int max_seq_len; int vocab_size; int num_layers; int num_heads; int channels; } GPT2Config;
typedef struct { GPT2Config config; float *params; size_t num_parameters; float *acts; int *inputs; int batch_size, seq_len; float mean_loss; int recompute; } GPT2;

void encoder(float *out, const int *in, int B, int T, int C) { const int block_size = 256; encoder_forward<<<CEIL_DIV(B * T * C, block_size), block_size>>>(out, in, B, T, C); }
void layernorm(float *out, const float *in, int B, int T, int C) { const int block_size = 512; const int N = B * T; const int grid_size = CEIL_DIV(N * 32, block_size); layernorm_forward<<<grid_size, block_size>>>(out, in, N, C); }
void softmax(float *out, const float *in, int N, int T)
{
    int block = T < 128 ? 128 : 256;
    size_t shared = block * sizeof(float);
    softmax_forward<<<N, block, shared>>>(out, in, N, T);
}
void gpt2_build(GPT2 *model)
{
    model->config.max_seq_len = 64;
    model->config.vocab_size = 1000;
    model->config.num_layers = 2;
    model->config.num_heads = 4;
    model->config.channels = 96;
    model->num_parameters = (size_t)model->config.vocab_size * model->config.channels;
    cudaMalloc((void **)&model->params, model->num_parameters * sizeof(float));
    model->acts = NULL;
    model->inputs = NULL;
    model->mean_loss = -1.0f;
    model->recompute = 0;
}
void gpt2_forward(GPT2 *model, int *inputs, int B, int T)
{
    if (model->params == NULL) { printf("not initialised\n"); exit(EXIT_FAILURE); }
    int C = model->config.channels, L = model->config.num_layers, NH = model->config.num_heads;
    if (model->acts == NULL) {
        model->batch_size = B;
        model->seq_len = T;
        cudaMalloc((void **)&model->acts, (size_t)B * T * C * 4 * sizeof(float));
        cudaMalloc((void **)&model->inputs, B * T * sizeof(int));
    } else if (B > model->batch_size || T > model->seq_len) { printf("too big\n"); exit(EXIT_FAILURE); }
    for (int i = 0; i < B * T; i++) assert(0 <= inputs[i] && inputs[i] < model->config.vocab_size);
    cudaMemcpy(model->inputs, inputs, B * T * sizeof(int), cudaMemcpyHostToDevice);
    encoder(model->acts, model->inputs, B, T, C);
    for (int l = 0; l < L; l++) {
        layernorm(model->acts, model->acts, B, T, C);
        softmax(model->acts, model->acts, B * NH * T, T);
    }
    if (model->recompute) layernorm(model->acts, model->params, 7, 7, 7);
}
void gpt2_update(GPT2 *model, float lr, unsigned seed) { int block_size = 512; int num_blocks = CEIL_DIV(model->num_parameters, block_size); adamw<<<num_blocks, block_size>>>(model->params, model->num_parameters, lr, seed); }
int main(int argc, char *argv[])
{
    GPT2 model;
    gpt2_build(&model);
    int B = 4, T = 64, debug = 0;
    int *tokens = (int *)calloc(B * T, sizeof(int));
    for (int step = 0; step <= 2; step++) {
        int last_step = step == 2;
        if (step % 10 == 0 || last_step) gpt2_forward(&model, tokens, B, T);
        if (last_step) break;
        gpt2_forward(&model, tokens, B, T);
        gpt2_update(&model, 1e-4f, step + 1);
        if (debug) checksum<<<1, 1024>>>(model.params, (long)model.num_parameters);
        if (model.config.channels > 100) checksum<<<2, 1024>>>(model.params, 0);
    }
    free(tokens);
    return 0;
}

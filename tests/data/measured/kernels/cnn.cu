// Layers of a convolutional network, with Caffe's loop macro.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda_runtime.h"

#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; \
       i < (n); \
       i += blockDim.x * gridDim.x)

#define CUDA_CHECK(condition) \
  do { \
    cudaError_t error = condition; \
    if (error != cudaSuccess) { \
      fprintf(stderr, " %s\n", cudaGetErrorString(error)); \
      exit(1); \
    } \
  } while (0)

const int CAFFE_CUDA_NUM_THREADS = 512;

inline int CAFFE_GET_BLOCKS(const int N) {
  return (N + CAFFE_CUDA_NUM_THREADS - 1) / CAFFE_CUDA_NUM_THREADS;
}

template <typename Dtype>
__global__ void im2col_gpu_kernel(const int n, const Dtype* data_im,
    const int height, const int width, const int kernel_h, const int kernel_w,
    const int pad_h, const int pad_w,
    const int stride_h, const int stride_w,
    const int height_col, const int width_col,
    Dtype* data_col) {
  CUDA_KERNEL_LOOP(index, n) {
    const int h_index = index / width_col;
    const int h_col = h_index % height_col;
    const int w_col = index % width_col;
    const int c_im = h_index / height_col;
    const int c_col = c_im * kernel_h * kernel_w;
    const int h_offset = h_col * stride_h - pad_h;
    const int w_offset = w_col * stride_w - pad_w;
    Dtype* data_col_ptr = data_col;
    data_col_ptr += (c_col * height_col + h_col) * width_col + w_col;
    const Dtype* data_im_ptr = data_im;
    data_im_ptr += (c_im * height + h_offset) * width + w_offset;
    for (int i = 0; i < kernel_h; ++i) {
      for (int j = 0; j < kernel_w; ++j) {
        int h_im = h_offset + i;
        int w_im = w_offset + j;
        *data_col_ptr =
            (h_im >= 0 && w_im >= 0 && h_im < height && w_im < width) ?
            data_im_ptr[i * width + j] : 0;
        data_col_ptr += height_col * width_col;
      }
    }
  }
}

template <typename Dtype>
__global__ void MaxPoolForward(const int nthreads,
    const Dtype* const bottom_data, const int num, const int channels,
    const int height, const int width, const int pooled_height,
    const int pooled_width, const int kernel_h, const int kernel_w,
    const int stride_h, const int stride_w, const int pad_h, const int pad_w,
    Dtype* const top_data, int* mask) {
  CUDA_KERNEL_LOOP(index, nthreads) {
    const int pw = index % pooled_width;
    const int ph = (index / pooled_width) % pooled_height;
    const int c = (index / pooled_width / pooled_height) % channels;
    const int n = index / pooled_width / pooled_height / channels;
    int hstart = ph * stride_h - pad_h;
    int wstart = pw * stride_w - pad_w;
    const int hend = min(hstart + kernel_h, height);
    const int wend = min(wstart + kernel_w, width);
    hstart = max(hstart, 0);
    wstart = max(wstart, 0);
    Dtype maxval = -FLT_MAX;
    int maxidx = -1;
    const Dtype* const bottom_slice =
        bottom_data + (n * channels + c) * height * width;
    for (int h = hstart; h < hend; ++h) {
      for (int w = wstart; w < wend; ++w) {
        if (bottom_slice[h * width + w] > maxval) {
          maxidx = h * width + w;
          maxval = bottom_slice[maxidx];
        }
      }
    }
    top_data[index] = maxval;
    mask[index] = maxidx;
  }
}

template <typename Dtype>
__global__ void AvePool2x2(const int n, const Dtype* bottom, Dtype* top, const int height, const int width) {
  CUDA_KERNEL_LOOP(index, n) {
    const int ow = width / 2, oh = height / 2;
    const int x = index % ow;
    const int y = index / ow % oh;
    const int c = index / (ow * oh);
    const Dtype* p = bottom + (c * height + 2 * y) * width + 2 * x;
    top[index] = (p[0] + p[1] + p[width] + p[width + 1]) / 4;
  }
}

__global__ void AddBiasRelu(const int n, float* data, const float* bias, int spatial, int channels) {
  CUDA_KERNEL_LOOP(i, n) {
    int c = (i / spatial) % channels;
    float v = data[i] + bias[c];
    data[i] = v > 0 ? v : v * 0.1f;
  }
}

template <typename Dtype, bool PER_CHANNEL>
__global__ void BatchNormScale(const int n, const Dtype* in, Dtype* out, const Dtype* mean, const Dtype* var, int spatial, int channels) {
  CUDA_KERNEL_LOOP(i, n) {
    if (PER_CHANNEL) {
      const int c = i / spatial % channels;
      out[i] = (in[i] - mean[c]) * rsqrtf(var[c] + 1e-5f);
    } else {
      out[i] = (in[i] - mean[0]) * rsqrtf(var[0] + 1e-5f);
    }
  }
}

int main() {
  const int num = 2, channels = 6, height = 57, width = 61;
  const int count = num * channels * height * width;
  std::vector<float> h(count);
  for (int i = 0; i < count; ++i) h[i] = (i * 29 % 83) - 40.0f;
  float *im, *col, *top, *bias;
  int* mask;
  const int k = 3, pad = 1, stride = 2;
  const int hc = (height + 2 * pad - k) / stride + 1, wc = (width + 2 * pad - k) / stride + 1;
  CUDA_CHECK(cudaMalloc(&im, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&col, (size_t)channels * k * k * hc * wc * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&top, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&bias, 2 * channels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&mask, count * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(im, h.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  std::vector<float> hb(2 * channels, 0.5f);
  CUDA_CHECK(cudaMemcpy(bias, hb.data(), hb.size() * sizeof(float), cudaMemcpyHostToDevice));
  int errors = 0;

  int num_kernels = channels * hc * wc;
  im2col_gpu_kernel<float><<<CAFFE_GET_BLOCKS(num_kernels), CAFFE_CUDA_NUM_THREADS>>>(
      num_kernels, im, height, width, k, k, pad, pad, stride, stride, hc, wc, col);
  CUDA_CHECK(cudaPeekAtLastError());
  std::vector<float> got(channels * k * k * hc * wc);
  CUDA_CHECK(cudaMemcpy(got.data(), col, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int c = 0; c < channels; ++c)
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j)
        for (int y = 0; y < hc; ++y)
          for (int x = 0; x < wc; ++x) {
            int yy = y * stride - pad + i, xx = x * stride - pad + j;
            float want = yy >= 0 && xx >= 0 && yy < height && xx < width ? h[(c * height + yy) * width + xx] : 0;
            errors += got[(((c * k + i) * k + j) * hc + y) * wc + x] != want;
          }
  printf("im2col: %d errors\n", errors);

  const int ph = (height - 3) / 2 + 1, pw = (width - 3) / 2 + 1;
  const int top_count = num * channels * ph * pw;
  MaxPoolForward<float><<<CAFFE_GET_BLOCKS(top_count), CAFFE_CUDA_NUM_THREADS>>>(
      top_count, im, num, channels, height, width, ph, pw, 3, 3, 2, 2, 0, 0, top, mask);
  CUDA_CHECK(cudaPeekAtLastError());
  std::vector<float> pooled(top_count);
  CUDA_CHECK(cudaMemcpy(pooled.data(), top, top_count * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int p = 0; p < num * channels; ++p)
    for (int y = 0; y < ph; ++y)
      for (int x = 0; x < pw; ++x) {
        float m = -FLT_MAX;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) m = fmaxf(m, h[(p * height + 2 * y + i) * width + 2 * x + j]);
        wrong += pooled[(p * ph + y) * pw + x] != m;
      }
  printf("maxpool: %d errors\n", wrong);
  errors += wrong;

  // an even-sized image for the 2x2 pool: 12 planes of 56 x 60
  const int ave = 12 * 28 * 30;
  AvePool2x2<float><<<CAFFE_GET_BLOCKS(ave), CAFFE_CUDA_NUM_THREADS>>>(ave, im, top, 56, 60);
  CUDA_CHECK(cudaPeekAtLastError());
  CUDA_CHECK(cudaMemcpy(pooled.data(), top, ave * sizeof(float), cudaMemcpyDeviceToHost));
  wrong = 0;
  for (int i = 0; i < ave; ++i) {
    int x = i % 30, y = i / 30 % 28, c = i / 840;
    const float* p = &h[(c * 56 + 2 * y) * 60 + 2 * x];
    wrong += pooled[i] != (p[0] + p[1] + p[60] + p[61]) / 4;
  }
  printf("avepool: %d errors\n", wrong);
  errors += wrong;

  AddBiasRelu<<<20, 256>>>(count, im, bias, height * width, channels);
  BatchNormScale<float, true><<<CAFFE_GET_BLOCKS(count), CAFFE_CUDA_NUM_THREADS>>>(count, im, top, bias, bias + channels, height * width, channels);
  BatchNormScale<float, false><<<24, CAFFE_CUDA_NUM_THREADS>>>(count, im, top, bias, bias + channels, height * width, channels);
  CUDA_CHECK(cudaPeekAtLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  printf(errors ? "FAIL\n" : "OK\n");
  return errors != 0;
}

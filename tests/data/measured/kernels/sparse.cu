// Indirect addressing: gather, scatter, CSR and ELLPACK products.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>

#define OK(x) if ((x) != cudaSuccess) { fprintf(stderr, "failed: %s\n", #x); exit(9); }

typedef struct {
  int rows;
  int nnz;
  const int *row_ptr;
  const int *col;
  const double *val;
} csr_t;

__global__ void gather_k(const float *__restrict__ src, const int *__restrict__ idx, float *dst, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    dst[i] = src[idx[i]];
}

__global__ void scatter_k(const float *__restrict__ src, const int *__restrict__ idx, float *dst, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    dst[idx[i]] = src[i];
}

__global__ void permute_rows(const float *src, const int *perm, float *dst, int ncols) {
  int from = perm[blockIdx.x];
  for (int c = threadIdx.x; c < ncols; c += blockDim.x)
    dst[blockIdx.x * ncols + c] = src[from * ncols + c];
}

// one thread per row
__global__ void spmv_csr_scalar(csr_t m, const double *x, double *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < m.rows) {
    double dot = 0;
    int row_start = m.row_ptr[row];
    int row_end = m.row_ptr[row + 1];
    for (int jj = row_start; jj < row_end; jj++)
      dot += m.val[jj] * x[m.col[jj]];
    y[row] += dot;
  }
}

// one warp per row
__global__ void spmv_csr_vector(csr_t m, const double *x, double *y) {
  __shared__ volatile double vals[128];
  int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
  int warp_id = thread_id / 32;
  int lane = thread_id & 31;
  int row = warp_id;
  if (row < m.rows) {
    int row_start = m.row_ptr[row];
    int row_end = m.row_ptr[row + 1];
    double sum = 0;
    for (int jj = row_start + lane; jj < row_end; jj += 32)
      sum += m.val[jj] * x[m.col[jj]];
    vals[threadIdx.x] = sum;
    __syncwarp();
    if (lane < 16) vals[threadIdx.x] += vals[threadIdx.x + 16];
    __syncwarp();
    if (lane < 8) vals[threadIdx.x] += vals[threadIdx.x + 8];
    __syncwarp();
    if (lane < 4) vals[threadIdx.x] += vals[threadIdx.x + 4];
    __syncwarp();
    if (lane < 2) vals[threadIdx.x] += vals[threadIdx.x + 2];
    __syncwarp();
    if (lane < 1) vals[threadIdx.x] += vals[threadIdx.x + 1];
    __syncwarp();
    if (lane == 0) y[row] += vals[threadIdx.x];
  }
}

__global__ void spmv_ell(int rows, int per_row, const int *indices, const double *data, const double *x, double *y) {
  const int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row >= rows) return;
  double dot = 0;
  for (int k = 0; k < per_row; ++k) {
    const int c = indices[rows * k + row];
    const double v = data[rows * k + row];
    if (v != 0) dot += v * x[c];
  }
  y[row] = dot;
}

int main() {
  int fails = 0;
  const int n = 100000;
  std::vector<float> src(n), dst(n);
  std::vector<int> idx(n);
  for (int i = 0; i < n; i++) {
    src[i] = i * 0.5f;
    idx[i] = (int)((long long)i * 7919 % n);
  }
  float *dsrc, *ddst;
  int *didx;
  OK(cudaMalloc(&dsrc, n * 4));
  OK(cudaMalloc(&ddst, n * 4));
  OK(cudaMalloc(&didx, n * 4));
  OK(cudaMemcpy(dsrc, src.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(didx, idx.data(), n * 4, cudaMemcpyHostToDevice));
  gather_k<<<(n + 127) / 128, 128>>>(dsrc, didx, ddst, n);
  OK(cudaMemcpy(dst.data(), ddst, n * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) fails += dst[i] != src[idx[i]];
  scatter_k<<<(n + 127) / 128, 128>>>(dsrc, didx, ddst, n);
  OK(cudaMemcpy(dst.data(), ddst, n * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) fails += dst[idx[i]] != src[i];
  std::vector<int> perm(1000);
  for (int i = 0; i < 1000; i++) perm[i] = (i * 37) % 1000;
  OK(cudaMemcpy(didx, perm.data(), 4000, cudaMemcpyHostToDevice));
  permute_rows<<<1000, 64>>>(dsrc, didx, ddst, 100);
  OK(cudaMemcpy(dst.data(), ddst, n * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) fails += dst[i] != src[perm[i / 100] * 100 + i % 100];
  printf("gather, scatter, permute: %d bad\n", fails);

  const int rows = 3000;
  std::vector<int> ptr(rows + 1, 0), col;
  std::vector<double> val, x(rows), want(rows), y(rows);
  for (int r = 0; r < rows; r++) x[r] = r % 13;
  for (int r = 0; r < rows; r++) {
    double s = 0;
    int len = 3 + r * 31 % 17;
    for (int k = 0; k < len; k++) {
      int c = (r * 17 + k * 101) % rows;
      col.push_back(c);
      val.push_back(1 + k);
      s += (1 + k) * x[c];
    }
    want[r] = s;
    ptr[r + 1] = (int)col.size();
  }
  const int nnz = (int)col.size();
  int *dptr, *dcol;
  double *dval, *dx, *dy;
  OK(cudaMalloc(&dptr, ptr.size() * sizeof(int)));
  OK(cudaMalloc(&dcol, nnz * sizeof(int)));
  OK(cudaMalloc(&dval, nnz * sizeof(double)));
  OK(cudaMalloc(&dx, rows * sizeof(double)));
  OK(cudaMalloc(&dy, rows * sizeof(double)));
  OK(cudaMemcpy(dptr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dcol, col.data(), nnz * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dval, val.data(), nnz * sizeof(double), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dx, x.data(), rows * sizeof(double), cudaMemcpyHostToDevice));
  csr_t m = {rows, nnz, dptr, dcol, dval};
  auto test = [&](const char *name) {
    OK(cudaGetLastError());
    OK(cudaMemcpy(y.data(), dy, rows * sizeof(double), cudaMemcpyDeviceToHost));
    OK(cudaMemset(dy, 0, rows * sizeof(double)));
    int bad = 0;
    for (int r = 0; r < rows; r++) bad += fabs(y[r] - want[r]) > 1e-9;
    printf("%s: %d bad\n", name, bad);
    fails += bad;
  };
  OK(cudaMemset(dy, 0, rows * sizeof(double)));
  spmv_csr_scalar<<<(rows + 63) / 64, 64>>>(m, dx, dy);
  test("csr scalar");
  spmv_csr_vector<<<(rows * 32 + 127) / 128, 128>>>(m, dx, dy);
  test("csr vector");
  const int per_row = 20;
  std::vector<int> ecol(rows * per_row, 0);
  std::vector<double> edat(rows * per_row, 0.0);
  for (int r = 0; r < rows; r++)
    for (int k = ptr[r]; k < ptr[r + 1]; k++) {
      ecol[(k - ptr[r]) * rows + r] = col[k];
      edat[(k - ptr[r]) * rows + r] = val[k];
    }
  int *decol;
  double *dedat;
  OK(cudaMalloc(&decol, ecol.size() * sizeof(int)));
  OK(cudaMalloc(&dedat, edat.size() * sizeof(double)));
  OK(cudaMemcpy(decol, ecol.data(), ecol.size() * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dedat, edat.data(), edat.size() * sizeof(double), cudaMemcpyHostToDevice));
  spmv_ell<<<(rows + 95) / 96, 96>>>(rows, per_row, decol, dedat, dx, dy);
  test("ellpack");
  puts(fails ? "FAIL" : "OK");
  return fails ? 1 : 0;
}

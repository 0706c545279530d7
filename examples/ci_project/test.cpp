// Runs the kernel on matrices of several shapes, each time in 100 schedules, and compares every sum.
#include "row_sums.hpp"

#include <tma/machine/machine.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <vector>

// How many of the rows are wrong, and reports of the machine.
int count_faults(int rows, int columns) {
  std::vector<float> matrix(rows * columns), expected(rows), sums(rows, -1.f);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      expected[r] += matrix[r * columns + c] = float((r * 7 + c) % 16);  // exact in any order

  float *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, matrix.size() * sizeof(float)) || cudaMalloc(&out, sums.size() * sizeof(float))) return 1;
  cudaMemcpy(in, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
  const auto result = tma::machine::explore({.schedules = 100}, [&] { row_sums(in, out, rows, columns); });
  cudaMemcpy(sums.data(), out, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);

  int wrong = 0;
  for (int r = 0; r < rows; ++r) wrong += sums[r] != expected[r];
  std::printf("%d x %d: %d of %d sums are wrong; %lld schedules, %zu reports\n%s", rows, columns, wrong, rows,
              result.schedules, result.reports.size(), result.text().c_str());
  return wrong + int(result.reports.size());
}

int main() try {
  int faults = 0;
  for (const auto& [rows, columns] : {std::pair{8, 128}, {1, 4}, {9, 132}, {20, 1000}})
    faults += count_faults(rows, columns);
  return faults ? 1 : 0;
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}

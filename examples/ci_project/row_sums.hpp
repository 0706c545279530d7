#pragma once

/// Adds up each row of a matrix in device memory. `columns` is a multiple of 4. Throws tma::Error.
void row_sums(const float* matrix, float* sums, int rows, int columns);

// The tiles of the transposes by the engine, and the descriptors of both matrices.
//
// The engine loads a tile in pieces of 128 bytes a row, whose rows it lays down in another order than they come in: those that
// a thread turns into one vector are a part apart, and those that neighbours read are side by side. So eight threads that read
// 16 bytes each down a column meet every bank once, by the swizzle of 128 bytes; what they write are neighbours in a row.
#pragma once

#include <tma/tma.hpp>

#include "transpose.hpp"

namespace transpose {

template <class T, int Rows, int Columns> struct Tiles {
  using Element             = T;
  static constexpr int rows = Rows, columns = Columns, bytes = Rows * Columns * int(sizeof(T));
  static constexpr int v         = vector<T>;  // elements of a vector
  static constexpr int width     = 8 * v;      // of a piece
  static constexpr int down      = Rows / v;   // vectors that a column becomes
  static constexpr int pieces_in = Columns / width, pieces_out = Rows / width;
  static_assert(Rows % width == 0 && Columns % width == 0);

  using In   = tma::Tile<T, tma::Shape<1, v, down, width>, tma::Swizzle::bytes_128>;
  using Out  = tma::Tile<T, tma::Shape<1, Columns, width>, tma::Swizzle::bytes_128>;
  using From = tma::TmaDescriptor<const T, 4, In>;
  using To   = tma::TmaDescriptor<T, 3, Out>;

  // Row r of the matrix is row r % v, r / v of the view. A piece is half of the 256 bytes that L2 is told to fetch.
  static From from(const T* data, const Work& w) {
    return tma::make_descriptor<In>(
        tma::TensorView{data, {w.batches, v, w.rows / v, w.columns}, {w.from_batch, w.from_row, w.from_row * v, 1}},
        {.promotion = tma::Promotion::bytes_256});
  }
  static To to(T* data, const Work& w) {
    return tma::make_descriptor<Out>(tma::TensorView{data, {w.batches, w.columns, w.rows}, {w.to_batch, w.to_row, 1}});
  }

  // All pieces by one load, for the stage of a ring. Of one matrix, whose columns are whole pieces.
  using Whole     = tma::Tile<T, tma::Shape<pieces_in, v, down, width>, tma::Swizzle::bytes_128>;
  using FromWhole = tma::TmaDescriptor<const T, 4, Whole>;
  static FromWhole from_whole(const T* data, const Work& w) {
    return tma::make_descriptor<Whole>(
        tma::TensorView{data, {w.columns / width, v, w.rows / v, width}, {width, w.from_row, w.from_row * v, 1}},
        {.promotion = tma::Promotion::bytes_256});
  }
};

}  // namespace transpose

// Packed elements: C++ counts units of 16, instructions count elements. All others travel as they are counted.
// target: sm_100a
//
// kernel: copy_u4
//   order-ptx: shl\.b32\s+%r\d+, %r\d+, 4 ; prefetch\.tensor ; complete_tx ; bulk_group
// kernel: copy_u6
//   order-ptx: shl\.b32\s+%r\d+, %r\d+, 4 ; prefetch\.tensor ; complete_tx ; bulk_group
// kernel: copy_float
//   expect-ptx: prefetch\.tensor
//   reject-ptx: shl\.b32\s+%r\d+, %r\d+, 4
// kernel: *
//   reject-ptx: vprintf|\btrap\b|\bcall|st\.local
#include <tma/tma.hpp>

#include <tma/device/prefetch.hpp>

using tma::Coord;

template <class Tile> struct Places {
  Tile             tile;
  tma::LoadBarrier barrier;
};

template <class T> using TileOf = tma::Tile<T, tma::Shape<16, 8>>;
template <class T> using In     = tma::TmaDescriptor<const T, 2, TileOf<T>>;
template <class T> using Out    = tma::TmaDescriptor<T, 2, TileOf<T>>;

template <class T> __device__ __forceinline__ void copy(const In<T>& in, const Out<T>& out, int row, int column) {
  auto& [tile, barrier] = tma::shared<Places<TileOf<T>>>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    issuer.prefetch(in, {row, column});
    issuer.load(in, {row, column}, tile, arrived);
  }
  arrived.wait();
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    stores.store(out, {row, column}, ready);
  }
}

#define COPY(name, T)                                                                                            \
  extern "C" __global__ void name(const __grid_constant__ In<T> in, const __grid_constant__ Out<T> out, int row, \
                                  int column) {                                                                  \
    copy<T>(in, out, row, column);                                                                               \
  }

COPY(copy_u4, tma::u4x16)
COPY(copy_u6, tma::u6x16_padded)
COPY(copy_float, float)

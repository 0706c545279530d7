// What kernels keep in shared memory, as types that a .cpp names: sizes and places are the same for g++, clang++ and nvcc.
#pragma once

#include <tma/all.hpp>

#include <cstddef>

namespace shared_types {

using Tile    = tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>;
using Small   = tma::Tile<int, tma::Shape<8, 8>>;
using Chunk   = tma::Buffer<double, 40>;
using Cluster = tma::ClusterShape<2, 2>;
struct Place {
  int row, column;
};

template <class T, std::size_t Size, std::size_t Alignment> constexpr bool is() {
  static_assert(sizeof(T) == Size);
  static_assert(alignof(T) == Alignment);
  return true;
}

static_assert(is<tma::LoadBarrier, 8, 8>() && is<tma::LoadBarrierOf<33>, 8, 8>() && is<tma::Mbarrier<4>, 8, 8>());

static_assert(is<tma::Pipeline<4, Tile>::Shared, 4 * 4096 + 1024, 1024>());
static_assert(is<tma::Pipeline<3, Small, tma::ThreadLoads>::Shared, 3 * 256 + 2 * 3 * 8 + 80, 128>());
static_assert(
    is<tma::Pipeline<2, Tile, Chunk, tma::ByThreads<Small>, tma::Meta<Place>>::Shared, 2 * 4096 + 2048 + 1024, 1024>());
static_assert(is<tma::Pipeline<2, tma::Meta<int>>::Shared, 2 * 4 + 4 * 8, 8>());
static_assert(is<tma::Pipeline<4, tma::SharedInRow<Tile, Cluster>, tma::SharedInColumn<Small, Cluster>>::Shared,
                 4 * 4096 + 2048, 1024>());
static_assert(is<tma::InPlacePipeline<4, Tile, Small>::Shared, 4 * 4096 + 2048, 1024>());
static_assert(is<tma::StoreStages<2, Tile, Small>, 2 * 4096 + 1024, 1024>());
static_assert(is<tma::Turns<2, 4>::Shared, 16, 8>());

// As a kernel has them, and as a launch asks for them.
struct Room {
  tma::Pipeline<4, Tile>::Shared ring;
  tma::StoreStages<1, Small>     results;
  tma::Mbarrier<8>               done;
};
static_assert(is<Room, 4 * 4096 + 2048, 1024>());
static_assert(tma::Pipeline<4, Tile>::stages == 4);

struct Large {
  tma::Pipeline<16, Tile>::Shared ring;
};
static_assert(tma::shared_bytes<Room> == 0 && tma::shared_bytes<Large> == sizeof(Large) + 1024 - 16);

}  // namespace shared_types

// The ring with a producer warp by hand: the structure of `roles` in PTX.
#include <cuda.h>
#include <tma/tma.hpp>

#include <cstring>

#include "../harness/ptx.cuh"
#include "bandwidth.hpp"
#include "fold.cuh"

namespace bandwidth {
namespace {

using namespace by_hand;

template <int Bytes, int Stages> struct Shared {
  alignas(128) unsigned char tiles[Stages][Bytes];
  u64 full[Stages], empty[Stages];
};

// A tile's place: in one dimension, or where a map has it. `Width` in words.
struct Bulk {
  const Word*                          data;
  template <int Bytes> __device__ void load(unsigned to, int i, unsigned barrier) const {
    by_hand::load(to, data + (long long)(i) * (Bytes / 4), Bytes, barrier);
  }
};
template <int Width> struct Box {
  CUtensorMap                          map;
  template <int Bytes> __device__ void load(unsigned to, int i, unsigned barrier) const {
    constexpr int across = Source::columns / Width;
    load_box(to, &map, i / across * (Bytes / 4 / Width), i % across * Width, barrier);
  }
};

template <int Bytes, int Stages, class In>
__global__ void __launch_bounds__(consumers + 32) roles(const __grid_constant__ In in, int tiles, Word* sum) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto&                                          shared = *reinterpret_cast<Shared<Bytes, Stages>*>(memory);
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      init(address(&shared.full[s]), 1);
      init(address(&shared.empty[s]), consumers / 32);
    }
    fence_init();
  }
  __syncthreads();
  const int  first = int(blockIdx.x), step = int(gridDim.x), steps = (tiles - first + step - 1) / step;
  int        stage   = 0;
  unsigned   parity  = 0;
  const auto advance = [&] {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  };
  if (threadIdx.x < 32) {
    if (!elect()) return;
    for (int i = 0; i < steps; ++i) {
      wait(address(&shared.empty[stage]), parity ^ 1);
      fence_proxy();
      in.template load<Bytes>(address(shared.tiles[stage]), first + i * step, address(&shared.full[stage]));
      arm(address(&shared.full[stage]), Bytes);
      advance();
    }
  } else {
    const int rank = int(threadIdx.x) - 32;
    Word      all  = 0;
    for (int i = 0; i < steps; ++i) {
      wait(address(&shared.full[stage]), parity);
#pragma unroll
      for (int v = rank; v < Bytes / 16; v += consumers) fold(all, reinterpret_cast<const uint4*>(shared.tiles[stage])[v]);
      __syncwarp();
      if (rank % 32 == 0) arrive(address(&shared.empty[stage]));
      advance();
    }
    give(all, sum);
  }
}

template <int Bytes, int Stages, class In> void add(Readers& to, const char* name, const In& in, const Source& s) {
  const auto    kernel = roles<Bytes, Stages, In>;
  constexpr int shared = sizeof(Shared<Bytes, Stages>);
  const int     tiles  = int(s.words / (Bytes / 4));
  add_for_blocks(to, harness::Kind::hand, {std::string(name) + " by hand: a warp loads", Bytes, Stages, 0}, kernel,
                 consumers + 32, shared, [=](int blocks) {
                   kernel<<<unsigned(blocks * s.multiprocessors), consumers + 32, shared>>>(in, tiles, s.sum);
                 });
}

template <int Width, int Bytes, int Stages> void add_box(Readers& to, const char* name, const Source& s) {
  using Tile = tma::Tile<Word, tma::Shape<Bytes / 4 / Width, Width>>;
  const auto in =
      tma::make_descriptor<Tile>(tma::TensorView<const Word, 2>{s.data, {s.words / Source::columns, Source::columns}});
  Box<Width> box;
  static_assert(sizeof box == sizeof in);
  std::memcpy(&box, &in, sizeof box);
  add<Bytes, Stages>(to, name, box, s);
}

}  // namespace

void add_hand(Readers& to, const Source& source) {
  add<4096, 8>(to, "bulk", Bulk{source.data}, source);
  add<16384, 4>(to, "bulk", Bulk{source.data}, source);
  add<32768, 2>(to, "bulk", Bulk{source.data}, source);
  add_box<64, 16384, 4>(to, "tensor rows of 256 B", source);
  add_box<64, 32768, 2>(to, "tensor rows of 256 B", source);
  add_box<256, 32768, 2>(to, "tensor rows of 1 KiB", source);
}

}  // namespace bandwidth

// Copies of a matrix, box by box, and by hand.
#include <cuda.h>

#include <cstring>

#include "../harness/ptx.cuh"
#include "ours.cuh"

namespace stream {
namespace {

// The structure of `once` in PTX.
__global__ void __launch_bounds__(32)
    by_hand_once(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int rows, int width) {
  using namespace by_hand;
  extern __shared__ __align__(128) unsigned char tile[];
  __shared__ u64                                 full;
  if (threadIdx.x != 0) return;
  init(address(&full), 1);
  fence_init();
  const int row = int(blockIdx.y) * rows, column = int(blockIdx.x) * width;
  load_box(address(tile), &in, row, column, address(&full), evict_last());
  arm(address(&full), unsigned(rows * width) * 4);
  wait(address(&full), 0);
  store_box(&out, row, column, address(tile));
  commit();
  wait_read<0>();
}

template <int Rows, int Width> struct Boxes {
  using Tile = tma::Tile<float, tma::Shape<Rows, Width>>;
  using In   = tma::TmaDescriptor<const float, 2, Tile>;
  using Out  = tma::TmaDescriptor<float, 2, Tile>;
  int rows;
  In  in;
  Out out;

  explicit Boxes(const Arrays<float>& s)
      : rows(int(s.n / columns)),
        in(tma::make_descriptor<Tile>(tma::TensorView<const float, 2>{s.a, {rows, columns}})),
        out(tma::make_descriptor<Tile>(tma::TensorView<float, 2>{s.y, {rows, columns}})) {}

  static std::string name(const char* what, int blocks) {
    char text[96];
    std::snprintf(text, sizeof text, "a block a box of %d x %d x %d: %s", Rows, Width, blocks, what);
    return text;
  }

  template <Loads How> void add(Variants& to, int blocks) const {
    const auto kernel = once<Tile, Copy<float>, How, Writes::engine, 32, In, Out>;
    const int  shared = shared_for(kernel, blocks);
    to.push_back({name(How == Loads::kept ? "engine loads evict_last" : "engine loads", blocks),
                  harness::Kind::ours,
                  [kernel, shared, boxes = *this](int) {
                    tma::launch(
                        kernel,
                        {.grid = {columns / Width, boxes.rows / Rows}, .block = 32, .shared = tma::detail::u64(shared)},
                        boxes.in, boxes.in, boxes.out, Copy<float>());
                  },
                  {},
                  double(Tile::payload_bytes) * blocks});
  }
  void add_hand(Variants& to, int blocks) const {
    CUtensorMap maps[2];
    std::memcpy(&maps[0], &in, sizeof in);
    std::memcpy(&maps[1], &out, sizeof out);
    const int shared = std::max<int>(Tile::payload_bytes, shared_for(by_hand_once, blocks));
    harness::require(cudaFuncSetAttribute(by_hand_once, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024), "by hand");
    to.push_back({name("by hand", blocks),
                  harness::Kind::hand,
                  [shared, load = maps[0], store = maps[1], down = rows / Rows](int) {
                    by_hand_once<<<dim3(columns / Width, unsigned(down)), 32, std::size_t(shared)>>>(load, store, Rows,
                                                                                                     Width);
                    harness::require(cudaGetLastError(), "by hand");
                  },
                  {},
                  double(Tile::payload_bytes) * blocks});
  }
};

}  // namespace

void add_matrix(Variants& to, const Arrays<float>& s) {
  const Boxes<16, 256> wide(s);
  const Boxes<8, 256>  low(s);
  const Boxes<64, 64>  square(s);
  const Boxes<32, 32>  small(s);
  wide.add<Loads::kept>(to, 5);
  wide.add_hand(to, 5);
  wide.add<Loads::usual>(to, 5);
  wide.add<Loads::usual>(to, 12);
  low.add<Loads::kept>(to, 8);
  square.add<Loads::kept>(to, 5);
  small.add<Loads::kept>(to, 14);
}

}  // namespace stream

#include "twins.cuh"

#include <cstring>
#include <memory>
#include <vector>

#include "../harness/require.hpp"
#include "engine.cuh"

namespace geometry {

using harness::require;

Launch read_by_hand(const Spec& s, const Source& from) {
  std::vector<hand::Map> made(static_cast<std::size_t>(from.slices));
  for (int i = 0; i < from.slices; ++i) {
    const auto d = descriptor<unsigned, 2>(s, from.slice(i));
    std::memcpy(&made[std::size_t(i)], tma::tensor_map(d), sizeof(hand::Map));
  }
  const auto kernel = s.box_bytes() == 1024 ? hand::read<1024> : s.box_bytes() == 2048 ? hand::read<2048> : hand::read<4096>;
  return [=, all = std::make_shared<const std::vector<hand::Map>>(made)](int round) {
    kernel<<<unsigned(blocks_on_each * from.multiprocessors), engine_threads>>>((*all)[std::size_t(round) % all->size()],
                                                                                s.boxes, from.result);
  };
}

namespace {

Launch by_threads(const Spec& s, const Source& from, int blocks) {
  int across = 0;
  while (16 << across < s.box[1] * 4) ++across;
  return [=](int round) {
    plain<<<unsigned(blocks), plain_threads>>>(from.slice(round), s.stride[0], s.boxes, across, from.result);
  };
}

}  // namespace

Launch read_by_threads(const Spec& s, const Source& from) { return by_threads(s, from, 8 * from.multiprocessors); }
Launch read_by_many_blocks(const Spec& s, const Source& from) { return by_threads(s, from, s.boxes.total / plain_each); }

unsigned take_result(const Source& from) {
  std::vector<unsigned> all(8 * results);
  require(cudaMemcpy(all.data(), from.result, 8 * results * sizeof(unsigned), cudaMemcpyDeviceToHost), "the result");
  require(cudaMemset(from.result, 0, 8 * results * sizeof(unsigned)), "cudaMemset");
  unsigned folded = 0;
  for (const unsigned word : all) folded ^= word;
  return folded;
}

unsigned expected(const Spec& s, const Source& from) {
  take_result(from);
  reference<<<2048, 256>>>(from.slice(0), s, int(s.box_bytes() / 16), from.result);
  return take_result(from);
}

}  // namespace geometry

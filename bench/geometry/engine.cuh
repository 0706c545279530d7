// The launch of a reader by the library: a descriptor for each slice, made once.
#pragma once

#include <tma/tma.hpp>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels.cuh"
#include "readers.hpp"

namespace geometry {

template <class T, int Rank> tma::TmaDescriptor<const T, Rank> descriptor(const Spec& s, const unsigned char* data) {
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    const tma::TensorView<const T, Rank> view{
        reinterpret_cast<const T*>(data), {s.extent[D]...}, tma::byte_strides(s.stride[D]...)};
    return tma::make_descriptor(view, {s.box[D]...}, s.swizzle,
                                {.promotion = s.promotion, .element_strides = {s.skip[D]...}});
  }(std::make_index_sequence<Rank>());
}

template <class TileT, int Rank, bool Hinted = false> Launch engine(const Spec& s, const Source& from) {
  using T = typename TileT::value_type;
  if (s.box_bytes() != TileT::payload_bytes) throw std::logic_error("geometry: the box does not fill its stage\n");
  std::vector<tma::TmaDescriptor<const T, Rank>> made;
  for (int i = 0; i < from.slices; ++i) made.push_back(descriptor<T, Rank>(s, from.slice(i)));
  return [=, all = std::make_shared<const decltype(made)>(made), grid = blocks_on_each * from.multiprocessors](int round) {
    tma::launch(read<TileT, Rank, Hinted>, {.grid = grid, .block = engine_threads}, (*all)[std::size_t(round) % all->size()],
                s.boxes, s.hint, from.result);
  };
}

}  // namespace geometry

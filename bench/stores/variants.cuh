// Builds the variants of one element type: what is common to stores and sums.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "../harness/require.hpp"
#include "ours.cuh"
#include "twins.cuh"
#include "variants.hpp"

namespace stores {

using harness::Kind;
using harness::require;
using harness::Variant;

// A region as elements of `T`.
template <class T> struct Target {
  Region r;

  const T*           pattern() const { return static_cast<const T*>(r.pattern); }
  unsigned long long bytes() const { return r.one_tile ? r.one_tile : r.slice_bytes; }
  T*                 slice(int round) const {
    return reinterpret_cast<T*>(r.data + static_cast<unsigned long long>(round % r.slices) * r.slice_bytes);
  }
  // Tiles of `count` elements.
  Walk walk(int count) const {
    const int tiles = int(bytes() / (static_cast<unsigned long long>(count) * sizeof(T)));
    return {tiles, tiles * r.rounds};
  }

  // The first slice, which is left empty for the next variant.
  std::string compare_with(Layout l) const {
    unsigned long long wrong = 0;
    require(cudaMemset(r.wrong, 0, sizeof wrong), "cudaMemset");
    compare<T><<<1024, 256>>>(slice(0), bytes() / sizeof(T), pattern(), l, r.wrong);
    require(cudaMemcpy(&wrong, r.wrong, sizeof wrong, cudaMemcpyDeviceToHost), "the comparison");
    require(cudaMemset(slice(0), 0, bytes()), "cudaMemset");
    return wrong ? std::to_string(wrong) + " of " + std::to_string(bytes() / sizeof(T)) + " elements are wrong" : "";
  }
};

template <class T> class Variants {
public:
  explicit Variants(const Region& r) : to_{r} {}

  // Engine copies of `Count` elements in a row, by `on_each` blocks a multiprocessor, or a block for as many tiles (-`on_each`);
  // with a twin by hand.
  template <Action A, int Count> void bulk(int on_each, bool twin = false) {
    const Layout l{1, Count, Count};
    const auto   w     = to_.walk(Count);
    const int    grid  = blocks(on_each, w);
    const auto   name  = "bulk " + text(Count, on_each);
    const double held  = on_each < 0 ? 0 : double(depth) * Count * sizeof(T) * on_each;
    const auto   bytes = unsigned(2 * Count * sizeof(T) + 128);
    add(name + ": ours", Kind::ours, l, held, [=, to = to_](int round) {
      tma::launch(stores::bulk<A, T, Count>, {.grid = grid, .block = engine_threads}, tma::aligned(to.slice(round)),
                  to.pattern(), w);
    });
    if (twin)
      add(name + ": hand", Kind::hand, l, held, [=, to = to_](int round) {
        hand::bulk<A, T><<<unsigned(grid), engine_threads, bytes>>>(to.slice(round), to.pattern(), w, Count);
      });
  }

  // Boxes of a matrix of `matrix_columns` columns, or of the one tile.
  template <Action A, class TileT> void tensor(int matrix_columns, int on_each) {
    using Descriptor = tma::TmaDescriptor<T, 2, TileT>;
    const Layout l{TileT::shape::extents[0], TileT::row_elements, to_.r.one_tile ? TileT::row_elements : matrix_columns};
    const auto   w     = to_.walk(TileT::size);
    const int    grid  = blocks(on_each, w);
    const double held  = double(depth) * TileT::payload_bytes * on_each;
    const auto   bytes = unsigned(2 * TileT::payload_bytes + 128);
    const auto   name  = "tensor " + text(TileT::size, on_each) + " rows of " + std::to_string(TileT::row_bytes) + " B";
    const auto   made  = std::make_shared<std::vector<Descriptor>>();  // one a slice
    for (int s = 0; s < to_.r.slices; ++s) {
      const auto rows = long(to_.bytes() / sizeof(T)) / l.matrix_columns;
      made->push_back(tma::make_descriptor<TileT>(tma::TensorView{to_.slice(s), {rows, l.matrix_columns}}));
    }
    const auto of = [made](int round) -> const Descriptor& { return (*made)[std::size_t(round) % made->size()]; };
    add(name + ": ours", Kind::ours, l, held, [=, to = to_](int round) {
      tma::launch(stores::tensor<A, T, TileT>, {.grid = grid, .block = engine_threads}, of(round), to.pattern(), w, l);
    });
    add(name + ": hand", Kind::hand, l, held, [=, to = to_](int round) {
      hand::Map map;
      std::memcpy(&map, tma::tensor_map(of(round)), sizeof map);
      hand::tensor<A, T><<<unsigned(grid), engine_threads, bytes>>>(map, to.pattern(), w, l);
    });
  }

  // By threads: blocks that stay, or a block a tile.
  template <Action A> void plain(const std::string& name) {
    constexpr int count = plain_bytes / int(sizeof(T));
    const Layout  l{1, count, count};
    const auto    w   = to_.walk(count);
    const auto    run = [=, to = to_](int grid) {
      return [=](int round) { stores::plain<A, T><<<unsigned(grid), plain_threads>>>(to.slice(round), to.pattern(), w); };
    };
    add(name + " 8 blocks an SM", Kind::plain, l, 0, run(blocks(8, w)));
    add(name + " a block a tile", Kind::plain, l, 0, run(w.total));
  }

  // Leaves its own bytes behind: the last variant.
  void memset() {
    all_.push_back({"cudaMemset", Kind::peer, [to = to_](int round) {
                      for (int k = 0; k < to.r.rounds; ++k)
                        require(cudaMemsetAsync(to.slice(round), round & 255, to.bytes()), "cudaMemset");
                    }});
  }

  std::vector<Variant> take() { return std::move(all_); }

private:
  // Of sums of many rounds each block's are of both signs in turns, so that bf16 never has to round them.
  int blocks(int on_each, const Walk& w) const {
    if (on_each < 0) return (w.total - on_each - 1) / -on_each;
    const int most = on_each * to_.r.multiprocessors;
    if (to_.r.rounds > 256) return ((most / w.tiles - 1) / 2 * 2 + 1) * w.tiles;
    return most < w.total ? most : w.total;
  }
  static std::string text(int count, int on_each) {
    const int  bytes = count * int(sizeof(T));
    const auto size  = bytes < 1024 ? std::to_string(bytes) + " B " : std::to_string(bytes / 1024) + " KiB ";
    if (on_each < 0) return size + "a block for " + std::to_string(-on_each);
    return size + std::to_string(on_each) + (on_each == 1 ? " block an SM" : " blocks an SM");
  }
  template <class Launch> void add(const std::string& name, Kind kind, Layout l, double held, Launch launch) {
    all_.push_back({name, kind, launch, [l, to = to_] { return to.compare_with(l); }, held});
  }

  Target<T>            to_;
  std::vector<Variant> all_;
};

// The sums of one type: `Small` and `Large` are counts of 4 and 16 KiB.
template <class T, class Box, int Small, int Large> std::vector<Variant> added(const Region& r, const char* vector) {
  Variants<T> v(r);
  v.template bulk<Action::add, Small>(2, true);
  v.template bulk<Action::add, Small>(4);
  v.template bulk<Action::add, Small>(-8);
  v.template bulk<Action::add, Large>(2, true);
  v.template tensor<Action::add, Box>(4096, 2);
  v.template plain<Action::add>(vector);
  v.template plain<Action::add_each>("atomicAdd of 4 bytes");
  return v.take();
}

}  // namespace stores

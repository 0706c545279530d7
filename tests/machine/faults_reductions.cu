// Faults of reductions by the engine, of prefetches, of im2col copies and of gathers.
#include "faults.hpp"

#include <tma/device/im2col.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/device/reduce.hpp>
#include <tma/host/im2col.hpp>

using namespace faults;

namespace {

using tma::Reduction;
using tma::Traversal;

// --- what a reduction reads ----------------------------------------------------------------------------------------

enum class Source { right, unpublished, overwritten, uncommitted, left };

template <Source Fault> __global__ void reduce_from(const __grid_constant__ Out to) {
  auto&     tile  = tma::shared<Tile>();
  auto      block = tma::this_block();
  const u32 rank  = ptx::thread_rank();
  for (auto& x : block.elements(tile)) x = 3;  // <reduce_from.write>
  if (Fault != Source::unpublished) ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (rank == 0) {
    ptx::tensor_reduce<Reduction::add, Traversal::tiled, 2>(tma::tensor_map(to), {{0, 0}},  // <reduce_from.at>
                                                            ptx::shared_address(&tile));    // <reduce_from.reduce>
    if (Fault != Source::uncommitted) ptx::bulk_commit_group();
    if (Fault != Source::overwritten && Fault != Source::left) ptx::bulk_wait_group_read<0>();
  }
  ptx::sync_block();
  if (Fault == Source::overwritten) tile[int(rank)] = 4;  // <reduce_from.overwrite>
}

template <Source Fault> constexpr auto reduce_run = run<reduce_from<Fault>, reduce_from<Source::right>>;

FAULT(reduction_unpublished, "a reduction without publish", .run = reduce_run<Source::unpublished>,
      .kind = Kind::unfenced_store, .says = {"the reduction of", "that thread 0 issues", "did not fence before they met"},
      .lines = {"reduce_from.write"})

FAULT(reduction_overwritten, "the source of a reduction is written before it was read",
      .run = reduce_run<Source::overwritten>, .kind = Kind::overwritten_source,
      .says = {"the reduction of thread 0 that reads it", "no wait_source_free"}, .lines = {"reduce_from.overwrite"})

FAULT(reduction_uncommitted, "a reduction that no group was committed for", .run = reduce_run<Source::uncommitted>,
      .kind = Kind::uncommitted_store, .says = {"thread 0"})

FAULT(reduction_left, "a block ends while a reduction reads its shared memory", .run = reduce_run<Source::left>,
      .kind = Kind::exit_with_store, .says = {"ends with a reduction"})

// --- what it writes ------------------------------------------------------------------------------------------------

enum class Meets {
  read,
  read_right,
  store_after,
  store_after_right,
  store_before,
  store_before_right,
  writes,
  writes_right
};

template <Meets How> __global__ void reduce_and(const __grid_constant__ Out to, int* data) {
  struct Shared {
    Tile a, b;
  };
  auto&     s     = tma::shared<Shared>();
  auto      block = tma::this_block();
  const u32 rank  = ptx::thread_rank();
  if (How == Meets::writes || How == Meets::writes_right) data[rank] = 7;  // <reduce_and.write>
  if (How == Meets::writes_right) ptx::fence_proxy_async_global();
  for (auto& x : block.elements(s.a)) x = 3;
  for (auto& x : block.elements(s.b)) x = 5;
  auto [a, b] = block.publish(s.a, s.b);
  if (auto issuer = block.elect()) {
    constexpr bool before  = How == Meets::store_before || How == Meets::store_before_right;
    const auto     brought = [&, &tile = a] {
      if constexpr (before) return issuer.store(to, {0, 0}, tile);  // <reduce_and.first_store>
      else return issuer.reduce<Reduction::add>(to, {0, 0}, tile);  // <reduce_and.first>
    };
    auto first = brought();
    if (How == Meets::read || How == Meets::store_after || How == Meets::store_before) first.wait_source_free();
    else first.wait_visible();
    if (How == Meets::store_after || How == Meets::store_after_right)
      issuer.store(to, {2, 0}, b).wait_visible();                             // <reduce_and.store>
    if (before) issuer.reduce<Reduction::add>(to, {2, 0}, b).wait_visible();  // <reduce_and.reduce>
  }
  block.sync();
  if (How == Meets::read || How == Meets::read_right) data[512 + rank] = data[rank];  // <reduce_and.read>
}

FAULT(reduction_read, "what a reduction leaves is read when only its source is free",
      .run = run<reduce_and<Meets::read>, reduce_and<Meets::read_right>>, .kind = Kind::invisible_store,
      .says  = {"reads global memory", "the reduction of thread 0 that writes it", "no wait_visible"},
      .lines = {"reduce_and.read", "reduce_and.first"})

FAULT(store_over_reduction, "a store of what a reduction may still add to",
      .run = run<reduce_and<Meets::store_after>, reduce_and<Meets::store_after_right>>, .kind = Kind::reduction_race,
      .says  = {"the store of global memory that thread 0 issues", "a reduction of thread 0", "may still add to it"},
      .lines = {"reduce_and.store", "reduce_and.first"})

FAULT(reduction_over_store, "a reduction into what a store may still write",
      .run = run<reduce_and<Meets::store_before>, reduce_and<Meets::store_before_right>>, .kind = Kind::reduction_race,
      .says  = {"the reduction of global memory that thread 0 issues", "a store of thread 0", "may still write it"},
      .lines = {"reduce_and.reduce", "reduce_and.first_store"})

FAULT(reduction_into_written, "a reduction into what threads have just written",
      .run = run<reduce_and<Meets::writes>, reduce_and<Meets::writes_right>>, .kind = Kind::unfenced_global,
      .says = {"the reduction of global memory", "no proxy fence for global memory"}, .lines = {"reduce_and.write"})

// Two at once add up, whoever issues them.
__global__ void reduce_together(const __grid_constant__ Out to) {
  struct Shared {
    Tile a, b;
  };
  auto&     s     = tma::shared<Shared>();
  auto      block = tma::this_block();
  const u32 rank  = ptx::thread_rank();
  for (auto& x : block.elements(s.a)) x = 3;
  for (auto& x : block.elements(s.b)) x = 5;
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (rank % 32 == 0) {
    for (int i = 0; i < 2; ++i) {
      ptx::tensor_reduce<Reduction::add, Traversal::tiled, 2>(tma::tensor_map(to), {{0, i}},
                                                              ptx::shared_address(rank ? &s.a : &s.b));
      ptx::bulk_commit_group();
    }
    ptx::bulk_wait_group<0>();
  }
}

TEST_CASE("reductions of the same bytes at once are no race") {
  const auto found = tma::machine::explore({.schedules = 100}, [] { run<reduce_together, reduce_together>(false); });
  INFO(found.text());
  CHECK(found.clean());
}

// --- what it may not be asked ----------------------------------------------------------------------------------------

using FloatTile = tma::Tile<float, tma::Shape<4, 32>>;
using FloatOut  = tma::TmaDescriptor<float, 2, FloatTile>;

template <Reduction Op, int Row, int Column> __global__ void reduce_floats(const __grid_constant__ FloatOut to) {
  auto& tile  = tma::shared<FloatTile>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = 3;
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (ptx::thread_rank() == 0) {
    ptx::tensor_reduce<Op, Traversal::tiled, 2>(tma::tensor_map(to), {{Column, Row}},  // <reduce_floats.at>
                                                ptx::shared_address(&tile));
    ptx::bulk_commit_group();
    ptx::bulk_wait_group<0>();
  }
}

template <Reduction Op, int Row, int Column> void launch_floats(bool faulty) {
  gpu::Array<float> out(gpu::random_values<float>(elements, 3));
  const auto        to = tma::make_descriptor<FloatTile>(tma::TensorView{out.get(), {rows, columns}});
  tma::launch(faulty ? reduce_floats<Op, Row, Column> : reduce_floats<Reduction::add, 2, 4>, {.grid = 1, .block = 64}, to);
}

FAULT(reduction_of_another_type, "the least of floats, which the engine does not know",
      .run = launch_floats<Reduction::min, 0, 0>, .kind = Kind::illegal_instruction,
      .says = {"a reduction of f32 elements", "the engine does not have"}, .lines = {"reduce_floats.at"})
FAULT(reduction_negative, "a reduction that begins before the tensor", .run = launch_floats<Reduction::add, -1, 0>,
      .kind = Kind::illegal_instruction, .says = {"a tensor reduction at a negative coordinate"})
FAULT(reduction_unaligned, "a reduction at a column that is no multiple of 16 bytes",
      .run = launch_floats<Reduction::add, 0, 2>, .kind = Kind::illegal_instruction,
      .says = {"a tensor reduction at innermost coordinate 2 (byte 8)"})

template <int Bytes, int From> __global__ void reduce_bytes(int* out) {
  struct Shared {
    alignas(16) int data[68];
  };
  auto&     s    = tma::shared<Shared>();
  const u32 rank = ptx::thread_rank();
  s.data[rank]   = 1;
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (rank == 0) {
    const u32 from = ptx::shared_address(s.data);
    ptx::bulk_reduce<Reduction::add, tma::ElementType::i32>(out + From, from, Bytes);  // <bytes.reduce>
    ptx::bulk_commit_group();
    ptx::bulk_wait_group<0>();
  }
}

FAULT(reduction_of_252_bytes, "a one-dimensional reduction of 252 bytes",
      .run = run<reduce_bytes<252, 0>, reduce_bytes<240, 4>>, .kind = Kind::undefined_copy,
      .says = {"a one-dimensional reduction of 252 bytes", "moves and counts 240"}, .lines = {"bytes.reduce"})
FAULT(reduction_misaligned, "a one-dimensional reduction from the second element on",
      .run = run<reduce_bytes<64, 1>, reduce_bytes<64, 4>>, .kind = Kind::misaligned_address,
      .says = {"a one-dimensional reduction between"}, .lines = {"bytes.reduce"})

// --- prefetches ------------------------------------------------------------------------------------------------------

template <int Column, int From> __global__ void prefetch(const __grid_constant__ Map from, const int* in) {
  if (ptx::thread_rank() != 0) return;
  ptx::prefetch_map(tma::tensor_map(from));
  ptx::tensor_prefetch<2>(tma::tensor_map(from), {{Column, 1}});  // <prefetch.tensor>
  ptx::bulk_prefetch(in + From, 64);                              // <prefetch.bulk>
}

FAULT(prefetch_unaligned, "a prefetch at a column that is no multiple of 16 bytes",
      .run = run<prefetch<3, 0>, prefetch<-4, 4>>, .kind = Kind::illegal_instruction,
      .says = {"a tensor prefetch at innermost coordinate 3"}, .lines = {"prefetch.tensor"})
FAULT(prefetch_misaligned, "a one-dimensional prefetch from the second element on",
      .run = run<prefetch<0, 1>, prefetch<0, 0>>, .kind = Kind::misaligned_address, .says = {"prefetches from"},
      .lines = {"prefetch.bulk"})

// --- im2col ----------------------------------------------------------------------------------------------------------

using Pixels = tma::Tile<int, tma::Shape<16, 8>>;
using Conv   = tma::TmaDescriptor<const int, 4, tma::Im2col<Pixels>>;

enum class Walk { right, outside, unaligned, stored, tiled, few_bytes };

template <Walk Fault> __global__ void im2col(const __grid_constant__ Conv conv, int* out) {
  struct Shared {
    Pixels           tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
  const u32 bytes = Pixels::payload_bytes - (Fault == Walk::few_bytes ? 16 : 0);
  if (ptx::thread_rank() == 0) {
    const ptx::Coordinates<4> at = {{Fault == Walk::unaligned ? 2 : 4, Fault == Walk::outside ? 9 : -1, 0, 1}};
    if (Fault != Walk::stored) ptx::mbarrier_arrive_expect_tx(barrier, bytes);
    if (Fault == Walk::tiled) ptx::tensor_load<4>(tile, tma::tensor_map(conv), at, barrier);
    else if (Fault == Walk::stored) ptx::im2col_store<4>(tma::tensor_map(conv), {{4, 0, 0, 1}}, tile);  // <im2col.store>
    else ptx::im2col_load<Traversal::im2col, 4>(tile, tma::tensor_map(conv), at, {1, 2}, barrier);      // <im2col.load>
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

template <Walk Fault> void launch_im2col(bool faulty) {
  gpu::Array<int> in(gpu::random_values<int>(2 * 5 * 9 * 12, 5)), out(64);
  // A filter of 3 x 3, padded by one.
  const auto conv = tma::make_descriptor<tma::Im2col<Pixels>>(
      tma::TensorView{static_cast<const int*>(in.get()), {2, 5, 9, 12}}, {.lower = {-1, -1}, .upper = {-1, -1}});
  tma::launch(faulty ? im2col<Fault> : im2col<Walk::right>, {.grid = 1, .block = 64}, conv, out.get());
}

FAULT(im2col_outside, "an im2col load that begins right of its bounding box", .run = launch_im2col<Walk::outside>,
      .kind = Kind::illegal_instruction, .says = {"an im2col load whose first pixel lies outside the bounding box"},
      .lines = {"im2col.load"})
FAULT(im2col_unaligned, "an im2col load at a channel that is no multiple of 16 bytes", .run = launch_im2col<Walk::unaligned>,
      .kind = Kind::illegal_instruction, .says = {"innermost coordinate 2 (byte 8)"}, .lines = {"im2col.load"})
FAULT(im2col_stored, "an im2col store through a map with padding", .run = launch_im2col<Walk::stored>,
      .kind = Kind::illegal_instruction, .says = {"bounding box reaches beyond the tensor"}, .lines = {"im2col.store"})
FAULT(im2col_tiled, "a load of a box through an im2col map", .run = launch_im2col<Walk::tiled>,
      .kind = Kind::illegal_instruction, .says = {"of another traversal than its map was made for"})
FAULT(im2col_bytes, "an im2col load that is armed with the bytes of fewer pixels", .run = launch_im2col<Walk::few_bytes>,
      .kind = Kind::bytes_short, .says = {"armed 496 bytes, copies issued 512 bytes"}, .lines = {"im2col.load"})

// --- four rows -------------------------------------------------------------------------------------------------------

using Four  = tma::Tile<int, tma::Shape<4, 32>>;
using Row   = tma::Tile<int, tma::Shape<1, 32>>;  // what the map of a gather says
using Table = tma::TmaDescriptor<const int, 2, Row>;

enum class Rows { right, of_a_tile, read_early };

template <Rows Fault>
__global__ void gather(const __grid_constant__ Table table, const __grid_constant__ Map tiles, int* out) {
  struct Shared {
    Four             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
  if (ptx::thread_rank() == 0) {
    const void* map = Fault == Rows::of_a_tile ? tma::tensor_map(tiles) : tma::tensor_map(table);
    ptx::mbarrier_arrive_expect_tx(barrier, Four::payload_bytes);
    ptx::gather4_load(tile, map, {{0, 31, -5, 7, 7}}, barrier);  // <gather.load>
  }
  if (Fault == Rows::read_early) out[block.rank()] = s.tile[block.rank()];  // <gather.read>
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

template <Rows Fault> void launch_gather(bool faulty) {
  Data       d;
  const auto table = tma::make_descriptor<Row>(tma::TensorView{static_cast<const int*>(d.in.get()), {rows, columns}});
  tma::launch(faulty ? gather<Fault> : gather<Rows::right>, {.grid = 1, .block = 64}, table, d.from, d.out.get());
}

FAULT(gather_of_a_tile, "a gather through the map of a tile of four rows", .run = launch_gather<Rows::of_a_tile>,
      .kind = Kind::illegal_instruction, .says = {"of another traversal than its map was made for"},
      .lines = {"gather.load"})
FAULT(gather_read_early, "a gathered tile is read before it is there", .run = launch_gather<Rows::read_early>,
      .kind = Kind::unwaited_load, .says = {"the load that fills it"}, .lines = {"gather.read", "gather.load"})

}  // namespace

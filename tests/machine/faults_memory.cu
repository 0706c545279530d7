// Faults of descriptors, indices and pointers.
#include "faults.hpp"

using namespace faults;

namespace {

// --- descriptors ---------------------------------------------------------------------------------------------------

namespace never_made {
__global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <never_made.load>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}

void launch(bool faulty) {
  Data      d;
  const Map empty{};
  tma::launch(kernel, {.grid = 1, .block = 64}, faulty ? empty : d.from, d.out.get());
}
}  // namespace never_made

FAULT(never_made, "a descriptor that nobody has made", .run = never_made::launch, .kind = Kind::bad_descriptor,
      .says = {"thread 0 uses a descriptor that make_descriptor has not made"}, .lines = {"never_made.load"})

namespace local_copy {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    alignas(64) u64 copy[16];
    const u64*      words = static_cast<const u64*>(tma::tensor_map(from));
    for (int i = 0; i < 16; ++i) copy[i] = words[i];
    const void* map = Faulty ? copy : words;
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    ptx::tensor_load<2>(r.tile_at(0), map, {{0, 0}}, r.full_at(0));  // <local_copy.load>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace local_copy

FAULT(local_copy, "a copy of the descriptor in local memory",
      .run = run<local_copy::kernel<true>, local_copy::kernel<false>>, .kind = Kind::bad_descriptor,
      .says = {"thread 0 uses a descriptor in its own local memory", "__grid_constant__"}, .lines = {"local_copy.load"})

namespace another_rank {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    if (Faulty) ptx::tensor_load<3>(r.tile_at(0), tma::tensor_map(from), {{0, 0, 0}}, r.full_at(0));  // <another_rank.load>
    else ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace another_rank

FAULT(another_rank, "an instruction of another rank than the map",
      .run = run<another_rank::kernel<true>, another_rank::kernel<false>>, .kind = Kind::illegal_instruction,
      .says = {"thread 0 issues a copy of rank 3 through a map of rank 2"}, .lines = {"another_rank.load"})

namespace larger_tensor {
__global__ void load(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(from, {rows, 0}, s.tile, arrived);  // <larger_tensor.load>
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}
__global__ void store(const __grid_constant__ Out to) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = 1;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, {rows - 2, 0}, ready);  // <larger_tensor.store>
}

void launch_load(bool faulty) {
  Data      d;
  const Map from =
      tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(d.in.get()), {faulty ? 2 * rows : rows, columns}});
  tma::launch(load, {.grid = 1, .block = 64}, from, d.out.get());
}
void launch_store(bool faulty) {
  Data      d;
  const Out to = tma::make_descriptor<Tile>(tma::TensorView{d.out.get(), {faulty ? 2 * rows : rows, columns}});
  tma::launch(store, {.grid = 1, .block = 64}, to);
}
}  // namespace larger_tensor

FAULT(larger_tensor_loaded, "a load from a tensor that is larger than its memory", .run = larger_tensor::launch_load,
      .kind = Kind::out_of_bounds, .says = {"the load that thread 0 issues", "allocation"}, .lines = {"larger_tensor.load"})

FAULT(larger_tensor_stored, "a store to a tensor that is larger than its memory", .run = larger_tensor::launch_store,
      .kind = Kind::out_of_bounds, .says = {"the store that thread 0 issues", "past the allocation"},
      .lines = {"larger_tensor.store"})

// --- indices and pointers ------------------------------------------------------------------------------------------

namespace outside_a_tile {
template <bool Faulty> __global__ void kernel(int* out) {
  struct Shared {
    Tile tile, next;
  };
  auto& s     = tma::shared<Shared>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(s.tile)) x = 1;
  for (auto& x : block.elements(s.next)) x = 2;
  block.sync();
  int sum = 0;
  for (int row = 0; Faulty ? row <= 4 : row < 4; ++row) sum += s.tile(row, threadIdx.x % 32);  // <outside_a_tile.read>
  out[threadIdx.x] = sum;
}
}  // namespace outside_a_tile

FAULT(outside_a_tile, "one row too many", .run = run<outside_a_tile::kernel<true>, outside_a_tile::kernel<false>>,
      .kind = Kind::outside_tile, .says = {"thread 0 uses index 4", "extent there is 4"}, .lines = {"outside_a_tile.read"})

namespace past_the_array {
template <bool Faulty, bool Write> __global__ void kernel(const int* in, int* out) {
  for (int i = threadIdx.x; Faulty ? i <= elements : i < elements; i += 64) {
    if (Write) out[i] = 1;            // <past_the_array.write>
    else if (in[i] == 0) out[i] = 1;  // <past_the_array.read>
  }
}
}  // namespace past_the_array

FAULT(read_past_the_array, "global memory is read one element past its end",
      .run = run<past_the_array::kernel<true, false>, past_the_array::kernel<false, false>>, .kind = Kind::out_of_bounds,
      .says = {"thread 0 reads global memory at", "in no allocation"}, .lines = {"past_the_array.read"})

FAULT(written_past_the_array, "global memory is written one element past its end",
      .run = run<past_the_array::kernel<true, true>, past_the_array::kernel<false, true>>, .kind = Kind::out_of_bounds,
      .says = {"thread 0 writes global memory at", "in no allocation"}, .lines = {"past_the_array.write"})

namespace not_set {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    int histogram[16];
  };
  auto& s = tma::shared<Shared>();
  if (!Faulty && threadIdx.x < 16) s.histogram[threadIdx.x] = 0;
  ptx::sync_block();
  if (threadIdx.x < 16) s.histogram[threadIdx.x] += in[threadIdx.x] & 1;  // <not_set.read>
  ptx::sync_block();
  if (threadIdx.x < 16) out[threadIdx.x] = s.histogram[threadIdx.x];
}
}  // namespace not_set

FAULT(not_set, "shared memory counts on from what was there", .run = run<not_set::kernel<true>, not_set::kernel<false>>,
      .kind = Kind::uninitialised, .says = {"thread 0 reads", "which nobody has written"}, .lines = {"not_set.read"})

namespace not_set_raw {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  __shared__ int sums[64];
  if (!Faulty || threadIdx.x < 63) sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sums[63 - threadIdx.x];  // <not_set_raw.read>
}
}  // namespace not_set_raw

FAULT(not_set_raw, "one element of a __shared__ array is never written",
      .run = run<not_set_raw::kernel<true>, not_set_raw::kernel<false>>, .kind = Kind::uninitialised,
      .says = {"thread 0 reads a __shared__ variable", "which nobody has written"}, .lines = {"not_set_raw.read"})

}  // namespace

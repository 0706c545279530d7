// Faults of copies as they are issued: addresses, sizes, coordinates, descriptors; and of indices and pointers.
#include "faults.hpp"

using namespace faults;

namespace {

// --- coordinates ---------------------------------------------------------------------------------------------------

template <int Row, int Column> __global__ void load_at(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(from, {Row, Column}, s.tile, arrived);  // <load_at.load>
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

template <int Row, int Column> __global__ void store_at(const __grid_constant__ Out to) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = 3;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, {Row, Column}, ready);  // <store_at.store>
}

FAULT(load_unaligned, "a load at a column that is no multiple of 16 bytes", .run = run<load_at<1, 3>, load_at<1, 4>>,
      .kind  = Kind::rule,
      .says  = {"thread 0", "the innermost coordinate times the element size must be a multiple of 16 bytes", "found 3"},
      .lines = {"load_at.load"})

FAULT(load_minus_one, "a halo of one element to the left", .run = run<load_at<-1, -1>, load_at<-1, -4>>, .kind = Kind::rule,
      .says = {"thread 0", "the innermost coordinate, in elements (found -1)"}, .lines = {"load_at.load"})

// Without the library's check.
namespace raw_load {
template <int Column> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (ptx::thread_rank() == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{Column, 1}}, r.full_at(0));  // <raw_load.load>
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[ptx::thread_rank()] = r.tile[0][int(ptx::thread_rank())];
}
}  // namespace raw_load

FAULT(raw_load_unaligned, "a raw load at a column that is no multiple of 16 bytes",
      .run = run<raw_load::kernel<3>, raw_load::kernel<4>>, .kind = Kind::illegal_instruction,
      .says  = {"thread 0 issues a tensor load at innermost coordinate 3 (byte 12)", "16 bytes (4 elements)"},
      .lines = {"raw_load.load"})

FAULT(store_unaligned, "a store at a column that is no multiple of 16 bytes", .run = run<store_at<0, 2>, store_at<0, 8>>,
      .kind = Kind::rule, .says = {"thread 0", "the innermost coordinate", "found 2"}, .lines = {"store_at.store"})

FAULT(store_negative, "a store that begins before the tensor", .run = run<store_at<-2, 0>, store_at<2, 0>>,
      .kind  = Kind::illegal_instruction,
      .says  = {"thread 0 issues a tensor store at a negative coordinate, at {-2, 0}: coordinate[0] = -2 must be at least 0",
                "Fix: begin at 0 with what is left of the tile"},
      .lines = {"store_at.store"})

// --- one-dimensional copies ----------------------------------------------------------------------------------------

// 63 floats are no whole number of 16 bytes.
template <int Count, int From, int To> __global__ void bulk(const int* in, int* out) {
  struct Shared {
    alignas(16) int data[128];
    u64 full;
  };
  auto&     s    = tma::shared<Shared>();
  const u32 full = ptx::shared_address(&s.full);
  ptx::describe(&s.full, sizeof s.full, "full");
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(full, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::bulk_load(ptx::shared_address(s.data + To), in + From, Count * sizeof(int), full);  // <bulk.load>
    ptx::mbarrier_arrive_expect_tx(full, Count * sizeof(int));
  }
  while (!ptx::mbarrier_try_wait(full, 0)) {}
  if (threadIdx.x < Count) out[threadIdx.x] = s.data[To + threadIdx.x];
}

FAULT(bulk_252, "a one-dimensional copy of 252 bytes", .run = run<bulk<63, 0, 0>, bulk<64, 0, 0>>,
      .kind  = Kind::undefined_copy,
      .says  = {"thread 0 issues a one-dimensional load of 252 bytes", "a multiple of 16", "moves and counts 240"},
      .lines = {"bulk.load"})

FAULT(bulk_source, "a one-dimensional copy from the second element on", .run = run<bulk<64, 1, 0>, bulk<64, 4, 0>>,
      .kind  = Kind::misaligned_address,
      .says  = {"thread 0 issues a one-dimensional load between", "both addresses must be multiples of 16"},
      .lines = {"bulk.load"})

FAULT(bulk_destination, "a one-dimensional copy to the second element on", .run = run<bulk<64, 0, 1>, bulk<64, 0, 4>>,
      .kind  = Kind::misaligned_address,
      .says  = {"thread 0 issues a one-dimensional load between", "both addresses must be multiples of 16"},
      .lines = {"bulk.load"})

FAULT(bulk_past_the_end, "a one-dimensional copy of the last piece, which is not whole",
      .run = run<bulk<64, elements - 32, 0>, bulk<64, elements - 64, 0>>, .kind = Kind::out_of_bounds,
      .says = {"the load that thread 0 issues ends 127 bytes past the allocation"}, .lines = {"bulk.load"})

namespace assumed_aligned {
__global__ void kernel(tma::AlignedPointer<const int> in, int* out) {
  struct Shared {
    tma::Buffer<int, 64> buffer;
    tma::LoadBarrier     barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) tma::BulkCopy1D<64>().load(issuer, s.buffer, in, arrived);  // <assumed_aligned.load>
  arrived.wait();
  out[block.rank()] = s.buffer[block.rank()];
}

void launch(bool faulty) {
  Data       d;
  const int* in = d.in.get() + (faulty ? 2 : 0);
  tma::launch(kernel, {.grid = 1, .block = 64}, tma::assume_aligned(in), d.out.get());
}
}  // namespace assumed_aligned

FAULT(assumed_aligned, "a pointer that is assumed to be aligned", .run = assumed_aligned::launch, .kind = Kind::rule,
      .says = {"thread 0: the source of a bulk copy must be a multiple of 16"}, .lines = {"assumed_aligned.load"})

namespace host_memory {
__global__ void kernel(const int* in, int* out) {
  struct Shared {
    tma::Buffer<int, 64> buffer;
    tma::LoadBarrier     barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect())
    issuer.load(tma::assume_aligned(in).chunk<64>(0), s.buffer, arrived);  // <host_memory.load>
  arrived.wait();
  out[block.rank()] = s.buffer[block.rank()];
}

void launch(bool faulty) {
  alignas(16) static int host[64] = {};
  Data                   d;
  const int*             in = faulty ? host : d.in.get();
  tma::launch(kernel, {.grid = 1, .block = 64}, in, d.out.get());
}
}  // namespace host_memory

FAULT(host_memory, "a load from memory of the host", .run = host_memory::launch, .kind = Kind::out_of_bounds,
      .says = {"the load that thread 0 issues", "in no allocation of device memory"}, .lines = {"host_memory.load"})

// --- where a tile lies ---------------------------------------------------------------------------------------------

namespace dynamic_start {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  unsigned char* first = ptx::dynamic_shared();
  if (!Faulty) first += -ptx::shared_address(first) & 127;
  auto&     tile = *reinterpret_cast<Tile*>(first);
  const u32 full = ptx::shared_address(first + sizeof(Tile));
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(full, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(ptx::shared_address(&tile), tma::tensor_map(from), {{0, 0}}, full);  // <dynamic_start.load>
    ptx::mbarrier_arrive_expect_tx(full, tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(full, 0)) {}
  out[threadIdx.x] = tile[threadIdx.x];
}

void launch(bool faulty) {
  Data d;
  tma::launch(faulty ? kernel<true> : kernel<false>, {.grid = 1, .block = 64, .shared = sizeof(Tile) + 8 + 127}, d.from,
              d.out.get());
}
}  // namespace dynamic_start

FAULT(dynamic_start, "a tile at the start of dynamic shared memory, which nobody has rounded up",
      .run = dynamic_start::launch, .kind = Kind::misaligned_address,
      .says  = {"thread 0 issues a tensor load with its tile at 0x", "the address must be a multiple of 128 (it is "},
      .lines = {"dynamic_start.load"})

// Slots as large as what is copied into them: half a line.
namespace half_a_line {
using Half = tma::Tile<short, tma::Shape<32>>;

template <bool Faulty>
__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const short, 1, Half> from, short* out) {
  constexpr int slot = Faulty ? Half::payload_bytes : 128;
  struct Shared {
    alignas(128) unsigned char bytes[2 * slot];
    u64 full;
  };
  auto&     s    = tma::shared<Shared>();
  const u32 full = ptx::shared_address(&s.full);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(full, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(full, 2 * Half::payload_bytes);
    for (int i = 0; i < 2; ++i) {
      const u32 tile = ptx::shared_address(s.bytes + i * slot);
      ptx::tensor_load<1>(tile, tma::tensor_map(from), {{i * 32}}, full);  // <half_a_line.load>
    }
  }
  while (!ptx::mbarrier_try_wait(full, 0)) {}
  out[threadIdx.x] = reinterpret_cast<const short*>(s.bytes + threadIdx.x / 32 * slot)[threadIdx.x % 32];
}

void launch(bool faulty) {
  gpu::Array<short> in(gpu::random_values<short>(64, 2)), out(64);
  const auto        from = tma::make_descriptor<Half>(tma::TensorView{static_cast<const short*>(in.get()), {64}});
  tma::launch(faulty ? kernel<true> : kernel<false>, {.grid = 1, .block = 64}, from, out.get());
}
}  // namespace half_a_line

FAULT(half_a_line, "stages of 64 bytes, one after the other", .run = half_a_line::launch, .kind = Kind::misaligned_address,
      .says  = {"thread 0 issues a tensor load with its tile at 0x", "the address must be a multiple of 128 (it is "},
      .lines = {"half_a_line.load"})

namespace too_little_shared {
template <bool Engine> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Stage {
    alignas(128) unsigned char bytes[tile_bytes];
  };
  unsigned char* first  = ptx::dynamic_shared();
  auto*          stages = reinterpret_cast<Stage*>(first + (-ptx::shared_address(first) & 127));
  int*           last   = reinterpret_cast<int*>(stages[1].bytes);
  if (Engine) {
    const u32 full = ptx::shared_address(stages[0].bytes);
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(full, 1);
      ptx::fence_mbarrier_init();
    }
    ptx::sync_block();
    if (threadIdx.x == 0) {
      ptx::tensor_load<2>(ptx::shared_address(last), tma::tensor_map(from), {{0, 0}}, full);  // <too_little_shared.load>
      ptx::mbarrier_arrive_expect_tx(full, tile_bytes);
    }
    while (!ptx::mbarrier_try_wait(full, 0)) {}
  } else {
    for (int i = threadIdx.x; i < Tile::size; i += 64) last[i] = i;  // <too_little_shared.write>
    ptx::sync_block();
  }
  out[threadIdx.x] = last[threadIdx.x];
}

template <bool Engine> void launch(bool faulty) {
  Data d;
  tma::launch(kernel<Engine>, {.grid = 1, .block = 64, .shared = (faulty ? 1 : 2) * tile_bytes + 127}, d.from, d.out.get());
}
}  // namespace too_little_shared

FAULT(written_past_the_end, "a kernel launched with less shared memory than it writes",
      .run = too_little_shared::launch<false>, .kind = Kind::out_of_bounds,
      .says  = {"writes shared memory at 0x", "which the block has not",
                "639 of dynamic shared memory, which the launch gives",
                "Fix: launch with a larger .shared (tma::shared_bytes<T>)"},
      .lines = {"too_little_shared.write"})

FAULT(loaded_past_the_end, "a kernel launched with less shared memory than it loads into",
      .run = too_little_shared::launch<true>, .kind = Kind::out_of_bounds,
      .says  = {"the load that thread 0 issues", "beyond the block's shared memory", "639 of dynamic shared memory",
                "Fix: launch with a larger .shared"},
      .lines = {"too_little_shared.load"})

// More than fits static shared memory: the launch has to say how much.
namespace forgotten_size {
struct Shared {
  tma::Buffer<int, 64> buffer;
  Tile                 tiles[100];
};
__global__ void kernel(int* out) {
  auto& s               = tma::shared<Shared>();  // <forgotten_size.take>
  s.buffer[threadIdx.x] = 3;
  out[threadIdx.x]      = s.buffer[threadIdx.x];
}

void launch(bool faulty) {
  Data d;
  tma::launch(kernel, {.grid = 1, .block = 64, .shared = faulty ? 0 : tma::shared_bytes<Shared>}, d.out.get());
}
}  // namespace forgotten_size

FAULT(forgotten_size, "a launch that forgets the dynamic shared memory", .run = forgotten_size::launch,
      .kind  = Kind::out_of_bounds,
      .says  = {"thread 0 takes an object of 51456 bytes, tma::shared<forgotten_size::Shared>(), from dynamic shared memory",
                "of which the launch gives 0: the kernel must be launched with .shared = 51568 or more",
                "Fix: .shared = tma::shared_bytes<forgotten_size::Shared>"},
      .lines = {"forgotten_size.take"})

namespace too_long {
template <int Count> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    tma::RaggedBuffer<int, 64> buffer;
    tma::LoadBarrier           barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  const auto data = tma::BulkCopy1D().load(block, s.buffer, in, Count, arrived);  // <too_long.load>
  arrived.wait();
  out[block.rank()] = data[block.rank()];
}
}  // namespace too_long

FAULT(too_long, "a copy of run-time length that is longer than its buffer",
      .run = run<too_long::kernel<120>, too_long::kernel<64>>, .kind = Kind::rule,
      .says = {"the count is 0 to the size of the buffer", "found 120"}, .lines = {"too_long.load"})

// Where a raw kernel keeps its tile and its barrier.
namespace raw_shared {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  alignas(128) __shared__ int tile[Tile::size];
  alignas(8) __shared__ u64   full;
  const u32                   at = ptx::shared_address(&full);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(at, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(ptx::shared_address(tile), tma::tensor_map(from), {{0, 0}}, at);  // <raw_shared.load>
    ptx::mbarrier_arrive_expect_tx(at, tile_bytes);
  }
  if (!Faulty)
    while (!ptx::mbarrier_try_wait(at, 0)) {}
  out[threadIdx.x] = tile[threadIdx.x];  // <raw_shared.read>
  if (Faulty)
    while (!ptx::mbarrier_try_wait(at, 0)) {}
}
}  // namespace raw_shared

FAULT(raw_shared, "a tile in a __shared__ array is read before the wait",
      .run = run<raw_shared::kernel<true>, raw_shared::kernel<false>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads a __shared__ variable", "phase 0, which thread 0 has not waited for"},
      .lines = {"raw_shared.read", "raw_shared.load"})

namespace not_shared {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    const void* to = Faulty ? static_cast<const void*>(out) : r.tile[0].storage();
    ptx::tensor_load<2>(ptx::shared_address(to), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <not_shared.load>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace not_shared

FAULT(not_shared, "a load into global memory", .run = run<not_shared::kernel<true>, not_shared::kernel<false>>,
      .kind = Kind::bad_address, .says = {"thread 0 uses", "as shared memory, which it is not"},
      .lines = {"not_shared.load"})

// --- how a tile lies -----------------------------------------------------------------------------------------------

// Rows of 32 bytes under a swizzle of 128: each has a line of its own, and three quarters of it are nobody's.
namespace linear_scan {
using Padded = tma::Tile<int, tma::Shape<8, 8>, tma::Swizzle::bytes_128>;

template <bool Faulty>
__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const int, 2, Padded> from, int* out) {
  struct Shared {
    Padded           tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.tile, sizeof s.tile, "tile");
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, s.tile, arrived);
  arrived.wait();
  const int  i      = block.rank();
  const int* linear = static_cast<const int*>(s.tile.storage());
  out[i]            = Faulty ? linear[i] : s.tile[i];  // <linear_scan.read>
}

void launch(bool faulty) {
  Data       d;
  const auto from = tma::make_descriptor<Padded>(tma::TensorView{static_cast<const int*>(d.in.get()), {rows, columns}});
  tma::launch(faulty ? kernel<true> : kernel<false>, {.grid = 1, .block = 64}, from, d.out.get());
}
}  // namespace linear_scan

FAULT(linear_scan, "a tile with padded rows is read as an array", .run = linear_scan::launch, .kind = Kind::uninitialised,
      .says = {"reads tile + ", "which nobody has written"}, .lines = {"linear_scan.read"})

// Rows of 16 in shared memory with room for 20, so that columns do not meet in a bank; the copy knows nothing of it.
namespace flat_copy {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    alignas(16) int tile[4][20];
    u64 full;
  };
  auto&     s    = tma::shared<Shared>();
  const u32 full = ptx::shared_address(&s.full);
  ptx::describe(&s.tile, sizeof s.tile, "tile");
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(full, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(full, 4 * 16 * sizeof(int));
    if (Faulty) ptx::bulk_load(ptx::shared_address(s.tile), in, 4 * 16 * sizeof(int), full);
    else
      for (int row = 0; row < 4; ++row)
        ptx::bulk_load(ptx::shared_address(s.tile[row]), in + row * 16, 16 * sizeof(int), full);
  }
  while (!ptx::mbarrier_try_wait(full, 0)) {}
  out[threadIdx.x] = s.tile[threadIdx.x / 16][threadIdx.x % 16];  // <flat_copy.read>
}
}  // namespace flat_copy

FAULT(flat_copy, "one flat copy into an array with padded rows",
      .run = run<flat_copy::kernel<true>, flat_copy::kernel<false>>, .kind = Kind::uninitialised,
      .says = {"thread 52 reads tile + 256, which nobody has written"}, .lines = {"flat_copy.read"})

}  // namespace

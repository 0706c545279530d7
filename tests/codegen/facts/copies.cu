// The copies as they are issued. Of every kernel here:
//   - what is loaded goes to this block: the cluster form is slower on some machines and means something else;
//   - a descriptor that is passed as `const __grid_constant__` stays where it is, however it is handed on: a copy in local
//     memory could not be read by the engine;
//   - the elected thread is known to be one: no loop around a copy that goes over the warp's threads one by one.
//
// kernel: *
//   reject-ptx: shared::cluster
//   reject-ptx: \.local|__local_depot
//   reject-sass: \b(STL|LDL)\b
//   reject-sass: BRA\.U\.ANY
//
// kernel: load_1d
//   expect-ptx: cp\.async\.bulk\.tensor\.1d\.shared::cta\.global\.tile\.mbarrier::complete_tx::bytes
//   expect-sass: UTMALDG\.1D
// kernel: load_2d
//   expect-ptx: cp\.async\.bulk\.tensor\.2d\.shared::cta\.global\.tile\.mbarrier::complete_tx::bytes
//   expect-sass: UTMALDG\.2D
// kernel: load_3d
//   expect-ptx: cp\.async\.bulk\.tensor\.3d\.shared::cta\.global\.tile\.mbarrier::complete_tx::bytes
//   expect-sass: UTMALDG\.3D
// kernel: load_4d
//   expect-ptx: cp\.async\.bulk\.tensor\.4d\.shared::cta\.global\.tile\.mbarrier::complete_tx::bytes
//   expect-sass: UTMALDG\.4D
// kernel: load_5d
//   expect-ptx: cp\.async\.bulk\.tensor\.5d\.shared::cta\.global\.tile\.mbarrier::complete_tx::bytes
//   expect-sass: UTMALDG\.5D
//
// One instruction and no branch that depends on the size.
// kernel: bulk
//   expect-ptx: cp\.async\.bulk\.shared::cta\.global\.mbarrier::complete_tx::bytes
//   order-ptx: complete_tx ; try_wait ; cp\.async\.bulk\.global\.shared::cta\.bulk_group ; commit_group ; wait_group\.read 0
//
// The barrier is told 2 x 4096 bytes, once, after the copies.
// kernel: batch
//   order-ptx: !expect_tx ; complete_tx ; complete_tx ; mbarrier\.arrive\.expect_tx ; !complete_tx|expect_tx
//   expect-ptx: mov\.u32.*\b8192;
//
// The bytes of a box known at run time come with the descriptor.
// kernel: runtime_box
//   order-ptx: complete_tx ; ld\.param\.u32.*\+128\] ; mbarrier\.arrive\.expect_tx
//
// Descriptors handed on: by reference, in a structure of references, chosen at run time.
// kernel: handed_on
//   expect-sass: UTMALDG\.2D
// kernel: chosen
//   expect-sass: UTMALDG\.2D
//
// Coordinates from memory, many copies in the elected thread's loop.
// kernel: coordinates_from_memory
//   expect-sass: UTMALDG\.2D
// kernel: ring
//   expect-sass: UTMALDG\.2D
// kernel: roles
//   expect-sass: UTMALDG\.2D
//
// An issuer that nobody asked whether it is the elected one.
// kernel: without_asking
//   expect-sass: UTMASTG\.2D
#include <tma/tma.hpp>

template <int... Extents> using Tile = tma::Tile<float, tma::Shape<Extents...>>;

using Tile2 = Tile<32, 32>;
using From  = tma::TmaDescriptor<const float, 2, Tile2>;
using To    = tma::TmaDescriptor<float, 2, Tile2>;

struct Shared {
  Tile2            tile;
  tma::LoadBarrier barrier;
};

template <class Tile>
__device__ __forceinline__ void load(const tma::TmaDescriptor<const float, Tile::rank, Tile>& in, tma::Coord<Tile::rank> at,
                                     float* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  *out = tile[block.rank()];
}

template <int Rank, int... Extents> using Map = tma::TmaDescriptor<const float, Rank, Tile<Extents...>>;

extern "C" __global__ void load_1d(const __grid_constant__ Map<1, 64> in, int x, float* out) {
  load<Tile<64>>(in, {x}, out);
}
extern "C" __global__ void load_2d(const __grid_constant__ Map<2, 8, 64> in, int x, float* out) {
  load<Tile<8, 64>>(in, {0, x}, out);
}
extern "C" __global__ void load_3d(const __grid_constant__ Map<3, 2, 2, 64> in, int x, float* out) {
  load<Tile<2, 2, 64>>(in, {1, 0, x}, out);
}
extern "C" __global__ void load_4d(const __grid_constant__ Map<4, 2, 2, 2, 64> in, int x, float* out) {
  load<Tile<2, 2, 2, 64>>(in, {2, 1, 0, x}, out);
}
extern "C" __global__ void load_5d(const __grid_constant__ Map<5, 2, 2, 2, 2, 64> in, int x, float* out) {
  load<Tile<2, 2, 2, 2, 64>>(in, {3, 2, 1, 0, x}, out);
}

extern "C" __global__ void bulk(tma::AlignedPointer<const float> in, tma::AlignedPointer<float> out) {
  struct Shared {
    tma::Buffer<float, 1024> buffer;
    tma::LoadBarrier         barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D<1024> copy;
  if (auto issuer = block.elect()) {
    copy.load(issuer, buffer, in, arrived);
    arrived.wait();
    copy.store(issuer, out, tma::as_loaded(buffer));
  }
}

extern "C" __global__ void batch(const __grid_constant__ From a, const __grid_constant__ From b, float* out) {
  struct Two {
    Tile2            a, b;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Two>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) tma::LoadBatch(issuer, arrived).load(a, {0, 0}, s.a).load(b, {0, 0}, s.b);
  arrived.wait();
  *out = s.a[0] + s.b[0];
}

extern "C" __global__ void runtime_box(const __grid_constant__ tma::TmaDescriptor<const float, 2> in, float* out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
  arrived.wait();
  *out = tile[block.rank()];
}

struct Pair {
  const From& first;
  const From& second;
};

__device__ __forceinline__ const From& second_of(const Pair& pair) { return pair.second; }

extern "C" __global__ void handed_on(const __grid_constant__ From a, const __grid_constant__ From b, float* out) {
  load<Tile2>(second_of(Pair{a, b}), {0, 0}, out);
}

extern "C" __global__ void chosen(const __grid_constant__ From a, const __grid_constant__ From b, int which, float* out) {
  load<Tile2>(which ? a : b, {0, 0}, out);
}

extern "C" __global__ void coordinates_from_memory(const __grid_constant__ From in, const int* at, float* out, int n) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    for (int i = 0; i < n; ++i) batch.load(in, {at[2 * i], at[2 * i + 1]}, tile);
  }
  arrived.wait();
  *out = tile[block.rank()];
}

using Pipe = tma::Pipeline<3, Tile2>;

extern "C" __global__ void ring(const __grid_constant__ From in, const int* at, float* out, int n) {
  Pipe  pipe(tma::shared<Pipe::Shared>());
  float sum = 0;
  pipe.for_each(n, [&](auto load, int i) { load(in, {at[i], 0}); }, [&](const Tile2& tile, int) { sum += tile[7]; });
  *out = sum;
}

extern "C" __global__ void roles(const __grid_constant__ From in, const int* at, float* out, int n) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<1>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto stage) { stage.load(in, {at[i], 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        float sum = 0;
        for (int i = 0; i < n; ++i) consumer.next([&](const Tile2& tile) { sum += tile[7]; });
        out[consumer.rank()] = sum;
      });
}

extern "C" __global__ void without_asking(const __grid_constant__ To to, float x) {
  auto& tile         = tma::shared<Tile2>();
  auto  block        = tma::this_block();
  tile[block.rank()] = x;
  auto ready         = block.publish(tile);
  auto issuer        = block.elect();
  issuer.store(to, {0, 0}, ready).wait_visible();
}

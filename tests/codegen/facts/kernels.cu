// What whole kernels have in them, and what they have not.
//
// Roles do not meet: after the barrier that follows the initialisation there is no barrier of the block. Consumers that
// exchange data have their own.
// kernel: roles
//   order-ptx: ^bar(rier)?\.sync ; !^bar(rier)?\.(sync|red|arrive)
//   order-sass: \bBAR\.SYNC\S* 0x0 ; !\bBAR\.
// kernel: roles_that_meet
//   order-ptx: ^bar(rier)?\.sync\s+0; ; !^bar(rier)?\.sync\s+0;
//   order-sass: \bBAR\.SYNC\S* 0x0$ ; !\bBAR\.SYNC\S* 0x0$ ; \bBAR\.SYNC\S* 0x1, 0x80 ; !\bBAR\.SYNC\S* 0x0$
//
// A ring over all threads does not let them meet either.
// kernel: ring
//   order-ptx: ^bar(rier)?\.sync ; !^bar(rier)?\.(sync|red|arrive)
//
// A kernel whose block shape is fixed asks for no y and z; one that runs with any shape does.
// kernel: fixed_shape
//   since: 12.9
//   expect-sass: SR_TID\.X
//   reject-sass: SR_TID\.[YZ]
// kernel: any_shape
//   expect-sass: SR_TID\.Y
//   expect-sass: SR_TID\.Z
//
// Checks cost nothing where they are not asked for, and stop the kernel where they are.
// kernel: unchecked
//   reject-ptx: vprintf|\btrap\b|\bcall
//   reject-sass: BPT\.TRAP|CALL
// kernel: unchecked -DTMA_CHECKED
//   expect-ptx: ptx4fail
//   expect-sass: CALL
// kernel: unchecked_bulk
//   reject-ptx: vprintf|\btrap\b|\bcall
// kernel: unchecked_bulk -DTMA_CHECKED
//   expect-ptx: ptx4fail
// kernel: unchecked_box
//   reject-ptx: vprintf|\btrap\b|\bcall
//
// The room for a box known at run time is asked about before the copy, not when bytes are past the tile already.
// kernel: unchecked_box -DTMA_CHECKED
//   order-ptx: \bbra\b ; ld\.param ; \bbra\b ; complete_tx
//
// kernel: unchecked_size
//   reject-ptx: vprintf|\btrap\b|\bcall
// kernel: unchecked_size -DTMA_CHECKED
//   expect-ptx: ptx4fail
// kernel: roles
//   reject-ptx: vprintf|\btrap\b|\bcall
// kernel: roles -DTMA_CHECKED
//   expect-ptx: ptx4fail
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using From = tma::TmaDescriptor<const float, 2, Tile>;
using To   = tma::TmaDescriptor<float, 2, Tile>;
using Pipe = tma::Pipeline<3, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier barrier;
};

extern "C" __global__ void roles(const __grid_constant__ From in, float* out, int n) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto stage) { stage.load(in, {i * 32, 0}); });
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        float sum = 0;
        for (int i = 0; i < n; ++i) consumer.next([&](const Tile& tile) { sum += tile[consumer.rank()]; });
        out[consumer.rank()] = sum;
      });
}

extern "C" __global__ void roles_that_meet(const __grid_constant__ From in, const __grid_constant__ To to, int n) {
  struct Both {
    Pipe::Shared ring;
    Tile         out;
  };
  auto& [ring, out] = tma::shared<Both>();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto stage) { stage.load(in, {i * 32, 0}); });
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i) {
          consumer.next([&](const Tile& tile) { out[consumer.rank()] = tile[consumer.rank()]; });
          auto ready = consumer.publish(out);
          if (auto issuer = consumer.elect()) issuer.store(to, {i * 32, 0}, ready);
          consumer.sync();
        }
      });
}

extern "C" __global__ void ring(const __grid_constant__ From in, float* out, int n) {
  Pipe  pipe(tma::shared<Pipe::Shared>());
  float sum = 0;
  pipe.for_each(n, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile& tile, int) { sum += tile[7]; });
  *out = sum;
}

__device__ __forceinline__ void scale(const From& in, const To& out, tma::Coord<2> at, float factor) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (float& x : block.elements(tile)) x *= factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, at, ready);
}

#if __CUDACC_VER_MAJOR__ > 12 || __CUDACC_VER_MINOR__ >= 9  // 12.8 has no __block_size__
extern "C" __global__ void __block_size__((256, 1, 1))
    fixed_shape(const __grid_constant__ From in, const __grid_constant__ To out, float factor) {
  scale(in, out, {blockIdx.y * 32, blockIdx.x * 32}, factor);
}
#endif

extern "C" __global__ void any_shape(const __grid_constant__ From in, const __grid_constant__ To out, float factor) {
  scale(in, out, {blockIdx.y * 32, blockIdx.x * 32}, factor);
}

extern "C" __global__ void unchecked(const __grid_constant__ From in, const __grid_constant__ To out, int x, float factor) {
  scale(in, out, {0, x}, factor);
}

extern "C" __global__ void unchecked_bulk(tma::AlignedPointer<const float> in, float* out) {
  struct Line {
    tma::Buffer<float, 256> buffer;
    tma::LoadBarrier        barrier;
  };
  auto& [buffer, barrier] = tma::shared<Line>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<256>(0), buffer, arrived);
  arrived.wait();
  *out = buffer[block.rank()];
}

extern "C" __global__ void unchecked_box(const __grid_constant__ tma::TmaDescriptor<const float, 2> in, float* out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
  arrived.wait();
  *out = tile[block.rank()];
}

extern "C" __global__ void unchecked_size(float* out) {
  auto block = tma::this_block<128>();
  *out       = float(block.rank());
}

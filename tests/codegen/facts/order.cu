// What must stay before what, and what may not move across: the fences and the "memory" clobbers of the instructions.
//
// One thread initialises a barrier and makes that visible to the engine, without a branch between; then the block meets.
// kernel: init_order
//   order-ptx: !bar\.sync ; mbarrier\.init ; !bra|^\$L ; fence\.mbarrier_init\.release\.cluster ; !mbarrier ; bar\.sync
//   order-sass: !BAR ; SYNCS\.EXCH ; BAR\.SYNC ; !SYNCS\.EXCH
//
// Three barriers: one fence after the last.
// kernel: init_three
//   order-ptx: mbarrier\.init ; mbarrier\.init ; mbarrier\.init ; !bra|^\$L ; fence\.mbarrier_init ; !mbarrier ; bar\.sync
//
// Every thread fences what it wrote, then the block meets, then one thread stores. No write slips in after the fence.
// kernel: publish_order
//   order-ptx: st\.shared ; fence\.proxy\.async\.shared::cta ; !\b(st|red|atom)\. ; bar\.sync ; !\bst\. ; bulk_group \[
//   order-sass: STS ; FENCE\.VIEW\.ASYNC ; !STS|STG|ATOMS|RED ; BAR\.SYNC ; !STS ; UTMASTG
//
// A write whose address and value are the same in every turn is not sunk below the fence, nor left out.
// kernel: write_before_fence
//   order-ptx: ^\$L ; st\.shared ; fence\.proxy\.async\.shared::cta ; !st\. ; bar\.sync ; bra
//   order-sass: STS ; FENCE\.VIEW\.ASYNC ; !STS ; BAR\.SYNC ; UTMASTG
//
// A read whose address is the same in every turn is not hoisted above the wait: what arrives is new in every turn.
// kernel: read_after_wait
//   order-ptx: !ld\.shared ; mbarrier\.try_wait ; ld\.shared ; fence\.proxy\.async ; bar\.sync ; bra
//   order-sass: !LDS ; SYNCS\.PHASECHK ; LDS ; BAR\.SYNC ; BRA
//
// Nor above a wait that only asks.
// kernel: read_after_test
//   order-ptx: !ld\.shared ; mbarrier\.test_wait ; ld\.shared ; bra
//
// What a thread wrote is in place before its arrival, and what it reads after its wait is not read before.
// kernel: write_arrive_wait_read
//   order-ptx: st\.shared ; mbarrier\.arrive ; !st\.shared ; mbarrier\.try_wait ; ld\.shared
//   order-sass: STS ; SYNCS\.ARRIVE ; !STS ; SYNCS\.PHASECHK ; LDS
//
// A tile that is written again after its store has been waited for is not written before.
// kernel: write_after_source_free
//   order-ptx: bulk_group \[ ; commit_group ; !st\. ; wait_group\.read 0 ; st\.shared
//   order-sass: UTMASTG ; UTMACMDFLUSH ; !STS ; DEPBAR\.LE SB0, 0x0 ; STS
//
// What a store wrote is not read before it has been waited for.
// kernel: read_after_visible
//   order-ptx: !ld\.global ; bulk_group \[ ; commit_group ; !ld\.global ; wait_group 0 ; ld\.global
//   order-sass: !LDG ; UTMASTG ; !LDG ; DEPBAR\.LE SB0 ; LDG
//
// The engine reads and writes through another proxy than threads: a stage is refilled only behind a fence in the thread that
// has seen the last reader's arrival. Bytes that a load brought go out again without one.
// kernel: refill_order
//   order-ptx: ld\.shared ; mbarrier\.arrive ; try_wait ; !\b(ld|st)\. ; fence\.proxy\.async ; complete_tx ; expect_tx
// Where matrix units alone read, the two are of one proxy, and no thread fences.
// kernel: refill_for_matrix_units
//   order-ptx: ld\.shared ; mbarrier\.arrive ; try_wait ; complete_tx ; expect_tx
//   reject-ptx: fence\.proxy
// kernel: as_loaded
//   order-ptx: complete_tx ; mbarrier\.try_wait ; bulk_group \[
//   reject-ptx: fence\.proxy
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using From = tma::TmaDescriptor<const float, 2, Tile>;
using To   = tma::TmaDescriptor<float, 2, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier barrier;
};

extern "C" __global__ void init_order(int* out) {
  auto& barrier         = tma::shared<tma::LoadBarrier>();
  auto [block, arrived] = tma::this_block(barrier);
  *out                  = arrived.is_complete();
}

extern "C" __global__ void init_three(int* out) {
  struct Three {
    tma::LoadBarrier  a, b;
    tma::Mbarrier<32> c;
  };
  auto& s               = tma::shared<Three>();
  auto [block, a, b, c] = tma::this_block(s.a, s.b, s.c);
  *out                  = c.is_complete();
}

extern "C" __global__ void publish_order(const __grid_constant__ To to, float x) {
  auto& tile         = tma::shared<Tile>();
  auto  block        = tma::this_block();
  tile[block.rank()] = x;
  auto ready         = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, {0, 0}, ready);
}

extern "C" __global__ void write_before_fence(const __grid_constant__ To to, float x, int steps) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    tile[block.rank()] = x;
    auto ready         = block.publish(tile);
    if (auto issuer = block.elect()) issuer.store(to, {i * 32, 0}, ready);
  }
}

extern "C" __global__ void read_after_wait(const __grid_constant__ From in, float* out, int steps) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  float sum             = 0;
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    if (auto issuer = block.elect()) issuer.load(in, {i * 32, 0}, tile, arrived);
    arrived.wait();
    sum += tile[7];
    (void)block.publish(tile);
  }
  *out = sum;
}

extern "C" __global__ void read_after_test(float* out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  float sum             = 0;
  while (!arrived.is_complete()) sum += tile[7];
  *out = sum;
}

extern "C" __global__ void write_arrive_wait_read(int* out) {
  struct Values {
    int               value[64];
    tma::Mbarrier<64> barrier;
  };
  auto& s               = tma::shared<Values>();
  auto [block, written] = tma::this_block(s.barrier);
  s.value[block.rank()] = *out;
  s.barrier.arrive();
  written.wait();
  *out = s.value[block.rank() ^ 1];
}

extern "C" __global__ void write_after_source_free(const __grid_constant__ To to, float x) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = tma::as_loaded(tile);
  if (auto issuer = block.elect()) issuer.store(to, {0, 0}, ready).wait_source_free();
  tile[block.rank()] = x;
  (void)block.publish(tile);
}

extern "C" __global__ void read_after_visible(const __grid_constant__ To to, const float* written, float* out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = tma::as_loaded(tile);
  if (auto issuer = block.elect()) {
    issuer.store(to, {0, 0}, ready).wait_visible();
    *out = *written;
  }
}

template <class... Reads> __device__ void refill(const From& in, float* out, int tiles) {
  using Pipe = tma::Pipeline<2, Tile, Reads...>;
  Pipe  pipe(tma::shared<typename Pipe::Shared>());
  float sum = 0;
  pipe.for_each(tiles, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile& tile, int) { sum += tile[7]; });
  *out = sum;
}

extern "C" __global__ void refill_order(const __grid_constant__ From in, float* out, int tiles) { refill(in, out, tiles); }

extern "C" __global__ void refill_for_matrix_units(const __grid_constant__ From in, float* out, int tiles) {
  refill<tma::MatrixReads>(in, out, tiles);
}

extern "C" __global__ void as_loaded(const __grid_constant__ From from, const __grid_constant__ To to) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) {
    issuer.load(from, {0, 0}, tile, arrived);
    arrived.wait();
    issuer.store(to, {0, 0}, tma::as_loaded(tile));
  }
}

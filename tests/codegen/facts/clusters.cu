// What must stay before what where blocks of a cluster work together, and the scopes at which they release and acquire.
//
// One thread initialises the barriers and makes that visible to the engine and to the other blocks, without a branch between;
// then the cluster meets, and nothing happens to a barrier before.
// kernel: cluster_init
//   order-ptx: !barrier\.cluster ; mbarrier\.init ; mbarrier\.init ; !bra|^\$L ; fence\.mbarrier_init\.release\.cluster ; !mbarrier ; barrier\.cluster\.arrive\.relaxed\.aligned ; !mbarrier ; barrier\.cluster\.wait\.acquire\.aligned
//   order-sass: !UCGABAR ; SYNCS\.EXCH ; UCGABAR_ARV ; UCGABAR_WAIT ; !SYNCS\.EXCH
//
// The end of the cluster's scope meets the cluster, after all else.
// kernel: cluster_end
//   order-ptx: barrier\.cluster\.wait ; st\.global ; barrier\.cluster\.arrive\.release ; barrier\.cluster\.wait\.acquire ; !\b(st|ld|barrier)\. ; ret
//   order-sass: STG ; UCGABAR_ARV|CGABAR ; EXIT
//
// An arrival at another block's barrier is of the cluster's window and releases to the cluster; the place is mapped once, not
// in every turn. It is one instruction of the hardware, behind the fence that the release asks for.
// kernel: remote_arrive
//   expect-ptx: mbarrier\.arrive\.release\.cluster\.shared::cluster\.b64
//   reject-ptx: mbarrier\.arrive\S*\.shared::cta
//   order-ptx: !mbarrier\.arrive ; mapa\.shared::cluster\.u32 ; !mapa\.shared ; ^\$L ; mbarrier\.arrive ; !mapa ; bra
//   order-sass: MEMBAR ; SYNCS\.ARRIVE\S*\.RED
// kernel: remote_arrive_count
//   expect-ptx: mbarrier\.arrive\.release\.cluster\.shared::cluster\.b64\s+_, \[%r\d+\], %r\d+;
// kernel: remote_arrive_relaxed
//   expect-ptx: mbarrier\.arrive\.relaxed\.cluster\.shared::cluster\.b64
//   order-sass: !MEMBAR\.ALL\.GPU ; SYNCS\.ARRIVE
//
// A thread of a cluster waits with acquire at the cluster's scope, whichever block arrives; and reads after that.
// kernel: cluster_wait
//   order-ptx: !ld\.shared ; mbarrier\.try_wait\.parity\.acquire\.cluster\.shared::cta ; ld\.shared
//   reject-ptx: try_wait\.parity\.shared|acquire\.cta
// kernel: cluster_ask
//   expect-ptx: mbarrier\.test_wait\.parity\.acquire\.cluster\.shared::cta
//
// A block's own barriers in a kernel without clusters know of none.
// kernel: block_only
//   reject-ptx: \.acquire\.cluster|\.release\.cluster\.shared|barrier\.cluster|mapa|shared::cluster
//
// What a thread wrote into another block is in place before its arrival there.
// kernel: write_then_arrive
//   order-ptx: mapa\.u64 ; \bst\.u32|\bst\.b32 ; mbarrier\.arrive\.release\.cluster\.shared::cluster ; !\bst\.[ub]32
//   order-sass: ST\.E ; MEMBAR ; SYNCS\.ARRIVE
//
// Every thread fences what it wrote, the block meets; one thread arms the other block's barrier and copies.
// kernel: send
//   order-ptx: st\.shared ; fence\.proxy\.async\.shared::cta ; !\bst\. ; bar\.sync ; mbarrier\.arrive\.expect_tx\.release\.cluster\.shared::cluster ; cp\.async\.bulk\.shared::cluster\.shared::cta\.mbarrier::complete_tx::bytes
//   order-sass: STS ; FENCE\.VIEW\.ASYNC ; BAR\.SYNC ; SYNCS\.ARRIVE ; UBLKCP\.S\.S
// kernel: send_relaxed
//   expect-ptx: mbarrier\.arrive\.expect_tx\.relaxed\.cluster\.shared::cluster
//   order-sass: !MEMBAR\.ALL\.GPU ; SYNCS\.ARRIVE ; !MEMBAR ; UBLKCP\.S\.S
//
// A tile that all blocks have read is loaded again: the cluster meets with release and acquire, then the issuing warp fences.
// kernel: released
//   order-ptx: ld\.shared ; barrier\.cluster\.arrive\.release\.aligned ; barrier\.cluster\.wait\.acquire\.aligned ; fence\.proxy\.async\.shared::cluster ; multicast::cluster
//
// What another block's arrivals free is fenced by the thread that waited for them.
// kernel: refilled
//   order-ptx: try_wait\.parity\.acquire\.cluster ; fence\.proxy\.async\.shared::cluster ; multicast::cluster
//
// A multicast arms the issuing block's barrier with what comes to it, and nothing where it is not among the blocks.
// kernel: multicast_some
//   order-ptx: \.multicast::cluster ; mbarrier\.arrive\.expect_tx\.shared::cta
//
// A thread's asynchronous store and reduction count on a barrier of the block they go to, and are one instruction.
// kernel: registers_to_peer
//   expect-ptx: st\.async\.weak\.shared::cluster\.mbarrier::complete_tx::bytes\.v4\.b32
//   expect-ptx: red\.async\.relaxed\.cluster\.shared::cluster\.mbarrier::complete_tx::bytes\.add\.u32
//   reject-ptx: fence|\.local
//   order-sass: !MEMBAR|STL|LDL ; STAS\.128 ; !MEMBAR|STL|LDL ; REDAS\.ADD ; UCGABAR_ARV
// A load into another block's tile: the engine is given both places there, and the arrival orders nothing.
// kernel: load_into_peer
//   order-ptx: cp\.async\.bulk\.tensor\.2d\.shared::cluster\.global\.tile\.mbarrier::complete_tx::bytes ; mbarrier\.arrive\.expect_tx\.relaxed\.cluster\.shared::cluster
//   order-ptx: cp\.async\.bulk\.shared::cluster\.global\.mbarrier::complete_tx::bytes ; mbarrier\.arrive\.expect_tx\.relaxed\.cluster\.shared::cluster
//   reject-ptx: multicast
//   order-sass: !MEMBAR\.ALL\.GPU ; UTMALDG ; !MEMBAR ; SYNCS\.ARRIVE ; !MEMBAR ; UBLKCP ; !MEMBAR ; SYNCS\.ARRIVE
//
// What is expected without a copy is counted by its type: a tile, a buffer, a chunk; or asked of a descriptor of any box.
// kernel: expected
//   expect-ptx: mbarrier\.arrive\.expect_tx\.shared::cta\.b64\s+_, \[%r\d+\], %r\d+;
//   expect-ptx: \b4160;
//   order-ptx: ld\.param ; add\.s32\s+%r\d+, %r\d+, 32; ; mbarrier\.arrive\.expect_tx
//   reject-ptx: cp\.async
//
// The forms at the scope of the cluster, in the own block and in another.
// kernel: cluster_forms
//   expect-ptx: mbarrier\.arrive_drop\.relaxed\.cluster\.shared::cta\.b64\s+%rd\d+
//   expect-ptx: mbarrier\.arrive_drop\.release\.cluster\.shared::cta\.b64\s+_
//   expect-ptx: mbarrier\.arrive_drop\.relaxed\.cluster\.shared::cluster\.b64\s+_
//   expect-ptx: mbarrier\.arrive\.relaxed\.cluster\.shared::cluster\.b64\s+_, \[%r\d+\], %r\d+;
//   expect-ptx: mbarrier\.try_wait\.parity\.relaxed\.cluster\.shared::cta\.b64 p, \[%r\d+\], %r\d+, %r\d+;
//   expect-ptx: mbarrier\.try_wait\.acquire\.cluster\.shared::cta\.b64 p, \[%r\d+\], %rd\d+, %r\d+;
//   expect-ptx: mbarrier\.test_wait\.relaxed\.cluster\.shared::cta\.b64 p, \[%r\d+\], %rd\d+;
//   expect-ptx: mbarrier\.arrive\.expect_tx\.relaxed\.cluster\.shared::cluster
//
// Only a checked build asks which block an address is of, and how many blocks there are where the kernel says that.
// kernel: send
//   reject-ptx: getctarank|cluster_nctarank
// kernel: send -DTMA_CHECKED
//   expect-ptx: getctarank\.shared::cluster
//
// What a kernel reads of the one before comes after the wait for it; what it leaves to the one after, before it lets that go.
// kernel: dependent
//   order-ptx: !\bld\.global ; griddepcontrol\.wait ; ld\.global ; st\.global ; griddepcontrol\.launch_dependents ; !\bst\.global
//   order-sass: !LDG ; ACQBULK ; LDG ; STG ; PREEXIT
//
// Registers change hands by one instruction a warpgroup.
// kernel: registers
//   expect-ptx: setmaxnreg\.dec\.sync\.aligned\.u32 40;
//   expect-ptx: setmaxnreg\.inc\.sync\.aligned\.u32 232;
//   expect-sass: USETMAXREG\.DEALLOC\S* 0x28
//   expect-sass: USETMAXREG\.TRY_ALLOC\S* UP\d, 0xe8
// kernel: before_wgmma
//   order-ptx: st\.shared ; wgmma\.fence\.sync\.aligned ; ld\.shared
//   order-sass: STS ; WARPGROUP\.ARRIVE ; LDS
#include <tma/device/cluster.hpp>
#include <tma/device/grid_dependency.hpp>
#include <tma/device/register_budget.hpp>
#include <tma/device/wgmma_fence.hpp>
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using From = tma::TmaDescriptor<const float, 2, Tile>;

struct Shared {
  Tile                     tile;
  tma::Buffer<unsigned, 4> words;
  int                      value[64];
  tma::LoadBarrier         full;
  tma::Mbarrier<4>         free;
};

extern "C" __global__ void cluster_init(int* out) {
  auto& s                    = tma::shared<Shared>();
  auto [cluster, full, free] = tma::this_cluster(s.full, s.free);
  *out                       = full.is_complete();
}

extern "C" __global__ void cluster_end(int* out) {
  auto cluster = tma::this_cluster();
  *out         = cluster.rank();
}

extern "C" __global__ void remote_arrive(int n) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, free] = tma::this_cluster(s.free);
  const auto there     = cluster.peer(s.free, 1);
#pragma unroll 1
  for (int i = 0; i < n; ++i) there.arrive();
}

extern "C" __global__ void remote_arrive_count() {
  auto& s              = tma::shared<Shared>();
  auto [cluster, free] = tma::this_cluster(s.free);
  cluster.peer(s.free, 1).arrive(3);
}

extern "C" __global__ void remote_arrive_relaxed() {
  auto& s              = tma::shared<Shared>();
  auto [cluster, free] = tma::this_cluster(s.free);
  cluster.peer(s.free, 1).arrive<tma::Order::relaxed>();
}

extern "C" __global__ void cluster_wait(int* out) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, free] = tma::this_cluster(s.free);
  free.wait();
  out[cluster.block().rank()] = s.value[cluster.block().rank()];
}

extern "C" __global__ void cluster_ask(int* out) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, free] = tma::this_cluster(s.free);
  *out                 = free.is_complete();
}

extern "C" __global__ void block_only(int* out) {
  auto& s            = tma::shared<Shared>();
  auto [block, free] = tma::this_block(s.free);
  s.free.arrive();
  free.wait();
  out[block.rank()] = s.value[block.rank()];
}

extern "C" __global__ void write_then_arrive(int* in) {
  auto& s                               = tma::shared<Shared>();
  auto [cluster, free]                  = tma::this_cluster(s.free);
  (*cluster.peer(s.value, 1))[*in & 63] = 7;
  cluster.peer(s.free, 1).arrive();
}

extern "C" __global__ void send(float x) {
  auto& s                        = tma::shared<Shared>();
  auto [cluster, full]           = tma::this_cluster(s.full);
  s.tile[cluster.block().rank()] = x;
  auto ready                     = cluster.block().publish(s.tile);
  if (auto issuer = cluster.elect()) issuer.send(ready, cluster.peer(s.tile, 1), cluster.peer(full, 1));
}

extern "C" __global__ void send_relaxed(const __grid_constant__ From in) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, full] = tma::this_cluster(s.full);
  if (auto issuer = cluster.elect())
    issuer.send<tma::Order::relaxed>(tma::as_loaded(s.tile), cluster.peer(s.tile, 1), cluster.peer(full, 1));
  full.wait();
}

extern "C" __global__ void released(const __grid_constant__ From in, float* out) {
  auto& s                     = tma::shared<Shared>();
  auto [cluster, full]        = tma::this_cluster<2>(s.full);
  out[cluster.block().rank()] = s.tile[cluster.block().rank()];
  cluster.release(s.tile);
  if (auto issuer = cluster.elect()) issuer.load(in, {0, 0}, s.tile, full, cluster.everyone());
}

extern "C" __global__ void refilled(const __grid_constant__ From in) {
  auto& s                    = tma::shared<Shared>();
  auto [cluster, full, free] = tma::this_cluster<2>(s.full, s.free);
  if (auto issuer = cluster.elect()) {
    free.wait_to_refill();
    issuer.load(in, {0, 0}, s.tile, full, cluster.everyone());
  }
}

extern "C" __global__ void multicast_some(const __grid_constant__ From in, unsigned mask) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, full] = tma::this_cluster<2>(s.full);
  if (auto issuer = cluster.elect()) issuer.load(in, {0, 0}, s.tile, full, cluster.multicast(mask));
}

extern "C" __global__ void registers_to_peer(unsigned x) {
  struct Words {
    tma::Buffer<unsigned, 4> words;
    tma::Vec<unsigned, 4>    four;
    tma::LoadBarrier         full;
  };
  auto&      s       = tma::shared<Words>();
  auto       cluster = tma::this_cluster();
  const auto full    = cluster.peer(s.full, 1);
  cluster.peer(s.four, 1).store_async({{x, x + 1, x + 2, x + 3}}, full);
  cluster.peer(s.words, 1).element(2).reduce_async<tma::Reduction::add>(x, full);
}

extern "C" __global__ void load_into_peer(const __grid_constant__ From in, tma::AlignedPointer<const unsigned> words) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, full] = tma::this_cluster<2>(s.full);
  if (auto issuer = cluster.elect()) {
    const auto there = cluster.peer(s.full, 1);
    issuer.load(in, {0, 0}, cluster.peer(s.tile, 1), there);
    issuer.load(words.chunk<4>(0), cluster.peer(s.words, 1), there);
  }
}

extern "C" __global__ void dependent(const float* in, float* out) {
  tma::wait_for_previous_grid();
  *out = *in;
  tma::let_next_grid_start();
}

extern "C" __global__ void __launch_bounds__(256, 1) registers() {
  if (threadIdx.x < 128) tma::shrink_registers<40>();
  else tma::grow_registers<232>();
}

extern "C" __global__ void before_wgmma(float* out) {
  __shared__ float value[128];
  value[threadIdx.x] = *out;
  tma::wgmma_fence();
  *out = value[threadIdx.x ^ 1];
}

extern "C" __global__ void expected(const __grid_constant__ tma::TmaDescriptor<const float, 2> any,
                                    tma::AlignedPointer<const unsigned>                        words) {
  auto& s            = tma::shared<Shared>();
  auto [block, full] = tma::this_block(s.full);
  if (auto issuer = block.elect()) {
    tma::LoadBatch(issuer, full).expect(s.tile).expect(s.words).expect(words.chunk<12>(0));
    tma::LoadBatch(issuer, full).expect(any).expect(s.words).expect(words.chunk<4>(0));
  }
}

extern "C" __global__ void cluster_forms(int* out) {
  constexpr auto relaxed = tma::Order::relaxed;
  constexpr auto ordered = tma::Order::ordered;
  constexpr auto wide    = tma::Scope::cluster;
  auto&          s       = tma::shared<Shared>();
  auto [cluster, free]   = tma::this_cluster(s.free);
  const auto there       = cluster.peer(s.free, 1);
  const auto token       = s.free.arrive_drop_token<relaxed, wide>();
  s.free.arrive_drop<ordered, wide>();
  there.arrive_drop<relaxed>();
  there.arrive<relaxed>(2);
  *out = free.try_wait_for<relaxed>(40) + free.try_wait<relaxed>() + free.try_wait() +
         token.try_wait_for<ordered, wide>(50) + token.try_wait<relaxed, wide>() + token.is_complete<relaxed, wide>();
  token.wait<ordered, wide>();
  const auto ready = tma::as_loaded(s.words);
  if (auto issuer = cluster.elect())
    issuer.reduce<tma::Reduction::max, relaxed>(cluster.peer(s.words, 1), ready, cluster.peer(s.full, 1));
}

// What a checked build has, and that no other has any of it.
//
// kernel: *
//   reject-ptx: mbarrier\.inval|vprintf|\btrap\b|\bcall|globaltimer|gridid|kernel_channel|\.shared\.\S+.*notes|atom\.shared
//   reject-sass: BPT\.TRAP|CALL|GLOBALTIMER|NANOSLEEP|ATOMS
//
// Every wait is bounded, whatever it waits for: its loop looks at the clock and says what it waited for.
// kernel: wait -DTMA_CHECKED
//   order-ptx: try_wait\.parity ; globaltimer ; waited_too_long
// kernel: wait_in_cluster -DTMA_CHECKED
//   order-ptx: try_wait\.parity\.acquire\.cluster ; globaltimer ; waited_too_long
// kernel: wait_by_token -DTMA_CHECKED
//   order-ptx: try_wait\.shared::cta|try_wait\.acquire ; globaltimer ; waited_too_long
// kernel: ring -DTMA_CHECKED
//   order-ptx: try_wait\.parity ; globaltimer ; try_wait\.parity ; globaltimer
//
// A ring's threads are counted in before they meet, and out at its end.
// kernel: ring -DTMA_CHECKED
//   order-ptx: notes10enter_ring ; bar\.sync|barrier\.sync ; notes10leave_ring
//
// An arrival is noted before it is made, a copy before it is issued, a barrier before it is initialised.
// kernel: arrive -DTMA_CHECKED
//   order-ptx: notes11initialised ; mbarrier\.init ; notes8arrivals ; mbarrier\.arrive
// kernel: load -DTMA_CHECKED
//   order-ptx: notes6copies ; cp\.async\.bulk ; notes8arrivals ; mbarrier\.arrive\.expect_tx
#include <tma/tma.hpp>

#include <tma/device/barrier_forms.hpp>
#include <tma/device/cluster.hpp>

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using From = tma::TmaDescriptor<const float, 2, Tile>;
using Pipe = tma::Pipeline<3, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier full;
  tma::Mbarrier<4> counter;
};

extern "C" __global__ void wait() {
  auto [block, counted] = tma::this_block(tma::shared<Shared>().counter);
  counted.wait();
}

extern "C" __global__ void wait_in_cluster() {
  auto [cluster, counted] = tma::this_cluster(tma::shared<Shared>().counter);
  counted.wait();
}

extern "C" __global__ void wait_by_token() {
  auto& counter         = tma::shared<Shared>().counter;
  auto [block, counted] = tma::this_block(counter);
  counter.arrive_token().wait();
}

extern "C" __global__ void ring(const __grid_constant__ From in, float* out, int n) {
  Pipe  pipe(tma::shared<Pipe::Shared>());
  float sum = 0;
  pipe.for_each(n, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile& tile, int) { sum += tile[7]; });
  *out = sum;
}

extern "C" __global__ void arrive() {
  auto& counter         = tma::shared<Shared>().counter;
  auto [block, counted] = tma::this_block(counter);
  counter.arrive();
}

extern "C" __global__ void load(const __grid_constant__ From in) {
  auto& s            = tma::shared<Shared>();
  auto [block, full] = tma::this_block(s.full);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, s.tile, full);
}

// What must go wrong, one case a process: the context does not survive a fault. `gpu_negative CASE` ends with 0 where the
// expected fault, and no other, was seen. Built a second time with TMA_CHECKED, where the fault is a text and a trap.
#include <tma/tma.hpp>

#include <tma/device/cluster.hpp>
#include <tma/device/register_budget.hpp>

#include <cstring>

#include "../support/device.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<unsigned short, tma::Shape<8, 64>>;
using Map  = tma::TmaDescriptor<unsigned short, 2, Tile>;

__global__ void load_at(const __grid_constant__ Map from, tma::Coord<2> at) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, at, tile, arrived);
  for (int i = 0; i < 100000 && !arrived.is_complete(); ++i) {}
}

__global__ void store_at(const __grid_constant__ Map to, tma::Coord<2> at) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = 1;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, at, ready);
}

__global__ void bulk(tma::AlignedPointer<float> from) {
  struct Shared {
    tma::Buffer<float, 64> buffer;
    tma::LoadBarrier       barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from.chunk<64>(0), buffer, arrived);
  for (int i = 0; i < 100000 && !arrived.is_complete(); ++i) {}
}

__global__ void run_time_box(const __grid_constant__ tma::TmaDescriptor<unsigned short, 2> from) {
  struct Shared {
    Tile             tile, beyond;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, s.tile, arrived);
  for (int i = 0; i < 100000 && !arrived.is_complete(); ++i) {}
}

__global__ void too_many(const float* from) {
  struct Shared {
    tma::RaggedBuffer<float, 64> buffer;
    float                        beyond[64];
    tma::LoadBarrier             barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  tma::BulkCopy1D copy;
  copy.load(block, s.buffer, from, 65, arrived);
  for (int i = 0; i < 100000 && !arrived.is_complete(); ++i) {}
}

__global__ void for_256_threads(int* out) {
  auto block        = tma::this_block<256>();
  out[block.rank()] = block.size();
}

__global__ void too_few_warps(const __grid_constant__ Map from) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) { producer.next([&](auto stage) { stage.load(from, {0, 0}); }); }, tma::consumer_warps<4>,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}

__global__ void __launch_bounds__(512, 1) more_threads(const __grid_constant__ Map from) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0, 40>,
      [&](auto& producer) { producer.next([&](auto stage) { stage.load(from, {0, 0}); }); }, tma::consumer_warps<8, 232>,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}

// What a block of a cluster may get wrong at run time: `mistake` says which.
enum class Mistake : int { none, mask, rank, own_rank, own_memory, other_block, count };

__global__ void in_cluster(const __grid_constant__ tma::TmaDescriptor<const unsigned short, 2, Tile> from, Mistake mistake) {
  struct Shared {
    Tile             tile, other;
    tma::LoadBarrier barrier;
    tma::Mbarrier<3> counter;
    int              value;
  };
  auto& s                          = tma::shared<Shared>();
  auto [cluster, arrived, counted] = tma::this_cluster<2>(s.barrier, s.counter);
  auto ready                       = cluster.block().publish(s.tile);
  int  own                         = 0;
  if (mistake == Mistake::rank) (void)cluster.peer(s.value, 2);
  if (mistake == Mistake::own_memory) (void)cluster.peer(own, 1);
  if (mistake == Mistake::count) cluster.peer(s.counter, 1).arrive(4);
  if (auto issuer = cluster.elect()) {
    if (mistake == Mistake::mask) issuer.load(from, {0, 0}, s.tile, arrived, cluster.multicast(0b101));
    if (mistake == Mistake::own_rank)
      issuer.send(ready, cluster.peer(s.other, cluster.rank()), cluster.peer(arrived, cluster.rank()));
    if (mistake == Mistake::other_block && cluster.rank() == 0)
      issuer.send(ready, cluster.peer(s.other, 1), cluster.peer(arrived, 0));
  }
  for (int i = 0; i < 100000 && !arrived.is_complete(); ++i) {}
}

struct Case {
  const char* name;
  bool        checked;  // which of the two builds the case is for
  cudaError_t expected;
};

constexpr Case cases[] = {
    {"load_unaligned_column", false, cudaErrorIllegalInstruction},
    {"load_minus_one", false, cudaErrorIllegalInstruction},
    {"store_unaligned_column", false, cudaErrorIllegalInstruction},
    {"bulk_misaligned", false, cudaErrorMisalignedAddress},
    {"load_unaligned_column", true, cudaErrorLaunchFailure},
    {"store_unaligned_column", true, cudaErrorLaunchFailure},
    {"bulk_misaligned", true, cudaErrorLaunchFailure},
    {"run_time_box", true, cudaErrorLaunchFailure},
    {"too_many", true, cudaErrorLaunchFailure},
    {"block_size", true, cudaErrorLaunchFailure},
    {"too_few_warps", true, cudaErrorLaunchFailure},
    {"more_threads", true, cudaErrorLaunchFailure},
    {"no_cluster", true, cudaErrorLaunchFailure},
    {"mask_beyond", true, cudaErrorLaunchFailure},
    {"rank_beyond", true, cudaErrorLaunchFailure},
    {"sent_to_itself", true, cudaErrorLaunchFailure},
    {"peer_of_a_local", true, cudaErrorLaunchFailure},
    {"barrier_of_another_block", true, cudaErrorLaunchFailure},
    {"too_many_arrivals", true, cudaErrorLaunchFailure},
};

cudaError_t run(const char* name) {
  gpu::Array<unsigned short> tensor(64 * 256);
  gpu::Array<float>          line(256);
  gpu::Array<int>            out(1024);
  const auto                 map = tma::make_descriptor<Tile>(tma::TensorView{tensor.get(), {64, 256}});
  const auto                 is  = [&](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("load_unaligned_column")) tma::launch(load_at, {.grid = 1, .block = 32}, map, tma::Coord<2>{1, 4});
  if (is("load_minus_one")) tma::launch(load_at, {.grid = 1, .block = 32}, map, tma::Coord<2>{0, -1});
  if (is("store_unaligned_column")) tma::launch(store_at, {.grid = 1, .block = 32}, map, tma::Coord<2>{1, 1});
  if (is("bulk_misaligned")) tma::launch(bulk, {.grid = 1, .block = 32}, tma::assume_aligned(line.get() + 1));
  if (is("run_time_box"))
    tma::launch(run_time_box, {.grid = 1, .block = 32},
                tma::make_descriptor(tma::TensorView{tensor.get(), {64, 256}}, {16, 64}));
  if (is("too_many")) tma::launch(too_many, {.grid = 1, .block = 32}, line.get());
  if (is("block_size")) tma::launch(for_256_threads, {.grid = 1, .block = 128}, out.get());
  if (is("too_few_warps")) tma::launch(too_few_warps, {.grid = 1, .block = 128}, map);
  if (is("more_threads")) tma::launch(more_threads, {.grid = 1, .block = 512}, map);
  const auto clustered = [&](Mistake mistake, int cluster = 2) {
    tma::launch(in_cluster, {.grid = 2, .block = 32, .cluster = cluster}, map, mistake);
  };
  if (is("no_cluster")) clustered(Mistake::none, 1);
  if (is("mask_beyond")) clustered(Mistake::mask);
  if (is("rank_beyond")) clustered(Mistake::rank);
  if (is("sent_to_itself")) clustered(Mistake::own_rank);
  if (is("peer_of_a_local")) clustered(Mistake::own_memory);
  if (is("barrier_of_another_block")) clustered(Mistake::other_block);
  if (is("too_many_arrivals")) clustered(Mistake::count);
  return gpu::wait(10);
}

}  // namespace

int main(int argc, char** argv) {
  if (gpu::no_device_for(1)) return gpu::skipped;
  for (const Case& c : cases) {
    if (argc < 2 || std::strcmp(c.name, argv[1]) != 0 || c.checked != tma::detail::checked) continue;
    const cudaError_t e = run(c.name);
    std::printf("%s: %s, expected %s\n", c.name, cudaGetErrorName(e), cudaGetErrorName(c.expected));
    if (e != c.expected) return 1;
    // From here on every call says that an earlier kernel is to blame, and not this one.
    const auto again = tma::try_make_descriptor<Tile>(tma::TensorView{reinterpret_cast<unsigned short*>(4096), {64, 256}});
    if (again.error().kind() != tma::ErrorKind::context_failed) {
      std::printf("afterwards: %s%s", tma::error_kind_name(again.error().kind()), again.error().what());
      return 1;
    }
    return 0;
  }
  std::printf("no such case\n");
  return 2;
}

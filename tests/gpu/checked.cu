// Seeded faults, and what a checked build says of each: one case a process, for the context does not survive it.
// `gpu_checked CASE` ends with 0 where the kernel was stopped and the host was told all that is expected. The table of
// docs/checked-mode.md is the same list: `gpu_checked documented` compares them, and needs no device.
#include <tma/tma.hpp>

#include <tma/device/barrier_forms.hpp>
#include <tma/device/cluster.hpp>
#include <tma/host/synchronize.hpp>
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/store_ring.hpp>
#include <tma/pipeline/turns.hpp>

#include <cstring>
#include <fstream>
#include <string>

#include "../support/device.hpp"
#include "../support/gpu.hpp"

#if !defined(TMA_CHECKED)
#  error "these are reports of a checked build"
#endif

__global__ void in_another_file(int* out);  // checked_other.cu

namespace {

using Tile = tma::Tile<unsigned short, tma::Shape<8, 64>>;
using Map  = tma::TmaDescriptor<unsigned short, 2, Tile>;
using Pipe = tma::Pipeline<2, Tile>;

struct Shared {
  Tile                  tile, other;
  tma::LoadBarrier      full, second;
  tma::LoadBarrierOf<3> mixed;
  tma::Mbarrier<4>      counter;
  tma::Mbarrier<2>      never;
  unsigned              value;
};

// --- loads ---

enum class Loads {
  nothing_wrong,
  missing_arm,
  wrong_bytes,
  armed_twice,
  issued_twice,
  two_issuers,
  early_reuse,
  waits_twice,
  batch_open,
  on_its_way,
  unaligned_column,
  arrives_beyond
};

__global__ void loads(const __grid_constant__ Map from, Loads fault) {
  auto& s                    = tma::shared<Shared>();
  auto [block, full, second] = tma::this_block(s.full, s.second);
  auto [again, mixed]        = tma::this_block(s.mixed);
  const auto is              = [&](Loads f) { return fault == f; };
  const auto some            = tma::detail::IssuerAccess::make(block.rank() == 0 || block.rank() == 32);
  const auto issuer          = block.elect();
  const bool alone           = block.rank() == 0;
  if (is(Loads::nothing_wrong)) {
    if (issuer) tma::LoadBatch(issuer, full).load(from, {0, 0}, s.tile).load(from, {-8, 0}, s.other);
    full.wait();
    block.release(s.tile);
    if (issuer) issuer.load(from, {0, 0}, s.tile, full);
    full.wait();
  }
  if (is(Loads::missing_arm)) full.wait();
  if (is(Loads::wrong_bytes)) {
    if (issuer) tma::LoadBatch(issuer, full).load(from, {0, 0}, s.tile).expect(s.other);
    full.wait();
  }
  if (is(Loads::armed_twice) && issuer) {
    issuer.expect(s.tile, full);
    issuer.expect(s.tile, full);
  }
  if (is(Loads::issued_twice) && issuer) {
    issuer.expect(s.tile, full);
    issuer.load(from, {0, 0}, s.tile, full);
  }
  if (is(Loads::two_issuers)) {
    tma::LoadBatch batch(some, full);
    batch.load(from, {0, 0}, alone ? s.tile : s.other);
    block.sync();
  }
  if (is(Loads::early_reuse) && issuer) {
    tma::LoadBatch(issuer, full).load(from, {0, 0}, s.tile).expect(s.other);
    issuer.load(from, {0, 0}, s.tile, second);
  }
  if (is(Loads::waits_twice)) {
    if (issuer) issuer.load(from, {0, 0}, s.tile, full);
    full.wait();
    full.wait();
  }
  if (is(Loads::batch_open) && issuer) {
    tma::LoadBatch batch(issuer, full);
    batch.load(from, {0, 0}, s.tile);
    full.wait();
  }
  if (is(Loads::on_its_way) && issuer) tma::LoadBatch(issuer, full).load(from, {0, 0}, s.tile).expect(s.other);
  if (is(Loads::unaligned_column)) {
    if (issuer) issuer.load(from, {0, 4}, s.tile, full);
    full.wait();
  }
  if (is(Loads::arrives_beyond) && issuer) {
    issuer.expect(s.tile, mixed);
    for (int i = 0; i < 3; ++i) s.mixed.arrive();
  }
}

// --- where things lie ---

enum class Place { local, shared, global, tile };

__global__ void place(const __grid_constant__ Map from, unsigned char* global, Place fault) {
  struct Storage {
    alignas(128) unsigned char bytes[128 + sizeof(Tile)];
    alignas(128) unsigned char map[sizeof(Map)];
    Shared shared;
  };
  auto& s            = tma::shared<Storage>();
  auto [block, full] = tma::this_block(s.shared.full);
  alignas(128) unsigned char own[sizeof(Map)];
  unsigned char* const       copy = fault == Place::local ? own : fault == Place::shared ? s.map : global + 32;
  if (auto issuer = block.elect()) {
    for (unsigned i = 0; i < sizeof(Map); ++i) copy[i] = reinterpret_cast<const unsigned char*>(&from)[i];
    const Map& map  = fault == Place::tile ? from : *reinterpret_cast<const Map*>(copy);
    Tile&      tile = *reinterpret_cast<Tile*>(s.bytes + (fault == Place::tile ? 16 : 0));
    issuer.load(map, {0, 0}, tile, full);
  }
  full.wait();
}

__global__ void store_at(const __grid_constant__ Map to, tma::Coord<2> at) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, at, ready);
}

__global__ void bulk(tma::AlignedPointer<float> from) {
  struct Line {
    tma::Buffer<float, 64> buffer;
    tma::LoadBarrier       full;
  };
  auto& s            = tma::shared<Line>();
  auto [block, full] = tma::this_block(s.full);
  if (auto issuer = block.elect()) issuer.load(from.chunk<64>(0), s.buffer, full);
  full.wait();
}

__global__ void ragged(const float* from) {
  struct Line {
    tma::RaggedBuffer<float, 64> buffer;
    float                        beyond[64];
    tma::LoadBarrier             full;
  };
  auto& s            = tma::shared<Line>();
  auto [block, full] = tma::this_block(s.full);
  tma::BulkCopy1D copy;
  copy.load(block, s.buffer, from, 65, full);
  full.wait();
}

__global__ void run_time_box(const __grid_constant__ tma::TmaDescriptor<unsigned short, 2> from) {
  auto& s            = tma::shared<Shared>();
  auto [block, full] = tma::this_block(s.full);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, s.tile, full);
  full.wait();
}

__global__ void for_256_threads(int* out) {
  auto block        = tma::this_block<256>();
  out[block.rank()] = block.size();
}

// --- barriers between threads ---

enum class Arrivals { forgotten_release, nobody_arrives, before_init, after_end, token };

__global__ void arrivals(Arrivals fault) {
  auto& s               = tma::shared<Shared>();
  auto [block, counted] = tma::this_block(s.counter);
  const bool leads      = block.rank() % 32 == 0;
  if (fault == Arrivals::forgotten_release) {
    if (leads && block.rank() != 64) s.counter.arrive();
    counted.wait();
  }
  if (fault == Arrivals::nobody_arrives) counted.wait();
  if (fault == Arrivals::before_init && leads) s.never.arrive();
  if (fault == Arrivals::after_end) {
    tma::invalidate(block, s.counter);
    if (leads) s.counter.arrive();
  }
  if (fault == Arrivals::token && block.rank() == 0) s.counter.arrive_token().wait();
}

// --- clusters ---

enum class Cluster { mask_beyond, mask_misses, rank_beyond, no_cluster, stored_to_itself, added_to_itself };

__global__ void clusters(const __grid_constant__ tma::TmaDescriptor<const unsigned short, 2, Tile> from, Cluster fault) {
  auto& s              = tma::shared<Shared>();
  auto [cluster, full] = tma::this_cluster<2>(s.full);
  if (fault == Cluster::rank_beyond) (void)cluster.peer(s.tile, 2);
  if (cluster.rank() == 1 && cluster.block().rank() == 0) {
    const auto value = cluster.peer(s.value, 1);
    if (fault == Cluster::stored_to_itself) value.store_async(1, cluster.peer(s.full, 1));
    if (fault == Cluster::added_to_itself) value.reduce_async<tma::Reduction::add>(1, cluster.peer(s.full, 1));
  }
  if (auto issuer = cluster.elect()) {
    if (fault == Cluster::mask_beyond) issuer.load(from, {0, 0}, s.tile, full, cluster.multicast(0b101));
    if (fault == Cluster::mask_misses) {
      if (cluster.rank() == 0) issuer.load(from, {0, 0}, s.tile, full, cluster.multicast(0b01));
      else issuer.expect(s.tile, full);
    }
  }
  full.wait();
}

// --- pipelines ---

enum class Ring {
  consumers_stop,
  consumers_go_on,
  all_held,
  released_twice,
  committed_twice,
  read_after_release,
  loaded_twice,
  not_used
};

// The roles take as many steps as they are told; the ring has two stages.
__global__ void roles(const __grid_constant__ Map from, Ring fault) {
  const int filled = fault == Ring::consumers_stop ? 3 : 2;
  const int used = fault == Ring::consumers_stop ? 0 : fault == Ring::consumers_go_on ? 3 : fault == Ring::not_used ? 1 : 2;
  tma::specialize(
      tma::named("mainloop", tma::shared<Pipe::Shared>()), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < filled; ++i) producer.next([&](auto& stage) { stage.load(from, {0, 0}); });
        if (fault == Ring::all_held) producer.next([&](auto& stage) { stage.load(from, {0, 0}); });
        if (fault == Ring::loaded_twice)
          producer.next([&](auto& stage) {
            stage.load(from, {0, 0});
            stage.load(from, {8, 0});
          });
        if (fault == Ring::committed_twice) {
          auto stage = producer.acquire();
          stage.load(from, {0, 0});
          stage.commit();
          stage.commit();
        }
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        if (fault == Ring::all_held) {
          auto first = consumer.wait(), second = consumer.wait(), third = consumer.wait();
        } else if (fault == Ring::read_after_release) {
          auto stage = consumer.wait();
          stage.release();
          (void)stage[tma::slot<0>];
        } else {
          for (int i = 0; i < used; ++i)
            consumer.next([&](const Tile&, auto& stage) {
              stage.release();
              if (fault == Ring::released_twice) stage.release();
            });
        }
      });
}

// Two groups, of which one leaves and goes on all the same; or which take turns, and nobody tells them whose it is.
template <bool Leaves> __global__ void groups(const __grid_constant__ Map from) {
  const auto produce = [&](auto& producer) {
    for (int i = 0; i < 4; ++i) producer.next([&](auto& stage) { stage.load(from, {0, 0}); });
  };
  auto& ring = tma::shared<Pipe::Shared>();
  if constexpr (Leaves) {
    tma::specialize(ring, tma::producer_warp<0>, produce, tma::consumer_groups<2, 1>, [&](auto& consumer) {
      for (int i = 0; i < 4; ++i) {
        consumer.next([](const Tile&) {});
        if (i == 1 && consumer.group() == 1) consumer.leave();
      }
    });
  } else {
    tma::specialize(ring, tma::producer_warp<0>, produce, tma::taking_turns<2, 1>, [&](auto& consumer) {
      for (int i = 0; i < 4; ++i) {
        if (i % 2 != consumer.group()) consumer.skip();
        else consumer.next([](const Tile&) {});
      }
    });
  }
}

// The first of two groups takes no turn.
__global__ void turn(const __grid_constant__ Map from) {
  struct Storage {
    Pipe::Shared             ring;
    tma::Turns<2, 1>::Shared turns;
  };
  auto&            s = tma::shared<Storage>();
  tma::Turns<2, 1> turns(s.turns, "order");
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 2; ++i) producer.next([&](auto& stage) { stage.load(from, {0, 0}); });
      },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
        if (consumer.group() == 0) return;
        consumer.skip();
        turns.take(consumer, [&] { consumer.next([](const Tile&) {}); });
      });
}

// Warps that change what another loads, and stop before it does.
__global__ void workers(const __grid_constant__ tma::TmaDescriptor<const unsigned short, 2, Tile> from,
                        const __grid_constant__ Map                                               to) {
  using Ring = tma::InPlacePipeline<2, Tile>;
  tma::transform(
      tma::named("scale", tma::shared<Ring::Shared>()), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(2, [&](auto load, int) { load(from, {0, 0}); }, [&](auto store, int) { store(to, {0, 0}); });
      },
      tma::consumer_warps<2>, [&](auto& worker) { worker.next([](Tile&) {}); });
}

// A producer of two warps, of which one does nothing.
__global__ void idle_warp(const __grid_constant__ Map from) {
  using Both = tma::Pipeline<2, Tile, tma::ByThreads<tma::Buffer<int, 64>>>;
  tma::specialize(
      tma::named("scales", tma::shared<Both::Shared>()), tma::producer_warps<2>,
      [&](auto& producer) {
        if (producer.rank() < 32)
          producer.next([&](auto& stage) {
            stage.load(from, {0, 0});
            stage[tma::slot<1>][producer.rank()] = 1;
          });
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&, const auto&) {}); });
}

using Both     = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;
using SliceMap = tma::TmaDescriptor<const unsigned short, 2, tma::slice_t<Tile, 2>>;

// Of two blocks that load for one another the second takes two steps.
__global__ void shared_parts(const __grid_constant__ SliceMap from, int steps) {
  if (blockIdx.x == 1) steps = 2;
  tma::specialize(
      tma::named("mainloop", tma::shared<Both::Shared>()), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) producer.next([&](auto& stage) { stage.load(from, {0, 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        for (int i = 0; i < steps; ++i) consumer.next([](const Tile&) {});
      });
}

// --- store rings ---

enum class Stores { forgotten, twice };

__global__ void stores(const __grid_constant__ Map to, Stores fault) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block, "results");
  auto           stage = out.acquire();
  for (auto& x : block.elements(*stage)) x = 1;
  if (fault == Stores::twice) {
    stage.store(to, {0, 0});
    stage.store(to, {8, 0});
  }
}

// --- the table ---

struct Case {
  const char* name;
  const char* says;  // the first of these parts stands in the document
  const char* also     = "";
  const char* and_also = "";
};

constexpr Case cases[] = {
    {"nothing_wrong", ""},
    {"missing_arm", "nobody armed this phase: no load, batch or expect was issued for it", "waited more than 200 ms",
     "0 of 1 arrival made"},
    {"wrong_bytes", "copies issued 1024 B: the rest was announced (expect)", "1024 issued in 1 copy by thread",
     "in hardware: 0 of 1 arrival pending; bytes: 2048 armed, 1024 landed, 1024 outstanding"},
    {"armed_twice", "this phase is armed already and has not completed", "(found 2)"},
    {"issued_twice", "a copy is issued for a phase that has all its arrivals", "(found 1024)"},
    {"two_issuers", "the copies of one phase are issued by one thread, and another has issued some"},
    {"early_reuse", "a load goes where an earlier one, which completes on this barrier, has not arrived yet"},
    {"waits_twice", "or does this thread wait once too often?", "nobody armed this phase", "parity 1"},
    {"batch_open", "or a batch that has not ended", "1 of 1 arrival not made",
     "in hardware: 1 of 1 arrival pending; bytes: 0 armed, 1024 landed, 1024 not armed yet"},
    {"on_its_way", "the block ends with a load on its way", "(found 1024)"},
    {"unaligned_column", "the innermost coordinate times the element size must be a multiple of 16 bytes", "(found 4)"},
    {"arrives_beyond", "this phase has all its arrivals already and has not completed", "(found 4)"},
    {"descriptor_in_local", "the descriptor lies in local memory, where the copy engine cannot read it"},
    {"descriptor_in_shared", "the descriptor lies in shared memory, where the copy engine cannot read it"},
    {"descriptor_misaligned", "a descriptor lies at a multiple of 64 bytes", "(found 32)"},
    {"tile_misaligned", "the tile does not lie as its type asks in shared memory", "(found 16)"},
    {"store_unaligned_column", "start the tile at an aligned element and use the part of it that is wanted", "(found 1)"},
    {"store_negative", "a store begins at coordinates of at least 0", "(found -8)"},
    {"bulk_misaligned", "the source of a bulk copy must be a multiple of 16", "(found 4)"},
    {"ragged_too_long", "the count is 0 to the size of the buffer", "(found 65)"},
    {"box_too_large", "the tile does not hold the descriptor's box", "(found 2048)"},
    {"block_size", "this kernel is written for another block size", "(found 128)"},
    {"in_another_file", "(found 96)", "this kernel is written for another block size"},
    {"forgotten_release", "1 of 4 arrivals not made: a forgotten release or arrive()",
     "3 of 4 arrivals made by warps 0, 1, 3", "in hardware: 1 of 4 arrivals pending\n"},
    {"nobody_arrives", "nobody arrived in this phase; is a release or an arrive() left out"},
    {"before_init", "the barrier is used before it is initialised"},
    {"after_end", "the barrier is used after its end"},
    {"token", "phase wanted: that of a token", "1 of 4 arrivals made by warp 0"},
    {"mask_beyond", "a multicast goes to blocks of the cluster", "(found 5)"},
    {"mask_misses", "does another block's multicast or send name this one?", "armed 1024 B, copies issued 0 B",
     "block (1, 0, 0)"},
    {"rank_beyond", "a block's rank is 0 to the size of its cluster - 1", "(found 2)"},
    {"stored_to_itself",
     "the destination of an asynchronous store (st.async, red.async) must be in another block of the cluster", "(found 1)"},
    {"added_to_itself",
     "the destination of an asynchronous store (st.async, red.async) must be in another block of the cluster", "(found 1)"},
    {"no_cluster", "this kernel is written for another cluster", "(found 1)"},
    {"too_few_warps", "the block has fewer warps than the roles need", "(found 128)"},
    {"consumers_stop", "(producer) waited more than 200 ms for empty[0]", "nobody arrived in this phase", "warp 0"},
    {"consumers_go_on", "(consumer) waited more than 200 ms for full[0]", "nobody armed this phase"},
    {"all_held", "and the warp that should waits itself, for another barrier", "also waiting: warp "},
    {"released_twice", "a stage is released once"},
    {"committed_twice", "a stage is committed once"},
    {"read_after_release", "the parts of a stage are read until it is released"},
    {"loaded_twice", "a load goes where an earlier one, which completes on this barrier, has not arrived yet",
     "full[0] of \"mainloop\""},
    {"stage_not_used", "the pipeline ends with a stage that was filled and not used", "full[1] of \"mainloop\"",
     "(found 1)"},
    {"leaves_and_goes_on", "a group that has left calls nothing more of the pipeline", "(found 1)"},
    {"out_of_turn", "a group that takes turns waits for its stages in its turn"},
    {"idle_producer", "a producer, or a warp of one, that does not take this step", "1 of 3 arrivals not made",
     "full[0] of \"scales\""},
    {"pipeline_without_cluster", "this pipeline is written for another cluster", "(found 1)"},
    {"block_takes_fewer_steps", "does another block's multicast or send name this one?", "full[0] of \"mainloop\"",
     "in hardware: 0 of 1 arrival pending; bytes: 1024 armed, 512 landed, 512 outstanding"},
    {"workers_stop", "(mover) waited more than 200 ms for done[1]", "done[1] of \"scale\"", "nobody arrived in this phase"},
    {"turn_missed", "(consumer) waited more than 200 ms for turn of group 1", "turn of group 1 of \"order\"",
     "nobody arrived in this phase"},
    {"store_forgotten", "a stage that was acquired is stored or skipped"},
    {"stored_twice", "a stage is stored or skipped once, and not used after that"},
};

void launch(const std::string& name) {
  gpu::Array<unsigned short> tensor(64 * 256);
  gpu::Array<unsigned char>  global(1024);
  gpu::Array<float>          line(256);
  gpu::Array<int>            out(1024);
  const Map                  map    = tma::make_descriptor<Tile>(tma::TensorView{tensor.get(), {64, 256}});
  const SliceMap             slices = tma::make_descriptor<tma::slice_t<Tile, 2>>(
      tma::TensorView{static_cast<const unsigned short*>(tensor.get()), {64, 256}});
  const auto is      = [&](const char* other) { return name == other; };
  const auto blocks  = [](int threads) { return tma::LaunchConfig{.grid = 1, .block = threads}; };
  const auto load    = [&](Loads fault) { tma::launch(loads, blocks(64), map, fault); };
  const auto lie     = [&](Place fault) { tma::launch(place, blocks(32), map, global.get(), fault); };
  const auto arrive  = [&](Arrivals fault) { tma::launch(arrivals, blocks(128), fault); };
  const auto ring    = [&](Ring fault, int threads = 160) { tma::launch(roles, blocks(threads), map, fault); };
  const auto cluster = [&](Cluster fault, int size = 2) {
    tma::launch(clusters, {.grid = 2, .block = 32, .cluster = size}, map, fault);
  };
  if (is("nothing_wrong")) load(Loads::nothing_wrong);
  if (is("missing_arm")) load(Loads::missing_arm);
  if (is("wrong_bytes")) load(Loads::wrong_bytes);
  if (is("armed_twice")) load(Loads::armed_twice);
  if (is("issued_twice")) load(Loads::issued_twice);
  if (is("two_issuers")) load(Loads::two_issuers);
  if (is("early_reuse")) load(Loads::early_reuse);
  if (is("waits_twice")) load(Loads::waits_twice);
  if (is("batch_open")) load(Loads::batch_open);
  if (is("on_its_way")) load(Loads::on_its_way);
  if (is("unaligned_column")) load(Loads::unaligned_column);
  if (is("arrives_beyond")) load(Loads::arrives_beyond);
  if (is("descriptor_in_local")) lie(Place::local);
  if (is("descriptor_in_shared")) lie(Place::shared);
  if (is("descriptor_misaligned")) lie(Place::global);
  if (is("tile_misaligned")) lie(Place::tile);
  if (is("store_unaligned_column")) tma::launch(store_at, blocks(32), map, tma::Coord<2>{1, 1});
  if (is("store_negative")) tma::launch(store_at, blocks(32), map, tma::Coord<2>{-8, 0});
  if (is("bulk_misaligned")) tma::launch(bulk, blocks(32), tma::assume_aligned(line.get() + 1));
  if (is("ragged_too_long")) tma::launch(ragged, blocks(32), line.get());
  if (is("box_too_large"))
    tma::launch(run_time_box, blocks(32), tma::make_descriptor(tma::TensorView{tensor.get(), {64, 256}}, {16, 64}));
  if (is("block_size")) tma::launch(for_256_threads, blocks(128), out.get());
  if (is("in_another_file")) tma::launch(in_another_file, blocks(96), out.get());
  if (is("forgotten_release")) arrive(Arrivals::forgotten_release);
  if (is("nobody_arrives")) arrive(Arrivals::nobody_arrives);
  if (is("before_init")) arrive(Arrivals::before_init);
  if (is("after_end")) arrive(Arrivals::after_end);
  if (is("token")) arrive(Arrivals::token);
  if (is("mask_beyond")) cluster(Cluster::mask_beyond);
  if (is("mask_misses")) cluster(Cluster::mask_misses);
  if (is("rank_beyond")) cluster(Cluster::rank_beyond);
  if (is("stored_to_itself")) cluster(Cluster::stored_to_itself);
  if (is("added_to_itself")) cluster(Cluster::added_to_itself);
  if (is("no_cluster")) cluster(Cluster::no_cluster, 1);
  if (is("too_few_warps")) ring(Ring::consumers_go_on, 128);
  if (is("consumers_stop")) ring(Ring::consumers_stop);
  if (is("consumers_go_on")) ring(Ring::consumers_go_on);
  if (is("all_held")) ring(Ring::all_held);
  if (is("released_twice")) ring(Ring::released_twice);
  if (is("committed_twice")) ring(Ring::committed_twice);
  if (is("read_after_release")) ring(Ring::read_after_release);
  if (is("loaded_twice")) ring(Ring::loaded_twice);
  if (is("stage_not_used")) ring(Ring::not_used);
  if (is("leaves_and_goes_on")) tma::launch(groups<true>, blocks(96), map);
  if (is("out_of_turn")) tma::launch(groups<false>, blocks(96), map);
  if (is("idle_producer")) tma::launch(idle_warp, blocks(128), map);
  if (is("pipeline_without_cluster")) tma::launch(shared_parts, blocks(96), slices, 2);
  if (is("block_takes_fewer_steps")) tma::launch(shared_parts, {.grid = 2, .block = 96, .cluster = 2}, slices, 3);
  if (is("turn_missed")) tma::launch(turn, blocks(96), map);
  if (is("workers_stop"))
    tma::launch(workers, blocks(96),
                tma::make_descriptor<Tile>(tma::TensorView{static_cast<const unsigned short*>(tensor.get()), {64, 256}}),
                map);
  if (is("store_forgotten")) tma::launch(stores, blocks(32), map, Stores::forgotten);
  if (is("stored_twice")) tma::launch(stores, blocks(32), map, Stores::twice);
  gpu::wait(10);
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Every case has a line of the document, with its report's words.
int documented() {
  std::ifstream file(TMA_DOCUMENT);
  std::string   all;
  for (std::string line; std::getline(file, line);) all += line + '\n';
  int missing = all.empty();
  for (const Case& c : cases) {
    if (!*c.says) continue;
    const auto at   = all.find("gpu/checked_" + std::string(c.name) + "`");
    const auto from = at == std::string::npos ? at : all.rfind('\n', at) + 1;
    if (at == std::string::npos || !contains(all.substr(from, at - from), c.says))
      std::printf("%s: no line with gpu/checked_%s and: %s\n", TMA_DOCUMENT, c.name, c.says), ++missing;
  }
  return missing ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc < 2 ? "" : argv[1];
  if (name == "documented") return documented();
  if (gpu::no_device_for(1)) return gpu::skipped;
  for (const Case& c : cases) {
    if (name != c.name) continue;
    launch(name);
    const tma::Error error    = tma::try_synchronize();
    const bool       expected = *c.says ? error.kind() == tma::ErrorKind::kernel_stopped : !error;
    std::printf("%s: %s\n%s", c.name, tma::error_kind_name(error.kind()), error.what());
    for (const char* part : {c.says, c.also, c.and_also})
      if (!contains(error.what(), part)) return std::printf("NOT SAID: %s\n", part), 1;
    return expected ? 0 : 1;
  }
  std::printf("no such case\n");
  return 2;
}

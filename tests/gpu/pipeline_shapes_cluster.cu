// Pipelines whose tiles the blocks of a cluster load for one another: clusters of 1, 2 and 4, by the checks of the matrix.
#include <tma/pipeline/cluster_parts.hpp>

#include "pipeline_shapes.hpp"

namespace shapes {

// The numbers of a Wide, in a tile that is cut into slices of one row.
using Flat                           = tma::Tile<int, tma::Shape<4, 32>>;
template <int Blocks> using SliceMap = tma::TmaDescriptor<const int, 2, tma::slice_t<Flat, Blocks>>;

}  // namespace shapes

template <> inline constexpr int matrix::columns<shapes::Flat> = 32;

namespace shapes {

// A tile for all blocks, a buffer of each block's own, and a value.
template <int Blocks, int Stages>
using Pipe = tma::Pipeline<Stages, tma::SharedInCluster<Flat, tma::ClusterShape<1, Blocks>>, Line, tma::Meta<int>>;
using Both = Parts_<Flat, Line>;

// A tile that blocks share is loaded by all of them or by none.
template <int Blocks, class Stage>
TMA_DEVICE void fill(const Stage& stage, const SliceMap<Blocks>& flat, const Arguments& a, int g) {
  const int tile = a.c.tile(a.cluster(), g);
  if (a.c.loads(0, g)) stage.load(flat, {tile * 4, 0}, tma::slot<0>);
  if (a.c.loads(1, g)) stage.load(a.line.template chunk<60>(tile));
  stage.meta() = g;
}

template <int Blocks, int Stages>
__global__ void in_cluster(const __grid_constant__ SliceMap<Blocks> flat, const Arguments a) {
  tma::specialize(
      tma::shared<typename Pipe<Blocks, Stages>::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) { fill<Blocks>(stage, flat, a, g); });
        }
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        Checker<Stages, Both> check(a, consumer.rank(), consumer.size());
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g)
          consumer.next([&](const Flat& f, const Line& l, const int& step) {
            check.is(step == g);
            check(f, l);
          });
        check.end();
      });
}

// The same by all threads of all blocks, over several loops.
template <int Blocks, int Stages>
__global__ void in_cluster_by_all(const __grid_constant__ SliceMap<Blocks> flat, const Arguments a) {
  Pipe<Blocks, Stages>  pipe(tma::shared<typename Pipe<Blocks, Stages>::Shared>());
  Checker<Stages, Both> check(a, int(threadIdx.x), int(blockDim.x));
  int                   before = 0;
#pragma unroll 1
  for (int l = 0; l < a.c.loops; ++l) {
    pipe.for_each(
        a.c.trips(l),
        [&](const auto& stage, int i) {
          delay(a.c, Role::producer, before + i);
          fill<Blocks>(stage, flat, a, before + i);
        },
        [&](const Flat& f, const Line& l, const int& step, int i) {
          check.is(step == before + i);
          check(f, l);
        });
    before += a.c.trips(l);
  }
  check.end();
}

// Two groups use every stage, and free it as one; clusters end at different times.
template <int Blocks, int Stages>
__global__ void in_cluster_by_groups(const __grid_constant__ SliceMap<Blocks> flat, const Arguments a) {
  Arguments mine = a;
  if (a.cluster() % 2) mine.c.steps = a.c.steps / 2;  // what this cluster sees is known as well
  tma::specialize(
      tma::shared<typename Pipe<Blocks, Stages>::Shared>(), tma::producer_warp<2>,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < mine.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) { fill<Blocks>(stage, flat, mine, g); });
        }
      },
      tma::consumer_groups<2, 1, 0, tma::ReleaseBy::group>,
      [&](auto& consumer) {
        // The odd clusters' steps are checked, and not counted.
        Checker<Stages, Both> check(mine, consumer.rank(), consumer.size(), consumer.group() == 0);
#pragma unroll 1
        for (int g = 0; g < mine.c.all_steps(); ++g)
          consumer.next([&](const Flat& f, const Line& l, const int&) { check(f, l); });
        check.end(a.cluster() % 2 == 0);
      });
}

template <int Blocks, int Stages> void check_clusters() {
  Sources    in;
  const auto flat = tma::make_descriptor<tma::slice_t<Flat, Blocks>>(
      tma::TensorView{static_cast<const int*>(in.wide.get()), {tiles * 4, 32}});
  auto all = cases_of(Stages);
  if (gpu::small_runs()) all.resize(Blocks == 4 || Stages > 2 ? 1 : 2);  // a cluster is many threads to the machine
  run_with<Both>(in, in_cluster<Blocks, Stages>, {"roles in clusters", Stages, 96, all, Blocks}, once, flat);
  run_with<Both>(in, in_cluster_by_all<Blocks, Stages>, {"clusters by all", Stages, 64, all, Blocks}, once, flat);
  // By two groups, in every second cluster.
  run_with<Both>(in, in_cluster_by_groups<Blocks, Stages>, {"groups in clusters", Stages, 96, all, Blocks}, once, flat);
}

}  // namespace shapes

using namespace shapes;

TEST_CASE("a cluster of one") {
  for_all_stages([](auto n) { check_clusters<1, n()>(); });
}
TEST_CASE("a cluster of two") {
  for_all_stages([](auto n) { check_clusters<2, n()>(); });
}
TEST_CASE("a cluster of four") {
  for_all_stages([](auto n) { check_clusters<4, n()>(); });
}

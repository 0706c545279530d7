#include "model.cuh"
#include "search.cuh"

namespace overlap {

namespace {

constexpr int tile_elements = 2048;

template <int Stages> Depth depth(const Job& job) {
  const auto     kernel = sweep::pipe<threads, tile_elements, Stages, sweep::Traffic::read>;
  const unsigned shared = tma::shared_bytes<typename sweep::BulkRing<tile_elements, Stages>::Shared>;
  const auto     in     = tma::aligned(job.in[0]);
  return {Stages, [=](int fma) {
            tma::launch(kernel, {.grid = job.multiprocessors, .block = threads, .shared = shared}, in, job.out,
                        sweep::Work{int(job.elements / tile_elements), 0}, fma);
          }};
}

}  // namespace

std::vector<Depth> depths(const Job& job) { return {depth<1>(job), depth<2>(job), depth<4>(job), depth<8>(job)}; }

}  // namespace overlap

#include "model.cuh"
#include "search.cuh"

namespace overlap {

namespace {

constexpr int tile_elements = 2048;

// What differs between the curves: `Stages` ahead of use; a stage given back before the work on it, or after; tiles from memory,
// or the same one again and again, so that the work is all there is to wait for.
template <int Stages, bool Early, bool Resident>
__global__ void __launch_bounds__(threads)
    stream(tma::AlignedPointer<const float> in, float* out, sweep::Work work, int fma) {
  using Ring = sweep::BulkRing<tile_elements, Stages>;
  Ring                              ring(tma::shared<typename Ring::Shared>());
  const sweep::Share                share(work);
  sweep::Sink<sweep::Traffic::read> sink{out, fma};
  const auto                        tile = [&](int i) { return Resident ? share.first : share.tile(i); };
  ring.for_each(
      share.count, [&](auto load, int i) { load(in.chunk<tile_elements>(tile(i))); },
      [&](const auto& loaded, int, auto& stage) {
        const sweep::Taken<threads, tile_elements> taken(loaded, int(threadIdx.x));
        if constexpr (Early) stage.release();
        taken.give(sink, int(threadIdx.x), [](int) { return std::size_t(0); });
        if constexpr (!Early) stage.release();
      });
  sink.finish();
}

template <int Stages, bool Early, bool Resident> Depth depth(const char* name, const Job& job) {
  const auto     kernel = stream<Stages, Early, Resident>;
  const unsigned shared = tma::shared_bytes<typename sweep::BulkRing<tile_elements, Stages>::Shared>;
  const auto     in     = tma::aligned(job.in[0]);
  return {name, Stages * tile_elements * 4, [=](int fma) {
            tma::launch(kernel, {.grid = job.multiprocessors, .block = threads, .shared = shared}, in, job.out,
                        sweep::Work{int(job.elements / tile_elements), 0}, fma);
          }};
}

}  // namespace

std::vector<Depth> depths(const Job& job) {
  return {depth<8, true, true>("work alone", job),
          depth<1, false, false>("one after the other", job),
          depth<2, false, false>("2 stages", job),
          depth<4, false, false>("4 stages", job),
          depth<8, false, false>("8 stages", job),
          depth<1, true, false>("1 stage given back early", job),
          depth<2, true, false>("2 stages given back early", job)};
}

}  // namespace overlap

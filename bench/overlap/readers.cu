#include "search.cuh"

namespace overlap {

std::vector<Candidate> readers(const Job& job) {
  std::vector<Candidate> all;
  each_ring<1>([&]<int Elements, int Stages>() {
    const auto        kernel = sweep::pipe<threads, Elements, Stages, sweep::Traffic::read>;
    const unsigned    shared = tma::shared_bytes<typename sweep::BulkRing<Elements, Stages>::Shared>;
    const int         fit    = fitting(kernel, shared);
    const sweep::Work work{int(job.elements / Elements), 0};
    const auto        in = tma::aligned(job.in[0]);
    for (const int blocks : shares)
      if (blocks <= fit)
        all.push_back({{true, Elements * 4, Stages, blocks}, double(blocks) * Elements * 4 * Stages, [=](int fma) {
                         tma::launch(kernel, {.grid = blocks * job.multiprocessors, .block = threads, .shared = shared}, in,
                                     job.out, work, fma);
                       }});
  });
  return all;
}

}  // namespace overlap

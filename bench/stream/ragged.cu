// Copies between pointers that are aligned to their elements alone.
#include "ours.cuh"
#include "plain.cuh"

namespace stream {

template <class T> void add_ragged(Variants& to, const Arrays<T>& s, bool alike) {
  const auto add_ours = [&]<int Bytes, int Threads>(int blocks) {
    constexpr int count  = Bytes / int(sizeof(T));
    const auto    kernel = ragged<T, count, Threads>;
    const int     shared = shared_for(kernel, blocks);
    char          name[96];
    std::snprintf(name, sizeof name, "tma::BulkCopy1D: a block a tile of %g KiB; %d threads x %d", Bytes / 1024., Threads,
                  blocks);
    to.push_back({name,
                  harness::Kind::ours,
                  [=](int) {
                    tma::launch(kernel,
                                {.grid   = (s.n + elements_past_boundary(s.y) + count - 1) / count,
                                 .block  = Threads,
                                 .shared = tma::detail::u64(shared)},
                                s.a, s.y, s.n);
                  },
                  {},
                  double(Bytes) * blocks});
  };
  add_ours.template operator()<4096, 128>(12);
  add_ours.template operator()<4096, 128>(16);
  add_ours.template operator()<8192, 256>(6);
  constexpr int     each = 4, threads = 256;
  to.push_back({"plain: an element at a time", harness::Kind::plain, [=](int) {
                  plain_elements<T, each, threads>
                      <<<unsigned((s.n + each * threads - 1) / (each * threads)), threads>>>(s.a, s.y, s.n);
                  harness::require(cudaGetLastError(), "plain");
                }});
  if (!alike) return;
  constexpr int block = 128;
  to.push_back({"plain: 16 B at a time but for the ends", harness::Kind::plain, [=](int) {
                  plain_alike<T, block><<<unsigned((s.n / per_vector<T> + block - 1) / block), block>>>(s.a, s.y, s.n);
                  harness::require(cudaGetLastError(), "plain");
                }});
}

template void add_ragged<char>(Variants&, const Arrays<char>&, bool);
template void add_ragged<__half>(Variants&, const Arrays<__half>&, bool);
template void add_ragged<float>(Variants&, const Arrays<float>&, bool);

}  // namespace stream

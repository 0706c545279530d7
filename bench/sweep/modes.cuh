// The modes of the sweep as launches: a problem in, functions out that run one mode of it each.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "kernels.cuh"
#include "options.hpp"

namespace sweep {

struct Problem {
  std::size_t  n;
  Work         work;
  int          blocks, threads;
  const float* in;
  float*       out;
};

using Run = std::function<void(int fma)>;

// Boxes are `rows` rows of 32: a matrix that holds whole ones, as square as powers of two allow. Its columns' logarithm.
inline int columns_log2_for(std::size_t n, int rows) {
  int best = 5;
  for (int k = 5; k < 31 && (std::size_t(1) << (2 * k)) <= n; ++k)
    if (n % ((std::size_t(1) << k) * std::size_t(rows)) == 0) best = k;
  return best;
}

// What every element becomes.
inline float expected_of(float x, int fma) {
  for (int f = 0; f < fma; ++f) x = std::fma(x, factor, term);
  return x;
}

template <int Threads> std::vector<Run> modes_of_block(const Problem& p) {
  constexpr int   E            = tile_elements;
  constexpr auto  copy         = Traffic::copy;
  const auto      in           = tma::aligned(p.in);
  const int       columns_log2 = columns_log2_for(p.n, E / 32);
  const long long columns      = 1ll << columns_log2;
  const auto map = tma::make_descriptor<Box<E>>(tma::TensorView{p.in, {static_cast<long long>(p.n) / columns, columns}});
  const BoxOrder<E> order{columns_log2 - 5};
  const auto        go = [=](auto kernel, int threads, unsigned shared, auto... arguments) {
    return Run(
        [=](int fma) { tma::launch(kernel, {.grid = p.blocks, .block = threads, .shared = shared}, arguments..., fma); });
  };
  const auto one_dimensional = [&](auto kernel, auto in_or_pointer, unsigned shared = 0, int more = 0) {
    return go(kernel, Threads + more, shared, in_or_pointer, p.out, p.work);
  };
  return {
      one_dimensional(sync_loads<Threads, E, copy>, p.in),
      one_dimensional(bulk_wait<Threads, E, copy>, in),
      go(tensor_wait<Threads, E, copy>, Threads, 0, map, p.out, p.work, order),
      one_dimensional(pipe<Threads, E, 2, copy>, in, tma::shared_bytes<typename BulkRing<E, 2>::Shared>),
      one_dimensional(cp_async<Threads, E, 4, copy>, p.in),
      one_dimensional(pipe<Threads, E, 4, copy>, in, tma::shared_bytes<typename BulkRing<E, 4>::Shared>),
      one_dimensional(pipe<Threads, E, 8, copy>, in, tma::shared_bytes<typename BulkRing<E, 8>::Shared>),
      one_dimensional(pipe<Threads, E, 16, copy>, in, tma::shared_bytes<typename BulkRing<E, 16>::Shared>),
      go(tensor_pipe<Threads, E, 4, copy>, Threads, tma::shared_bytes<typename TensorRing<E, 4>::Shared>, map, p.out, p.work,
         order),
      one_dimensional(warp_specialized<Threads, E, 8, copy>, in, tma::shared_bytes<typename BulkRing<E, 8>::Shared>, 32),
  };
}

// In the order of mode_names().
inline std::vector<Run> modes(const Problem& p) {
  return p.threads == 128 ? modes_of_block<128>(p) : p.threads == 256 ? modes_of_block<256>(p) : modes_of_block<512>(p);
}

// A kernel that only reads, with its share of the device.
struct Reader {
  static constexpr int threads = 256;

  int stages, elements, blocks_per_sm, blocks;
  Run run;
};

template <int Elements, int Stages> void add_readers(std::vector<Reader>& to, const Problem& p, int multiprocessors) {
  if (p.n % Elements != 0) return;
  for (int per_sm : {1, 2, 4}) {
    if (sizeof(typename BulkRing<Elements, Stages>::Shared) * std::size_t(per_sm) > 200 * 1024) continue;
    const int  blocks = multiprocessors * per_sm;
    const Work work{int(p.n / Elements), 0};
    to.push_back({Stages, Elements, per_sm, blocks, [=](int fma) {
                    tma::launch(pipe<Reader::threads, Elements, Stages, Traffic::read>,
                                {.grid   = blocks,
                                 .block  = Reader::threads,
                                 .shared = tma::shared_bytes<typename BulkRing<Elements, Stages>::Shared>},
                                tma::aligned(p.in), p.out, work, fma);
                  }});
  }
}

// Of the tiles that divide the problem.
inline std::vector<Reader> readers(const Problem& p, int multiprocessors) {
  std::vector<Reader> all;
  add_readers<1024, 2>(all, p, multiprocessors);
  add_readers<1024, 4>(all, p, multiprocessors);
  add_readers<1024, 8>(all, p, multiprocessors);
  add_readers<4096, 2>(all, p, multiprocessors);
  add_readers<4096, 4>(all, p, multiprocessors);
  add_readers<4096, 8>(all, p, multiprocessors);
  add_readers<8192, 2>(all, p, multiprocessors);
  add_readers<8192, 4>(all, p, multiprocessors);
  add_readers<8192, 6>(all, p, multiprocessors);
  return all;
}

}  // namespace sweep

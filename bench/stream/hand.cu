// The structure of `once` in PTX: copies that no thread touches, and triads that threads write.
#include "../harness/ptx.cuh"
#include "ops.hpp"
#include "ours.cuh"

namespace stream {
namespace {

using namespace by_hand;

template <class Op, int Bytes, Writes By, int Threads>
__global__ void __launch_bounds__(Threads) by_hand_once(const float* a, const float* b, float* y, Op op) {
  constexpr int                 count = Bytes / 4, last = Op::inputs - 1;
  __shared__ alignas(128) float in[Op::inputs][count];
  __shared__ u64                full;
  if (threadIdx.x == 0) {
    init(address(&full), 1);
    fence_init();
  }
  __syncthreads();
  const long long at = (long long)(blockIdx.x) * count;
  if (threadIdx.x < 32 && elect()) {
    const u64 policy = evict_last();
    by_hand::load(address(in[0]), a + at, unsigned(Bytes), address(&full), policy);
    if (last > 0) by_hand::load(address(in[last]), b + at, unsigned(Bytes), address(&full), policy);
    arm(address(&full), Bytes * Op::inputs);
    if (Op::moves && By == Writes::engine) {
      wait(address(&full), 0);
      by_hand::store(y + at, address(in[0]), unsigned(Bytes));
      commit();
      wait_read<0>();
    }
  }
  if (Op::moves && By == Writes::engine) return;
  wait(address(&full), 0);
  using V        = tma::Vec<float, 4>;
  const auto* x  = reinterpret_cast<const V*>(in[0]);
  const auto* z  = reinterpret_cast<const V*>(in[last]);
  auto* const to = reinterpret_cast<V*>(By == Writes::engine ? in[0] : y + at);
#pragma unroll
  for (int v = int(threadIdx.x); v < count / 4; v += Threads) to[v] = apply(op, x[v], z[v]);
  if (By == Writes::threads) return;
  fence_proxy();
  __syncthreads();
  if (threadIdx.x < 32 && elect()) {
    by_hand::store(y + at, address(in[0]), unsigned(Bytes));
    commit();
    wait_read<0>();
  }
}

template <int Bytes, Writes By, int Threads, class Op>
void add(Variants& to, const Arrays<float>& s, const Op& op, int blocks) {
  const auto kernel = by_hand_once<Op, Bytes, By, Threads>;
  const int  shared = shared_for(kernel, blocks);
  char       name[96];
  std::snprintf(name, sizeof name, "by hand: a block a tile of %g KiB x %d: engine loads evict_last%s", Bytes / 1024.,
                blocks, By == Writes::engine ? "; engine stores" : "; threads store");
  to.push_back({name,
                harness::Kind::hand,
                [=](int round) {
                  const long long at = s.at(round);
                  kernel<<<unsigned(s.n / (Bytes / 4)), Threads, std::size_t(shared)>>>(s.a + at, s.b + at, s.y + at, op);
                  harness::require(cudaGetLastError(), "by hand");
                },
                {},
                double(Bytes) * Op::inputs * blocks});
}

}  // namespace

template <class T, class Op> void add_hand(Variants& to, const Arrays<T>& s, const Op& op) {
  if constexpr (Op::inputs == 2) add<2048, Writes::threads, 64>(to, s, op, 12);
  else add<2048, Writes::engine, Op::moves ? 32 : 64>(to, s, op, 20);
}

template void add_hand(Variants&, const Arrays<float>&, const Copy<float>&);
template void add_hand(Variants&, const Arrays<float>&, const Scale<float>&);
template void add_hand(Variants&, const Arrays<float>&, const Add<float>&);
template void add_hand(Variants&, const Arrays<float>&, const Triad<float>&);

}  // namespace stream

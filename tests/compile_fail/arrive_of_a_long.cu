// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include <tma/device/barrier_forms.hpp>
#include <tma/tma.hpp>

__global__ void kernel(long count) {
  auto& counter      = tma::shared<tma::Mbarrier<32>>();
  auto [block, done] = tma::this_block(counter);
#ifndef FIXED
  counter.arrive(count);
#else
  counter.arrive(int(count));
#endif
  done.wait();
}

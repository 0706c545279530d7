// Shared memory that nobody wrote, and the padding of structs, which nobody writes: a copy of the whole struct reads it, and that
// is no fault. Each kernel copies an object whole; with the fault a member of it was not written.
#include "faults.hpp"

#include <tma/pipeline/producer_group.hpp>

using namespace faults;

namespace {

struct Tail {
  int  row;
  bool last;
};
struct Wide {
  double sum;
  int    count;
};
struct Middle {
  char      kind;
  long long at;
  short     rows;
};
struct Vector {
  float2 v;
  int    n;
};
struct Pair {
  int a, b;
};

// Writes the members of one of these; all but the last with the fault.
template <bool Faulty> __device__ void write(Tail& x) {
  x.row = 3;
  if (!Faulty) x.last = true;
}
template <bool Faulty> __device__ void write(Wide& x) {
  x.sum = 1;
  if (!Faulty) x.count = 2;
}
template <bool Faulty> __device__ void write(Middle& x) {
  x.kind = 'a';
  x.at   = 5;
  if (!Faulty) x.rows = 2;
}
template <bool Faulty> __device__ void write(Vector& x) {
  x.v.x = 1;
  x.v.y = 2;
  if (!Faulty) x.n = 3;
}
template <bool Faulty> __device__ void write(Pair& x) {
  x.a = 1;
  if (!Faulty) x.b = 2;
}
template <bool Faulty> __device__ void write(float4& x) {
  x.x = 1;
  x.y = 2;
  x.z = 3;
  if (!Faulty) x.w = 4;
}
template <bool Faulty> __device__ void write(unsigned& x) {
  auto* half = reinterpret_cast<unsigned short*>(&x);
  half[0]    = 1;
  if (!Faulty) half[1] = 2;
}
template <bool Faulty> __device__ void write(u64& x) {
  auto* half = reinterpret_cast<unsigned*>(&x);
  half[0]    = 1;
  if (!Faulty) half[1] = 2;
}

// From one place to another, and out.
template <class T, bool Faulty> __global__ void copies(int* out) {
  struct Shared {
    T from, to;
  };
  auto& s = tma::shared<Shared>();
  if (threadIdx.x == 0) write<Faulty>(s.from);
  ptx::sync_block();
  if (threadIdx.x == 1) {
    s.to                                                = s.from;
    *reinterpret_cast<T*>(reinterpret_cast<char*>(out)) = s.to;
  }
}

// The same in a __shared__ variable, of whose type nothing is known.
template <class T, bool Faulty> __global__ void copies_variable(int* out) {
  alignas(16) __shared__ T from;
  if (threadIdx.x == 0) write<Faulty>(from);
  ptx::sync_block();
  if (threadIdx.x == 1) *reinterpret_cast<T*>(reinterpret_cast<char*>(out)) = from;
}

// And by one copy of the engine.
template <class T, bool Faulty> __global__ void stores(int* out) {
  auto& line  = tma::shared<tma::Buffer<T, 16>>();
  auto  block = tma::this_block();
  if (block.rank() < 16) {
    if (Faulty && block.rank() == 7) write<true>(line[block.rank()]);
    else write<false>(line[block.rank()]);
  }
  auto ready = block.publish(line);
  if (auto issuer = block.elect()) issuer.store(tma::assume_aligned(reinterpret_cast<T*>(out)).template chunk<16>(0), ready);
}

#define TMA_TEST_NOT_WRITTEN(name, kernel, T)                                                                     \
  FAULT(name##_##T, "a member of " #T " is not written: " #kernel, .run = run<kernel<T, true>, kernel<T, false>>, \
        .kind = Kind::uninitialised, .says = {"which nobody has written"})

TMA_TEST_NOT_WRITTEN(copied, copies, Tail)
TMA_TEST_NOT_WRITTEN(copied, copies, Wide)
TMA_TEST_NOT_WRITTEN(copied, copies, Middle)
TMA_TEST_NOT_WRITTEN(copied, copies, Pair)
TMA_TEST_NOT_WRITTEN(copied, copies, float4)
TMA_TEST_NOT_WRITTEN(copied, copies, unsigned)
TMA_TEST_NOT_WRITTEN(copied, copies, u64)
#if __has_builtin(__builtin_clear_padding)  // else a padding of 4 bytes behind floats is taken for a missing one
TMA_TEST_NOT_WRITTEN(copied, copies, Vector)
#endif
TMA_TEST_NOT_WRITTEN(variable, copies_variable, Tail)
TMA_TEST_NOT_WRITTEN(variable, copies_variable, Wide)
TMA_TEST_NOT_WRITTEN(variable, copies_variable, Pair)
TMA_TEST_NOT_WRITTEN(variable, copies_variable, float4)
TMA_TEST_NOT_WRITTEN(variable, copies_variable, unsigned)
TMA_TEST_NOT_WRITTEN(stored, stores, Tail)
TMA_TEST_NOT_WRITTEN(stored, stores, Wide)
TMA_TEST_NOT_WRITTEN(stored, stores, Pair)

// What a producer hands to its consumers beside a tile, and they copy.
namespace handed_on {
using Pipe = tma::Pipeline<2, Tile, tma::Meta<Tail>, tma::ByThreads<tma::Buffer<Wide, 4>>>;
__global__ void kernel(const __grid_constant__ Map from, int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warps<1>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i)
          producer.next([&](auto& stage) {
            stage.load(from, {i * 4, 0});
            stage.meta() = Tail{i, i == 3};
            if (producer.rank() < 4) write<false>(stage[tma::slot<2>][producer.rank()]);
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        bool last = false;
        while (!last)
          consumer.next([&](const Tile& tile, const Tail& handed, const tma::Buffer<Wide, 4>& sums) {
            const Tail mine                                     = handed;
            const Wide sum                                      = sums[consumer.rank() % 4];
            last                                                = mine.last;
            reinterpret_cast<Tail*>(out)[256 + consumer.rank()] = handed;
            reinterpret_cast<Wide*>(out)[32 + consumer.rank()]  = sums[consumer.rank() % 4];
            out[consumer.rank()]                                = tile[consumer.rank()] + mine.row + sum.count;
          });
      });
}
}  // namespace handed_on

TEST_CASE("values with padding go through a ring and are copied") {
  const auto result = tma::machine::explore({.schedules = 20}, [] {
    Data d;
    tma::launch(handed_on::kernel, {.grid = 1, .block = 64}, d.from, d.out.get());
  });
  INFO(result.text());
  CHECK(result.clean());
}

}  // namespace

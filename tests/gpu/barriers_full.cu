// Barriers in every form: counts, tokens, arrivals for the last time, time limits, orders, bytes by hand, another life.
#include <tma/device/barrier_forms.hpp>
#include <tma/device/transactions.hpp>
#include <tma/tma.hpp>

#include <cuda_pipeline_primitives.h>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

constexpr int threads = 64;

// Every thread arrives i times, at once or one by one, where i is what makes the phase's sum.
__global__ void counts(int* out, int rounds) {
  constexpr int all = threads * 3;
  struct Shared {
    tma::Mbarrier<all> a;
    int                value[threads];
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.a);
  int wrong             = 0;
  for (int round = 0; round < rounds; ++round) {
    s.value[block.rank()] = round * block.rank();
    if ((block.rank() + round) % 2 == 0) {
      s.a.arrive(3);
    } else {
      s.a.arrive<tma::Order::relaxed>();
      s.a.arrive<tma::Order::ordered, tma::Scope::cluster>(1);
      s.a.arrive();
    }
    arrived.wait();
    const int other = (block.rank() * 13 + 5) % threads;
    wrong += s.value[other] != round * other;
    block.sync();
  }
  out[block.rank()] = wrong + arrived.is_complete();
}

// Tokens: the phase of an arrival, waited for without counting phases.
__global__ void tokens(int* out, int rounds) {
  struct Shared {
    tma::Mbarrier<threads>     all;
    tma::Mbarrier<2 * threads> twice;
    int                        value[threads];
  };
  auto& s                  = tma::shared<Shared>();
  auto [block, all, twice] = tma::this_block(s.all, s.twice);
  int wrong                = 0;
  for (int round = 0; round < rounds; ++round) {
    s.value[block.rank()] = round + block.rank();
    const auto token      = s.all.arrive_token();
    wrong += token.pending() < 1 || token.pending() > threads;
    if (round % 3 == 0) {
      token.wait();
    } else if (round % 3 == 1) {
      while (!token.is_complete()) {}
    } else {
      while (!token.try_wait() && !token.try_wait_for(1000)) {}
    }
    const int other = (block.rank() + 31) % threads;
    wrong += s.value[other] != round + other;
    // Two arrivals, the first of which completes nothing: each thread has another to make.
    const auto first = s.twice.arrive_no_complete(1);
    wrong += first.pending() < 2;
    const auto second = s.twice.arrive_token<tma::Order::relaxed, tma::Scope::cluster>(1);
    second.wait<tma::Order::relaxed, tma::Scope::cluster>();
    wrong += !first.is_complete();
  }
  out[block.rank()] = wrong;
}

// Warp after warp leaves: in round r the threads of warp r arrive for the last time, in one way of each three.
__global__ void drops(int* out) {
  struct Shared {
    tma::Mbarrier<2 * 128> barrier;
    int                    rounds[4];
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const int warp        = block.rank() / 32;
  int       rounds      = 0;
  for (int round = 0; round < 4; ++round) {
    if (warp > round || warp == 3) {
      s.barrier.arrive(2);
      arrived.wait();
      ++rounds;
    } else if (warp == round) {
      if (round == 0) {
        s.barrier.arrive_drop(2);
      } else if (round == 1) {
        const auto token = s.barrier.arrive_drop_token(2);
        token.wait();
      } else {
        const auto token = s.barrier.arrive_drop_no_complete(1);  // the other one is still to come
        s.barrier.arrive_drop<tma::Order::relaxed>();
        token.wait();
      }
    }
    block.sync();  // no phase passes unseen
  }
  out[block.rank()] = rounds;
}

// Nobody arrives for a while: tries end without the phase, and do not move on.
__global__ void tries(int* out) {
  struct Shared {
    tma::Mbarrier<1>  barrier;
    tma::Mbarrier<32> seen;
  };
  auto& s                     = tma::shared<Shared>();
  auto [block, arrived, seen] = tma::this_block(s.barrier, s.seen);
  int early                   = 0;
  if (block.rank() < 32) early = arrived.try_wait_for(100) + arrived.is_complete();
  block.sync();
  if (block.rank() < 32) {
    while (!arrived.try_wait()) {}
    s.seen.arrive();
    while (!arrived.try_wait<tma::Order::relaxed>()) {}
    s.seen.arrive();
    while (!arrived.try_wait_for(50)) {}
    s.seen.arrive();
    while (!arrived.try_wait_for<tma::Order::relaxed>(50)) {}
    out[block.rank()] = early + 10 * arrived.is_complete();
  } else if (block.rank() == 32) {
    for (int i = 0; i < 4; ++i) {
      if (i > 0) seen.wait<tma::Order::relaxed>();
      s.barrier.arrive();
    }
  }
}

// Bytes that threads bring, counted as if the engine had: as many as are expected, in pieces, before and after the arrival.
__global__ void bytes(int* out, int rounds) {
  struct Shared {
    tma::LoadBarrierOf<threads> barrier;
    int                         value[threads];
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  int wrong             = 0;
  for (int round = 0; round < rounds; ++round) {
    tma::expect_bytes(s.barrier, 16);
    s.value[block.rank()] = round;
    if (block.rank() % 2) tma::complete_bytes(arrived, 16);
    s.barrier.arrive();
    if (block.rank() % 2 == 0) {
      wrong += arrived.is_complete();
      tma::complete_bytes(s.barrier, 12);
      tma::complete_bytes(s.barrier, 4);
    }
    arrived.wait();
    wrong += s.value[threads - 1 - block.rank()] != round;
    block.sync();
  }
  out[block.rank()] = wrong;
}

// The same eight bytes as one barrier, as a number, and as another barrier.
__global__ void lives(const __grid_constant__ tma::AlignedPointer<const int> in, int* out) {
  struct Shared {
    tma::Buffer<int, 64> buffer;
    unsigned long long   word;
  };
  static_assert(sizeof(tma::Mbarrier<threads>) == 8);
  auto& s       = tma::shared<Shared>();
  auto& counter = reinterpret_cast<tma::Mbarrier<threads>&>(s.word);
  auto& loads   = reinterpret_cast<tma::LoadBarrier&>(s.word);
  int   wrong   = 0;
  for (int round = 0; round < 3; ++round) {
    {
      auto [block, arrived] = tma::this_block(counter);
      for (int i = 0; i <= round; ++i) {
        counter.arrive();
        arrived.wait();
      }
      tma::invalidate(block, counter);
      if (block.rank() == 0) s.word = 0x0123456789abcdefull;
      block.sync();
      wrong += s.word != 0x0123456789abcdefull;
      block.sync();
    }
    {
      auto [block, arrived] = tma::this_block(loads);
      if (auto issuer = block.elect()) issuer.load(in.chunk<64>(round), s.buffer, arrived);
      arrived.wait();
      wrong += s.buffer[block.rank()] != 64 * round + block.rank();
      tma::invalidate(block, loads);
      block.release(s.buffer);
    }
  }
  out[threadIdx.x] = wrong;
}

// A phase completes when copies by cp.async have written: counted as arrivals, or beside them.
template <bool Beside> __global__ void cp_async(const int* in, int* out, int rounds) {
  struct Shared {
    tma::Mbarrier<threads> barrier;
    alignas(16) int value[4 * threads];
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  int wrong             = 0;
  for (int round = 0; round < rounds; ++round) {
    const int r = block.rank();
    __pipeline_memcpy_async(&s.value[4 * r], &in[(round * threads + r) * 4], 16);
    if constexpr (Beside) {
      s.barrier.wait_also_for_cp_async();
      s.barrier.arrive();
    } else {
      s.barrier.arrive_after_cp_async();
    }
    arrived.wait();
    const int other = threads - 1 - r;
    for (int i = 0; i < 4; ++i) wrong += s.value[4 * other + i] != (round * threads + other) * 4 + i;
    block.sync();
  }
  out[block.rank()] = wrong;
}

// A tile by the engine and a row by threads in one stage, filled again and again: both kinds of arrivals in the full barrier,
// and one that frees it.
template <int Row>
__global__ void mixed_stage(const __grid_constant__ tma::AlignedPointer<const int> in, const float* rows, int* out,
                            int rounds) {
  struct Shared {
    tma::Buffer<int, 128>      buffer;
    float                      row[Row];
    tma::LoadBarrierOf<1 + 32> full;  // the load and a warp that copies
    tma::Mbarrier<32>          free;  // the warp that reads
  };
  auto& s                  = tma::shared<Shared>();
  auto [block, full, free] = tma::this_block(s.full, s.free);
  if (block.rank() < 32) {
    auto issuer = block.elect();
    for (int round = 0; round < rounds; ++round) {
      if (round > 0) free.wait_to_refill();
      issuer.load(in.chunk<128>(round % 4), s.buffer, full);
      for (int i = block.rank(); i < Row; i += 32) s.row[i] = rows[round * Row + i];
      s.full.arrive();
    }
  } else {
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
      full.wait();
      for (int i = block.rank() - 32; i < Row; i += 32) wrong += s.row[i] != float(round * Row + i);
      for (int i = block.rank() - 32; i < 128; i += 32) wrong += s.buffer[i] != 128 * (round % 4) + i;
      s.free.arrive();
    }
    out[block.rank() - 32] = wrong;
  }
}

void check(const gpu::Array<int>& out, int expected = 0) {
  gpu::finish();
  CHECK(out.download() == std::vector<int>(out.size(), expected));
}

template <class T = int> std::vector<T> numbered(int n) {
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) v[i] = T(i);
  return v;
}

}  // namespace

TEST_CASE("arrivals by the count, by orders and scopes") {
  gpu::Array<int> out(threads);
  tma::launch(counts, {.grid = 1, .block = threads}, out.get(), gpu::scaled(500, 10));
  check(out);
}

TEST_CASE("tokens wait for the phase of an arrival") {
  gpu::Array<int> out(threads);
  tma::launch(tokens, {.grid = 1, .block = threads}, out.get(), gpu::scaled(500, 10));
  check(out);
}

TEST_CASE("threads arrive for the last time") {
  gpu::Array<int> out(128);
  tma::launch(drops, {.grid = 1, .block = 128}, out.get());
  gpu::finish();
  const auto h = out.download();
  for (int i = 0; i < 128; ++i) CHECK(h[i] == (i < 96 ? i / 32 : 4));
}

TEST_CASE("tries end without the phase") {
  gpu::Array<int> out(32);
  tma::launch(tries, {.grid = 1, .block = 64}, out.get());
  check(out);
}

TEST_CASE("bytes are expected and completed by threads") {
  gpu::Array<int> out(threads);
  tma::launch(bytes, {.grid = 1, .block = threads}, out.get(), gpu::scaled(500, 10));
  check(out);
}

TEST_CASE("a barrier's bytes have another life after it") {
  gpu::Array<int> in(numbered(192)), out(threads);
  tma::launch(lives, {.grid = 1, .block = threads}, tma::aligned(static_cast<const int*>(in.get())), out.get());
  check(out);
}

TEST_CASE("copies by cp.async arrive at a barrier") {
  const int       rounds = gpu::scaled(100, 10);
  gpu::Array<int> in(numbered(rounds * threads * 4)), out(threads);
  tma::launch(cp_async<false>, {.grid = 1, .block = threads}, static_cast<const int*>(in.get()), out.get(), rounds);
  check(out);
  out.fill(1);
  tma::launch(cp_async<true>, {.grid = 1, .block = threads}, static_cast<const int*>(in.get()), out.get(), rounds);
  check(out);
}

TEST_CASE("a stage is filled by the engine and by threads") {
  const int         rounds = gpu::scaled(200, 10);
  gpu::Array<int>   in(numbered(512)), out(32);
  gpu::Array<float> rows(numbered<float>(rounds * 252));
  const auto        from = tma::aligned(static_cast<const int*>(in.get()));
  tma::launch(mixed_stage<250>, {.grid = 1, .block = 64}, from, static_cast<const float*>(rows.get()), out.get(), rounds);
  check(out);
  out.fill(1);
  tma::launch(mixed_stage<252>, {.grid = 1, .block = 64}, from, static_cast<const float*>(rows.get()), out.get(), rounds);
  check(out);
}

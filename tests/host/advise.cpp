// tma::advise: what it asks, what it answers for the device that its model was fitted to, and how the answer moves with the
// kernel. How good it is, bench/advise tells from what bench/overlap measured.
#include <tma/host/advise.hpp>

#include <cstring>
#include <initializer_list>

#include "../support/catch.hpp"

namespace {

// An H200, as its properties say.
constexpr tma::StreamDevice h200{132, 228 * 1024, 2048, 65536, 32, 1.98, 4814.3};

tma::StreamAdvice advised(const tma::StreamKernel& kernel, const tma::StreamDevice& device = h200) {
  tma::StreamAdvice advice;
  const tma::Error  error = tma::try_advise(kernel, device, advice);
  INFO(error.what());
  REQUIRE_FALSE(error);
  return advice;
}

std::string refusal(const tma::StreamKernel& kernel, const tma::StreamDevice& device = h200) {
  tma::StreamAdvice advice;
  advice.tile_bytes      = -1;
  const tma::Error error = tma::try_advise(kernel, device, advice);
  REQUIRE(error.kind() == tma::ErrorKind::rule_broken);
  CHECK(advice.tile_bytes == -1);
  return error.what();
}

}  // namespace

TEST_CASE("a kernel that only reads keeps its blocks and its ring", "[advise]") {
  const auto a = advised({.may_end = false});
  CHECK(a.shape == tma::StreamShape::persistent);
  CHECK(a.stages >= 2);
  CHECK(a.bytes_in_flight({}) >= 64 * 1024);
  CHECK(a.gb_per_s > 4000);
  CHECK(a.gb_per_s < h200.gb_per_s);
}

TEST_CASE("a kernel that reads and writes takes a block a tile", "[advise]") {
  for (const int inputs : {1, 2}) {
    const auto a = advised({.inputs = inputs, .outputs = 1});
    CHECK(a.shape == tma::StreamShape::one_shot);
    CHECK(a.stages == 1);
    CHECK(a.blocks_per_multiprocessor >= 6);
    CHECK(a.evict_last);
    // Crowding costs.
    CHECK(a.bytes_in_flight({.inputs = inputs}) <= 64 * 1024);
  }
  CHECK_FALSE(advised({.may_end = false}).evict_last);
}

TEST_CASE("short traffic, and traffic from the cache, is for threads where they can do it", "[advise]") {
  const tma::StreamKernel copy{.inputs = 1, .outputs = 1};
  const auto              of = [&](auto&& change) {
    tma::StreamKernel k = copy;
    change(k);
    return advised(k, h200).shape;
  };
  CHECK(of([](auto& k) { k.input_bytes = 4 << 20; }) == tma::StreamShape::threads);
  CHECK(of([](auto& k) { k.input_bytes = 16 << 20; }) == tma::StreamShape::one_shot);
  CHECK(of([](auto& k) { k.in_l2 = true; }) == tma::StreamShape::threads);
  CHECK(of([](auto& k) { k.in_l2 = k.needs_tiles = true; }) == tma::StreamShape::one_shot);
  CHECK(of([](auto& k) { k.input_bytes = 4 << 20, k.needs_tiles = true; }) == tma::StreamShape::one_shot);
  const auto a = advised({.outputs = 1, .in_l2 = true});
  CHECK(a.tile_bytes == 0);
  CHECK(a.blocks_per_multiprocessor == 8);
}

TEST_CASE("what is advised fits, and is of the kernel's own range", "[advise]") {
  for (const int least : {512, 2048, 16384})
    for (const int shared : {0, 40 * 1024, 160 * 1024})
      for (const int threads : {32, 256, 1024})
        for (const int registers : {32, 64})
          for (const bool in_place : {true, false})
            for (const bool may_end : {true, false}) {
              const tma::StreamKernel k{.inputs             = 2,
                                        .outputs            = 1,
                                        .threads            = threads,
                                        .registers          = registers,
                                        .shared_bytes       = shared,
                                        .least_tile         = least,
                                        .most_tile          = 16384,
                                        .stored_from_loaded = in_place,
                                        .may_end            = may_end};
              tma::StreamAdvice       a;
              if (tma::try_advise(k, h200, a)) {
                CHECK(shared + 2 * (in_place ? 2 : 3) * least + 1024 > 227 * 1024 - (may_end ? least * 3 : 0));
                continue;
              }
              CHECK(a.tile_bytes >= least);
              CHECK(a.tile_bytes <= 16384);
              CHECK((a.stages == 1) == (a.shape == tma::StreamShape::one_shot));
              CHECK((may_end || a.stages > 1));
              CHECK(a.blocks_per_multiprocessor * (a.tile_bytes * (in_place ? 2 : 3) * a.stages + shared + 1024) <=
                    h200.shared_bytes);
              CHECK(a.blocks_per_multiprocessor * threads <= h200.threads);
              CHECK(a.blocks_per_multiprocessor * threads * registers <= h200.registers);
            }
}

TEST_CASE("more instructions never make it faster, nor more memory slower", "[advise]") {
  double last = 1e9;
  for (const double instructions : {0., 1., 4., 16., 64., 256.}) {
    const auto a = advised({.inputs = 1, .outputs = 1, .instructions_per_byte = instructions});
    CHECK(a.gb_per_s <= last);
    last = a.gb_per_s;
  }
  tma::StreamDevice half = h200;
  half.gb_per_s /= 2;
  CHECK(advised({}, half).gb_per_s < advised({}).gb_per_s);
}

TEST_CASE("what cannot be is refused: field, value, rule, fix", "[advise]") {
  CHECK(refusal({.inputs = 0}) == "tma::advise: inputs = 0: a kernel that streams loads something. Fix: at least 1\n");
  CHECK(refusal({.outputs = -1}).find("outputs = -1") != std::string::npos);
  CHECK(refusal({.instructions_per_byte = -1}).find("instructions_per_byte = -1") != std::string::npos);
  CHECK(refusal({.threads = 0}).find("threads = 0") != std::string::npos);
  CHECK(refusal({.threads = 1025}).find("threads = 1025") != std::string::npos);
  CHECK(refusal({.registers = 0}).find("registers = 0") != std::string::npos);
  CHECK(refusal({.registers = 256}).find("registers = 256") != std::string::npos);
  CHECK(refusal({.shared_bytes = -1}).find("shared_bytes = -1") != std::string::npos);
  CHECK(refusal({.input_bytes = -1}).find("input_bytes = -1") != std::string::npos);
  CHECK(refusal({.least_tile = 100}).find("multiple of 16") != std::string::npos);
  CHECK(refusal({.least_tile = 4096, .most_tile = 2048}).find("most_tile = 2048") != std::string::npos);
  CHECK(refusal({}, {}).find("device.multiprocessors = 0") != std::string::npos);
  tma::StreamDevice half = h200;
  half.clock_ghz         = 0;
  CHECK(refusal({}, half).find("device.clock_ghz = 0: the device is not described. Fix: tma::stream_device") !=
        std::string::npos);
  half          = h200;
  half.gb_per_s = 0;
  CHECK(refusal({}, half).find("device.gb_per_s = 0") != std::string::npos);
  // 300 KiB a tile, and a block of 1024 threads with 128 registers each, are more than a multiprocessor has.
  CHECK(refusal({.least_tile = 300 * 1024, .most_tile = 300 * 1024}).find("fits on a multiprocessor") != std::string::npos);
  CHECK(refusal({.outputs = 0x7fffffff, .stored_from_loaded = false}).find("fits on a multiprocessor") != std::string::npos);
  CHECK(refusal({.inputs = 0x7fffffff, .outputs = 0x7fffffff}).find("fits on a multiprocessor") != std::string::npos);
  CHECK(refusal({.shared_bytes = 0x7fffffff}).find("fits on a multiprocessor") != std::string::npos);
  CHECK(refusal({.threads = 1024, .registers = 128}).find("fits on a multiprocessor") != std::string::npos);
}

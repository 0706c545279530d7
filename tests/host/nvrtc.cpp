// The headers under NVRTC: with the include folder of the library and nothing else, no host header, no toolkit header.
#include <nvrtc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../support/catch.hpp"

namespace {

void require(nvrtcResult r, const char* what) {
  INFO(what << ": " << nvrtcGetErrorString(r));
  REQUIRE(r == NVRTC_SUCCESS);
}

struct Compiled {
  bool        ok;
  std::string log, code;
};

// For sm_90a, to machine code.
Compiled compile(const std::string& source, std::vector<std::string> more = {}) {
  nvrtcProgram program;
  require(nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  more.insert(more.end(), {"--std=c++20", "--gpu-architecture=sm_90a", std::string("--include-path=") + TMA_INCLUDE_DIR});
  std::vector<const char*> options;
  for (const std::string& o : more) options.push_back(o.c_str());
  Compiled c;
  c.ok             = nvrtcCompileProgram(program, int(options.size()), options.data()) == NVRTC_SUCCESS;
  std::size_t size = 0;
  require(nvrtcGetProgramLogSize(program, &size), "nvrtcGetProgramLogSize");
  c.log.resize(size);
  require(nvrtcGetProgramLog(program, c.log.data()), "nvrtcGetProgramLog");
  while (!c.log.empty() && c.log.back() == '\0') c.log.pop_back();
  if (c.ok) {
    require(nvrtcGetCUBINSize(program, &size), "nvrtcGetCUBINSize");
    c.code.resize(size);
    require(nvrtcGetCUBIN(program, c.code.data()), "nvrtcGetCUBIN");
  }
  nvrtcDestroyProgram(&program);
  return c;
}

// Compiles without a word from the compiler, and holds the kernel.
void compiles(const std::string& source, const char* kernel, const std::vector<std::string>& more = {}) {
  const Compiled c = compile(source, more);
  INFO(c.log);
  REQUIRE(c.ok);
  CHECK(c.log.empty());
  CHECK(c.code.find(kernel) != std::string::npos);
}

// NVRTC takes a generic lambda for a host function, wherever it stands. Either the option makes device functions of all
// that say nothing, or the lambdas name the types of their parameters.
const std::vector<std::string> default_device = {"--device-as-default-execution-space"};

const std::string generic = R"(
#define LOADS    auto
#define PRODUCER auto
#define CONSUMER auto
)";
const std::string named   = R"(
#define LOADS    const tma::StageLoads<Pipe>&
#define PRODUCER tma::Producer<Pipe>
#define CONSUMER tma::consumer_of<Pipe, tma::ConsumerWarps<2>>
)";

const std::string common = R"(
#include <tma/tma.hpp>
using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using In   = tma::TmaDescriptor<const float, 2, Tile>;
using Out  = tma::TmaDescriptor<float, 2, Tile>;
)";

const char* const scale = R"(
extern "C" __global__ void scale(const __grid_constant__ In in, const __grid_constant__ Out out, float factor) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  const tma::Coord<2> at{int(blockIdx.y) * 32, int(blockIdx.x) * 32};

  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
  arrived.wait();
  for (auto& x : block.elements(tile)) x *= factor;
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, at, ready).wait_source_free();
}
)";

const char* const stream = R"(
extern "C" __global__ void stream(const __grid_constant__ In in, float* out, int tiles) {
  using Pipe = tma::Pipeline<4, Tile>;
  Pipe  pipe(tma::shared<Pipe::Shared>());
  float sum = 0;
  pipe.for_each(tiles, [&](LOADS load, int i) { load(in, {i * 32, 0}); },
                       [&](const Tile& tile, int) { for (int k = 0; k < Tile::size; ++k) sum += tile[k]; });
  out[threadIdx.x] = sum;
}
)";

const char* const threads = R"(
#include <tma/pipeline/thread_loads.hpp>
using InByThreads = tma::ThreadDescriptor<const float, 2, Tile>;
struct Issue {
  const InByThreads&                        in;
  const tma::AlignedChunk<const float, 64>& row;
  template <class Loads> __device__ void operator()(const Loads& load, int i) const {
    load(in, {i * 32, 0});
    load(row);
  }
};
extern "C" __global__ void threads(InByThreads in, tma::AlignedChunk<const float, 64> row, float* out, int tiles) {
  using Pipe = tma::Pipeline<4, tma::ThreadLoads, Tile, tma::Buffer<float, 64>>;
  Pipe  pipe(tma::shared<Pipe::Shared>());
  float sum = 0;
  pipe.for_each(tiles, Issue{in, row},
                       [&](const Tile& tile, const tma::Buffer<float, 64>& values, int) {
                         for (int k = 0; k < Tile::size; ++k) sum += tile[k] * values[k % 64];
                       });
  out[threadIdx.x] = sum;
}
)";

const char* const roles = R"(
extern "C" __global__ void roles(const __grid_constant__ In in, const __grid_constant__ Out out, int steps) {
  using Pipe = tma::Pipeline<3, Tile>;
  struct Shared {
    Pipe::Shared ring;
    Tile         result;
  };
  auto& [ring, result] = tma::shared<Shared>();
  tma::specialize(
    ring, tma::producer_warp<0>,
    [&](PRODUCER& producer) {
      for (int i = 0; i < steps; ++i) producer.next([&](LOADS stage) { stage.load(in, {i * 32, 0}); });
    },
    tma::consumer_warps<2>, [&](CONSUMER& consumer) {
      for (int i = 0; i < steps; ++i) {
        consumer.next([&](const Tile& tile) {
          for (int k = consumer.rank(); k < Tile::size; k += consumer.size()) result[k] = 2 * tile[k];
        });
        auto ready = consumer.publish(result);
        if (auto issuer = consumer.elect()) issuer.store(out, {i * 32, 0}, ready);
        consumer.sync();
      }
    });
}
)";

const char* const bulk = R"(
extern "C" __global__ void bulk(tma::AlignedPointer<const float> in, tma::AlignedPointer<float> out, const float* any,
                                float* to, int count) {
  struct Shared {
    tma::Buffer<float, 64>       fixed;
    tma::RaggedBuffer<float, 64> ragged;
    tma::LoadBarrier             first, second;
  };
  auto& shared                = tma::shared<Shared>();
  auto [block, first, second] = tma::this_block(shared.first, shared.second);
  tma::BulkCopy1D<64> exact;
  tma::BulkCopy1D     copy;
  if (auto issuer = block.elect()) exact.load(issuer, shared.fixed, in, first);
  auto span = copy.load(block, shared.ragged, any, count, second);
  first.wait();
  second.wait();
  for (auto& x : block.elements(shared.fixed)) x += 1;
  auto [ready, rest] = block.publish(shared.fixed, span);
  if (auto issuer = block.elect()) exact.store(issuer, out, ready);
  copy.store(block, to, rest).wait_source_free();
}
)";

}  // namespace

TEST_CASE("a tile in, a tile out") { compiles(common + scale, "scale"); }

TEST_CASE("a pipeline of tiles") {
  compiles(named + common + stream, "stream");
  compiles(generic + common + stream, "stream", default_device);
}

TEST_CASE("a pipeline that threads load") { compiles(common + threads, "threads"); }

TEST_CASE("a producer warp and consumer warps") {
  compiles(named + common + roles, "roles");
  compiles(generic + common + roles, "roles", default_device);
}

TEST_CASE("one-dimensional copies, of static size and of any") { compiles(common + bulk, "bulk"); }

TEST_CASE("all of them in one program, checked and unchecked") {
  const std::string all = common + scale + stream + roles + bulk;
  for (const char* kernel : {"scale", "stream", "roles", "bulk"}) compiles(named + all, kernel);
  compiles(named + all, "roles", {"--define-macro=TMA_CHECKED"});
  compiles(generic + all, "roles", {"--define-macro=TMA_CHECKED", default_device[0]});
}

// A program with an error fails, so that the tests above are worth something.
TEST_CASE("a kernel that cannot be is refused with a text") {
  const Compiled c = compile(common + R"(
extern "C" __global__ void wrong(const __grid_constant__ In in) {
  struct Shared {
    tma::Tile<float, tma::Shape<16, 32>> tile;
    tma::LoadBarrier                     barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
}
)");
  CHECK(!c.ok);
  INFO(c.log);
  CHECK(c.log.find("the descriptor was made for another tile") != std::string::npos);
}

TEST_CASE("macros of the program with names of the library: refused before the include, free after it") {
  for (const char* const macro : {"N 1024", "T double", "I 1", "n 7", "check(x) x", "min(a, b) a"}) {
    const Compiled c = compile("#define " + std::string(macro) + "\n" + common);
    INFO(macro << ": " << c.log);
    CHECK_FALSE(c.ok);
    CHECK(c.log.find("NVRTC cannot put macros aside") != std::string::npos);
    CHECK(c.log.find("Fix: define it after the last include of tma") != std::string::npos);
  }
  compiles(common + "#define N 1024\n#define T 5\n#undef T\n" + scale, "scale");
}

// Each header on both sides of the launch, or of the device alone, as the only one of its program.
TEST_CASE("every header that a kernel can include stands alone") {
  namespace fs = std::filesystem;
  std::vector<std::string> headers;
  const fs::path           root = fs::path(TMA_INCLUDE_DIR);
  for (const char* room : {"core", "device", "pipeline"})
    for (const auto& entry : fs::directory_iterator(root / "tma" / room))
      if (entry.path().extension() == ".hpp") headers.push_back(fs::relative(entry.path(), root).generic_string());
  std::sort(headers.begin(), headers.end());
  REQUIRE(headers.size() > 20);
  for (const std::string& header : headers) {
    INFO(header);
    compiles("#include <" + header + ">\nextern \"C\" __global__ void alone() {}\n", "alone");
  }
}

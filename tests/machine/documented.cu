// What docs/machine.md claims: the reports it quotes, word by word, of the kernels it quotes; its tables; and what it says
// is not found.
#include <tma/device/cluster.hpp>
#include <tma/machine/machine.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

#include <fstream>
#include <sstream>

using tma::machine::Kind;

using Tile = tma::Tile<float, tma::Shape<32, 32>>;
using In   = tma::TmaDescriptor<const float, 2, Tile>;
using Out  = tma::TmaDescriptor<float, 2, Tile>;

// --- the kernels of "How a report reads" -----------------------------------------------------------------------------

// clang-format off

// [sum]
struct Sum { Tile tile; tma::LoadBarrier barrier; };

__global__ void sum_tiles(const __grid_constant__ In in, float* sums, int tiles) {
  auto& [tile, barrier] = tma::shared<Sum>();
  auto [block, arrived] = tma::this_block(barrier);
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (auto issuer = block.elect()) issuer.load(in, {i * 32, 0}, tile, arrived);
    arrived.wait();
    for (float x : block.elements(tile)) sum += x;
  }
  sums[block.rank()] = sum;
}
// [end]

// [twice]
struct Twice { Tile tile; tma::LoadBarrier barrier; };

__global__ void twice(const __grid_constant__ In in, const __grid_constant__ Out out) {
  auto& [tile, barrier] = tma::shared<Twice>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
  arrived.wait();
  for (float& x : block.elements(tile)) x *= 2;
  block.sync();
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, tma::as_loaded(tile)).wait_source_free();
}
// [end]

// [early]
using Pipe = tma::Pipeline<3, Tile>;

__global__ void copy_tiles(const __grid_constant__ In in, float* out, int tiles) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(tiles, [&](auto load, int i) { load(in, {i * 32, 0}); },
                       [&](const Tile& tile, int i, auto& stage) {
    stage.release();
    for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x)) out[i * Tile::size + k] = tile[k];
  });
}
// [end]

// [hang]
struct Hand { int value[64]; tma::Mbarrier<64> ready; };

__global__ void hand_over(int* out) {
  auto& [value, ready]  = tma::shared<Hand>();
  auto [block, written] = tma::this_block(ready);
  value[threadIdx.x] = int(threadIdx.x);
  __syncwarp();
  if (threadIdx.x % 32 == 0) ready.arrive();
  written.wait();
  out[threadIdx.x] = value[63 - threadIdx.x];
}
// [end]

// [both]
struct Pair { Tile tile; tma::LoadBarrier full; };

__global__ void sum_in_both(const __grid_constant__ In in, float* out, int tiles) {
  auto& [tile, full]      = tma::shared<Pair>();
  auto [cluster, arrived] = tma::this_cluster<2>(full);
  float sum               = 0;
  for (int i = 0; i < tiles; ++i) {
    if (auto issuer = cluster.elect()) {
      if (cluster.rank() == 0) issuer.load(in, {i * 32, 0}, tile, arrived, cluster.everyone());
      else issuer.expect(tile, arrived);
    }
    arrived.wait();
    sum += tile[int(threadIdx.x)];
    cluster.block().release(tile);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// [end]

// clang-format on

namespace {

std::string file(const char* name) {
  std::ifstream     f(name);
  std::stringstream text;
  text << f.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Data {
  static constexpr int tiles = 8;
  gpu::Array<float>    in{gpu::random_values<float>(tiles * Tile::size, 1)}, out{tiles * Tile::size};
  In  from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const float*>(in.get()), {tiles * 32, 32}});
  Out to   = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {tiles * 32, 32}});
};

// The kernel between "// [name]" and "// [end]" stands in the document, and so does the first report of it.
void check(const char* name, Kind kind, const std::function<void(Data&)>& program) {
  Data       d;
  const auto result = tma::machine::explore({.schedules = 100}, [&] { program(d); });
  INFO(result.text());
  REQUIRE(result.has(kind));
  const std::string document = file(TMA_DOCUMENT), source = file(__FILE__);
  const std::string begin = std::string("// [") + name + "]\n";
  const auto        from  = source.find(begin) + begin.size();
  const std::string code  = source.substr(from, source.find("// [end]", from) - from);
  INFO(code);
  CHECK(contains(document, code));
#if !defined(__clang__)  // which gives some instructions to other lines
  CHECK(contains(document, result.find(kind)->text));
#endif
}

}  // namespace

TEST_CASE("the reports of the document are what is said") {
  check("sum", Kind::early_reuse,
        [](Data& d) { tma::launch(sum_tiles, {.grid = 1, .block = 64}, d.from, d.out.get(), Data::tiles); });
  check("twice", Kind::unfenced_store, [](Data& d) { tma::launch(twice, {.grid = 1, .block = 64}, d.from, d.to); });
  check("early", Kind::unwaited_load,
        [](Data& d) { tma::launch(copy_tiles, {.grid = 1, .block = 64}, d.from, d.out.get(), Data::tiles); });
  check("hang", Kind::deadlock, [](Data&) {
    gpu::Array<int> out(64);
    tma::launch(hand_over, {.grid = 1, .block = 64}, out.get());
  });
  check("both", Kind::early_reuse,
        [](Data& d) { tma::launch(sum_in_both, {.grid = 2, .block = 64, .cluster = 2}, d.from, d.out.get(), Data::tiles); });
}

// What a role meets in, or a warp elects in, without the others: both are hangs, and the document of hangs says so.
TEST_CASE("the document of hangs names the kinds that are reported") {
  const std::string path = TMA_DOCUMENT, hangs = file((path.substr(0, path.rfind('/')) + "/hang.md").c_str());
  for (const char* cause : {"| `__syncthreads` inside a role |", "| an election in a warp that has parted |"}) {
    INFO(cause);
    const auto at = hangs.find(cause);
    REQUIRE(at != std::string::npos);
    CHECK(contains(hangs.substr(at, hangs.find('\n', at) - at), "| `deadlock` |"));
  }
}

TEST_CASE("every kind and every strategy stands in the document") {
  const std::string document = file(TMA_DOCUMENT);
  int               kinds    = 0;
  for (; std::string(tma::machine::name_of(Kind(kinds))) != "?"; ++kinds) {
    INFO(tma::machine::name_of(Kind(kinds)));
    CHECK(contains(document, std::string("\n| `") + tma::machine::name_of(Kind(kinds)) + "` |"));
  }
  CHECK(kinds == int(Kind::nondeterministic) + 1);
  for (const char* name : {"mixed", "late", "early", "reverse", "random", "victims", "timed", "exhaustive"}) {
    INFO(name);
    CHECK(contains(document, std::string("\n| `") + name + "` |"));
  }
}

// --- what the document says is not seen: where that changes, so must the document ------------------------------------

namespace {

__global__ void all_blocks_write(int* out) {
  if (threadIdx.x == 0) out[0] = 1;
}
__global__ void copy_word(const unsigned* in, unsigned* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void copy_word_there(const unsigned* const* in, unsigned* out) { out[threadIdx.x] = (*in)[threadIdx.x]; }

}  // namespace

TEST_CASE("races between clusters, memory of the host by a pointer in device memory, and memory that nobody wrote draw no "
          "report") {
  gpu::Array<int> out(32);
  CHECK(tma::machine::explore({.schedules = 20}, [&] {
          tma::launch(all_blocks_write, {.grid = 4, .block = 32}, out.get());
        }).clean());

  gpu::Array<unsigned>        words(32);
  const std::vector<unsigned> host(32, 7);
  gpu::Array<const unsigned*> pointer(std::vector<const unsigned*>{host.data()});
  CHECK(tma::machine::explore({.schedules = 5}, [&] {
          tma::launch(copy_word_there, {.grid = 1, .block = 32}, static_cast<const unsigned* const*>(pointer.get()),
                      words.get());
        }).clean());
  CHECK(tma::machine::explore({.schedules = 5}, [&] {
          tma::launch(copy_word, {.grid = 1, .block = 32}, host.data(), words.get());
        }).find(tma::machine::Kind::bad_address));
  CHECK(words.download()[31] == 7);

  unsigned* fresh = nullptr;
  cudaMalloc(&fresh, 128);
  CHECK(tma::machine::explore({.schedules = 5}, [&] {
          tma::launch(copy_word, {.grid = 1, .block = 32}, static_cast<const unsigned*>(fresh), words.get());
        }).clean());
  CHECK(words.download()[31] == 0xcdcdcdcd);
  cudaFree(fresh);
}

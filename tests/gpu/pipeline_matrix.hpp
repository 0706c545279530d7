// The ring in all combinations: stages, steps, loops, what a stage holds, who uses it; late producers and late consumers.
// Each block of a launch is a run of its own, with delays of its own. A kernel checks each byte of each part of each step
// against a number that tells tile, row and column; what was seen is counted, and one block's is written out as well.
#pragma once

#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

#include <utility>

namespace matrix {

constexpr int tiles = 64;  // of each source, one behind the other

// What the sources hold: for each byte of an element others than for any other element near it.
template <class T> TMA_HOST_DEVICE T value(int tile, int row, int column) {
  std::uint32_t x = std::uint32_t(tile) << 16 | std::uint32_t(row) << 8 | std::uint32_t(column);
  x               = (x ^ x >> 7) * 2654435761u;
  return T(x ^ x >> 15);
}

TMA_HOST_DEVICE std::uint32_t hash(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  std::uint32_t x = a * 0x9e3779b1u + b * 0x85ebca77u + c * 0xc2b2ae3du + d * 0x27d4eb2fu;
  x               = (x ^ x >> 15) * 0x2c1b3c6du;
  return x ^ x >> 13;
}

// Two parts of each kind, of several types and sizes; one swizzled, one whose row is a single piece of 16 bytes.
using Wide  = tma::Tile<int, tma::Shape<4, 32>, tma::Swizzle::bytes_128>;
using Thin  = tma::Tile<short, tma::Shape<3, 8>>;
using Line  = tma::Buffer<int, 60>;
using Bytes = tma::Buffer<unsigned char, 48>;

// How many columns a part's numbers are counted by.
template <class Part> inline constexpr int columns       = Part::size;
template <> inline constexpr int           columns<Wide> = 32;
template <> inline constexpr int           columns<Thin> = 8;
template <class Part> using element_t                    = typename Part::value_type;
template <class Part> TMA_HOST_DEVICE int element(int tile, int k) {
  return int(value<element_t<Part>>(tile, k / columns<Part> + Part::size % 256, k % columns<Part>));
}

enum class Kind { bulk, tensor, mixed };
template <class... Parts> struct Parts_ {
  static constexpr int elements        = (Parts::size + ...);
  template <int Stages> using pipeline = tma::Pipeline<Stages, Parts...>;
};
template <Kind K>
using parts_of =
    std::conditional_t<K == Kind::bulk, Parts_<Line, Bytes>,
                       std::conditional_t<K == Kind::tensor, Parts_<Wide, Thin>, Parts_<Wide, Bytes, Thin, Line>>>;
template <Kind K, int Stages> using pipeline_of = typename parts_of<K>::template pipeline<Stages>;

struct Sources {
  gpu::Array<int>           wide = make<Wide>(), line = make<Line>();
  gpu::Array<short>         thin  = make<Thin>();
  gpu::Array<unsigned char> bytes = make<Bytes>();

  template <class Part> static gpu::Array<element_t<Part>> make() {
    std::vector<element_t<Part>> all;
    for (int t = 0; t < tiles; ++t)
      for (int k = 0; k < Part::size; ++k) all.push_back(element_t<Part>(element<Part>(t, k)));
    return gpu::Array<element_t<Part>>(all);
  }
};

using WideMap = tma::TmaDescriptor<const int, 2, Wide>;
using ThinMap = tma::TmaDescriptor<const short, 2, Thin>;

// One line of the matrix.
struct Case {
  int steps;
  int loops;   // one; two of `steps` each; or one of `steps`, one of none and one of steps + 1
  int ragged;  // some steps load nothing, the last of a loop the first part alone
  int seed;

  TMA_HOST_DEVICE int trips(int loop) const { return loop == 0 ? steps : loops == 2 ? steps : loop == 1 ? 0 : steps + 1; }
  TMA_HOST_DEVICE int all_steps() const { return loops == 1 ? steps : 2 * steps + (loops == 3); }
  // Whether a part is loaded in the g-th of all steps.
  TMA_HOST_DEVICE bool loads(int part, int g) const {
    if (!ragged) return true;
    if (hash(std::uint32_t(seed), 7, std::uint32_t(g), 0) % 4 == 0) return false;
    return part == 0 || (g + 1 != steps && g + 1 != all_steps());
  }
  // The tile of the g-th step.
  TMA_HOST_DEVICE int tile(int block, int g) const { return (block * 5 + g * 3 + seed) % tiles; }
};

struct Seen {
  int wrong;
  int checked;  // elements, of all blocks
};

// Late by up to two microseconds, every second time; in each block another role, or all, or none.
enum class Role { producer = 1, consumer = 2 };
TMA_DEVICE void delay(const Case& c, Role role, int g) {
  const std::uint32_t who = hash(std::uint32_t(c.seed), blockIdx.x, 1, 0) >> 3;
  if (!(who & std::uint32_t(role))) return;
  // Of a warp some lanes, or all by the same time.
  const std::uint32_t lane = who & 4 ? threadIdx.x : threadIdx.x / 32;
  const std::uint32_t h    = hash(std::uint32_t(c.seed), blockIdx.x, std::uint32_t(g), lane * 4 + std::uint32_t(role));
  if (h & 1) __nanosleep((h >> 1) % 2000);
}

// What a kernel of the matrix is given.
struct Arguments {
  Case                                     c;
  tma::AlignedPointer<const int>           line;
  tma::AlignedPointer<const unsigned char> bytes;
  Seen*                                    seen;
  int*                                     out;     // of block 0: the elements of each step
  int                                      blocks;  // that use the same tiles: those of a cluster

  TMA_DEVICE int cluster() const { return int(blockIdx.x) / blocks; }
};

// What loads a part of each type.
template <class Part, class Stage>
TMA_DEVICE void load_one(const Stage& stage, const WideMap& wide, const ThinMap& thin, const Arguments& a, int tile) {
  if constexpr (std::is_same_v<Part, Wide>) stage.load(wide, {tile * 4, 0});
  if constexpr (std::is_same_v<Part, Thin>) stage.load(thin, {tile * 3, 0});
  if constexpr (std::is_same_v<Part, Line>) stage.load(a.line.template chunk<60>(tile));
  if constexpr (std::is_same_v<Part, Bytes>) stage.load(a.bytes.template chunk<48>(tile));
}

// The producer's part of the g-th step: all parts that are loaded in it, or those of them that are for producer `only`.
template <class... Part, class Stage>
TMA_DEVICE void load_step(Parts_<Part...>, const Stage& stage, const WideMap& wide, const ThinMap& thin, const Arguments& a,
                          int g, int only = -1) {
  const int  tile = a.c.tile(a.cluster(), g);
  int        part = 0;
  const auto next = [&](int i) { return (only < 0 || i == only) && a.c.loads(i, g); };
  ((next(part++) ? load_one<Part>(stage, wide, thin, a, tile) : void()), ...);
}

// One consuming thread's view of all steps, one call a step. `writes`: what it sees is written out as well, by block 0.
template <int Stages, class Parts> class Checker;
template <int Stages, class... Part> class Checker<Stages, Parts_<Part...>> {
public:
  TMA_DEVICE Checker(const Arguments& a, int rank, int size, bool writes = true)
      : a_(a),
        rank_(rank),
        size_(size),
        writes_(writes && blockIdx.x == 0) {}

  TMA_DEVICE void operator()(const Part&... parts) {
    delay(a_.c, Role::consumer, step_);
    int part = 0, offset = 0;
    (see(parts, part++, offset), ...);
    ++step_;
  }
  TMA_DEVICE void operator()(const Part&... parts, int) { (*this)(parts...); }

  // The steps that come before the next one of this thread's.
  TMA_DEVICE void skip(int steps) { step_ += steps; }
  TMA_DEVICE int  step() const { return step_; }
  TMA_DEVICE void is(bool right) { wrong_ += !right; }

  TMA_DEVICE void end(bool counts = true) {
    if (wrong_) atomicAdd(&a_.seen->wrong, wrong_);
    if (checked_ && counts) atomicAdd(&a_.seen->checked, checked_);
  }

private:
  // What was not loaded is as it was: what the last load into this stage has left.
  template <class P> TMA_DEVICE void see(const P& tile, int part, int& offset) {
    const int at = offset;
    offset += P::size;
    int from = step_;
    while (from >= 0 && !a_.c.loads(part, from)) from -= Stages;
    if (from < 0) return;
    const int which = a_.c.tile(a_.cluster(), from);
#pragma unroll 1
    for (int k = rank_; k < P::size; k += size_) {
      const int x = int(tile[k]);
      wrong_ += x != element<P>(which, k);
      ++checked_;
      if (from == step_ && writes_) a_.out[step_ * Parts_<Part...>::elements + at + k] = x;
    }
  }

  const Arguments& a_;
  int              rank_, size_;
  bool             writes_;
  int              step_ = 0, wrong_ = 0, checked_ = 0;
};

// All threads use the stages, and one of them loads.
template <Kind K, int Stages>
__global__ void whole_block(const __grid_constant__ WideMap wide, const __grid_constant__ ThinMap thin, const Arguments a) {
  using Pipe = pipeline_of<K, Stages>;
  Pipe                         pipe(tma::shared<typename Pipe::Shared>());
  Checker<Stages, parts_of<K>> check(a, int(threadIdx.x), int(blockDim.x));
  int                          before = 0;
#pragma unroll 1
  for (int l = 0; l < a.c.loops; ++l) {
    const int n = a.c.trips(l);
    pipe.for_each(
        n,
        [&](const auto& load, int i) {
          delay(a.c, Role::producer, before + i);
          load_step(parts_of<K>(), load, wide, thin, a, before + i);
        },
        check);
    before += n;
  }
  check.end();
}

// A warp loads, others use the stages.
template <Kind K, int Stages, int Warps>
__global__ void roles(const __grid_constant__ WideMap wide, const __grid_constant__ ThinMap thin, const Arguments a) {
  using Pipe = pipeline_of<K, Stages>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp < Stages % 2 ? Warps : 0 >,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) { load_step(parts_of<K>(), stage, wide, thin, a, g); });
        }
      },
      tma::consumer_warps<Warps>,
      [&](auto& consumer) {
        Checker<Stages, parts_of<K>> check(a, consumer.rank(), consumer.size());
#pragma unroll 1
        for (int l = 0; l < a.c.loops; ++l)
#pragma unroll 1
          for (int i = 0; i < a.c.trips(l); ++i) consumer.next(check);
        check.end();
      });
}

// --- on the host ---------------------------------------------------------------------------------------------------

inline std::vector<Case> cases(int stages) {
  std::vector<int> steps{0, 1, 2, 3};
  const auto       add = [&](int n) {
    for (int have : steps)
      if (have == n) return;
    steps.push_back(n);
  };
  for (int n = stages - 1; n <= 2 * stages + 1; ++n) add(n);
  for (int prime : {5, 11, 13, 31}) add(prime);
  std::vector<Case> all;
  for (int n : steps)
    for (int loops : {1, 2, 3}) all.push_back({n, loops, (n + loops) % 2, n * 4 + loops});
  return all;
}

template <class Parts> struct Expected;
template <class... Part> struct Expected<Parts_<Part...>> {
  // How many elements of a run are known, each as often as its step is used: `uses(case, g)`.
  template <class Uses> static int checked(const Case& c, int stages, Uses uses) {
    int n = 0;
    for (int g = 0; g < c.all_steps(); ++g) {
      const int times = uses(c, g);
      int       part  = 0;
      (
          [&] {
            int from = g;
            while (from >= 0 && !c.loads(part, from)) from -= stages;
            n += from >= 0 ? times * int(Part::size) : 0;
            ++part;
          }(),
          ...);
    }
    return n;
  }
  // What block 0 has written, `room` elements of it.
  template <class Uses> static std::vector<int> out(const Case& c, int room, Uses uses) {
    std::vector<int> v;
    for (int g = 0; g < c.all_steps(); ++g) {
      const bool used = uses(c, g) > 0;
      int        part = 0;
      (
          [&] {
            for (int k = 0; k < Part::size; ++k)
              v.push_back(used && c.loads(part, g) ? element<Part>(c.tile(0, g), k) : int(0xcdcdcdcd));
            ++part;
          }(),
          ...);
    }
    v.resize(std::size_t(room), int(0xcdcdcdcd));
    return v;
  }
};

// A kernel and its cases.
struct Run {
  const char*       what;
  int               stages, threads;
  std::vector<Case> cases;
  int               cluster = 1;
};

inline int once(const Case&, int) { return 1; }

// Every case, each in a thousand blocks, or clusters. The kernel takes what is in `maps`, and the arguments.
template <class Parts, class Kernel, class Uses, class... Maps>
void run_with(const Sources& in, Kernel kernel, const Run& r, Uses uses, const Maps&... maps) {
  const int        blocks = gpu::scaled(1000, 2) * r.cluster, most = (2 * 31 + 1) * Parts::elements;
  gpu::Array<Seen> seen(std::vector<Seen>(r.cases.size(), Seen{0, 0}));
  gpu::Array<int>  out(r.cases.size() * std::size_t(most));
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const Arguments a{r.cases[i],
                      tma::aligned(static_cast<const int*>(in.line.get())),
                      tma::aligned(static_cast<const unsigned char*>(in.bytes.get())),
                      seen.get() + i,
                      out.get() + i * most,
                      r.cluster};
    tma::launch(kernel, {.grid = blocks, .block = r.threads, .cluster = r.cluster}, maps..., a);
  }
  gpu::finish();
  const auto counts = seen.download();
  const auto bytes  = out.download();
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    const Case& c = r.cases[i];
    INFO(r.what << ", " << r.stages << " stages, " << r.threads << " threads, " << c.steps << " steps, " << c.loops
                << " loops" << (c.ragged ? ", ragged" : ""));
    REQUIRE(counts[i].wrong == 0);
    REQUIRE(counts[i].checked == blocks * Expected<Parts>::checked(c, r.stages, uses));
    const auto right = Expected<Parts>::out(c, most, uses);
    REQUIRE(std::memcmp(bytes.data() + i * most, right.data(), right.size() * sizeof(int)) == 0);
  }
}

template <class Parts, class Kernel, class Uses = int (*)(const Case&, int)>
void run(const Sources& in, Kernel kernel, const Run& r, Uses uses = once) {
  const auto wide = tma::make_descriptor<Wide>(tma::TensorView{static_cast<const int*>(in.wide.get()), {tiles * 4, 32}});
  const auto thin = tma::make_descriptor<Thin>(tma::TensorView{static_cast<const short*>(in.thin.get()), {tiles * 3, 8}});
  run_with<Parts>(in, kernel, r, uses, wide, thin);
}

// All cases; in a short run a few, other ones for every kernel.
inline std::vector<Case> chosen_cases(int stages, int threads, Kind kind) {
  std::vector<Case> some;
  for (const Case& c : cases(stages)) {
    const std::uint32_t h = hash(std::uint32_t(c.seed), std::uint32_t(stages), std::uint32_t(threads), std::uint32_t(kind));
    if (!gpu::small_runs() || (h % 5 == 0 && c.all_steps() * threads < 4000)) some.push_back(c);
  }
  if (some.empty()) some.push_back({stages + 1, 1, 0, 1});
  return some;
}

template <Kind K, int Stages> void run_whole_block(const Sources& in) {
  for (int threads : {1, 33, 96, 416})
    run<parts_of<K>>(in, whole_block<K, Stages>, {"the whole block", Stages, threads, chosen_cases(Stages, threads, K)});
}

template <Kind K, int Stages, int... Warps> void run_roles(const Sources& in) {
  (run<parts_of<K>>(in, roles<K, Stages, Warps>, {"roles", Stages, 32 * (Warps + 1), chosen_cases(Stages, 32 * Warps, K)}),
   ...);
}

// All stages, and consumers of 32 to 384 threads.
template <Kind K> void run_all_whole_block() {
  Sources in;
  [&]<int... Less>(std::integer_sequence<int, Less...>) {
    (run_whole_block<K, Less + 1>(in), ...);
  }(std::make_integer_sequence<int, 8>());
}
template <Kind K> void run_all_roles() {
  Sources in;
  [&]<int... Less>(std::integer_sequence<int, Less...>) {
    (run_roles<K, Less + 1, 1, 2, 3, 4, 12>(in), ...);
  }(std::make_integer_sequence<int, 8>());
}

}  // namespace matrix

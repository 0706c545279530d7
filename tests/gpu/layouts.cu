// Where things lie: tiles behind barriers, slots of a few bytes, rows with padding between them, rows that a swizzle permutes,
// and arrays in global memory that are aligned as their elements ask, and no better.
#include <tma/tma.hpp>

#include <cstddef>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

// Slots of 16 to 128 bytes, padded to where a tile may begin; the barrier counts what is copied, and not the padding.
template <class Tile, int Stages>
__global__ void slots(const __grid_constant__ tma::TmaDescriptor<const short, 1, Tile> from, int* wrong, int steps) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  Pipe pipe(tma::shared<typename Pipe::Shared>());
  pipe.for_each(
      steps, [&](auto load, int i) { load(from, {i * Tile::size}); },
      [&](const Tile& tile, int i) {
        for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x))
          if (tile[k] != short(i * Tile::size + k)) atomicAdd(wrong, 1);
      });
}

template <int Elements, int Stages> void check_slots() {
  using Tile = tma::Tile<short, tma::Shape<Elements>>;
  static_assert(Tile::payload_bytes == 2 * Elements && sizeof(Tile) % 128 == 0 && alignof(Tile) == 128);
  constexpr int      steps = 11;
  std::vector<short> data(steps * Elements);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = short(i);
  gpu::Array<short> in(data);
  gpu::Array<int>   wrong(std::vector<int>{0});
  tma::launch(slots<Tile, Stages>, {.grid = 2, .block = 64},
              tma::make_descriptor<Tile>(tma::TensorView{static_cast<const short*>(in.get()), {steps * Elements}}),
              wrong.get(), steps);
  gpu::finish();
  INFO(Elements << " elements, " << Stages << " stages");
  CHECK(wrong.download()[0] == 0);
}

template <int Elements> void check_slots_of() {
  check_slots<Elements, 1>();
  check_slots<Elements, 2>();
  check_slots<Elements, 3>();
  check_slots<Elements, 4>();
}

// Each tile comes right behind an object of eight bytes or less.
using Plain    = tma::Tile<int, tma::Shape<8, 32>>;
using Swizzled = tma::Tile<int, tma::Shape<8, 32>, tma::Swizzle::bytes_128>;
using Narrow   = tma::Tile<int, tma::Shape<8, 8>, tma::Swizzle::bytes_32>;
using Line     = tma::Buffer<int, 36>;

struct Behind {
  tma::LoadBarrier first;
  Plain            plain;
  tma::LoadBarrier second;
  Swizzled         swizzled;
  tma::LoadBarrier third;
  Narrow           narrow;
  char             odd[3];
  Line             line;
  tma::LoadBarrier fourth;
};
static_assert(offsetof(Behind, plain) % 128 == 0 && offsetof(Behind, swizzled) % 1024 == 0);
static_assert(offsetof(Behind, narrow) % 256 == 0 && offsetof(Behind, line) % 16 == 0);
static_assert(offsetof(Behind, second) % 8 == 0 && offsetof(Behind, fourth) % 8 == 0 && alignof(Behind) == 1024);

// The same in dynamic shared memory, which begins at a multiple of 16 and no better, behind static shared memory.
struct FarBehind {
  Behind behind;
  char   more[48 * 1024];
};

template <class Place>
__global__ void behind(const __grid_constant__ tma::TmaDescriptor<int, 2, Plain> plain,
                       const __grid_constant__ tma::TmaDescriptor<int, 2, Swizzled> swizzled,
                       const __grid_constant__ tma::TmaDescriptor<int, 2, Narrow> narrow,
                       tma::AlignedPointer<const int> line, tma::AlignedPointer<int> line_out, int rows, int* wrong) {
  __shared__ int shift[3];
  if (threadIdx.x < 3) shift[threadIdx.x] = int(threadIdx.x);
  auto& place                                = tma::shared<Place>();
  auto& s                                    = *reinterpret_cast<Behind*>(&place);  // itself, or its first member
  auto [block, first, second, third, fourth] = tma::this_block(s.first, s.second, s.third, s.fourth);
  if (auto issuer = block.elect()) {
    issuer.load(plain, {0, 0}, s.plain, first);
    issuer.load(swizzled, {0, 0}, s.swizzled, second);
    issuer.load(narrow, {0, 0}, s.narrow, third);
    issuer.load(line.chunk<36>(0), s.line, fourth);
  }
  first.wait();
  second.wait();
  third.wait();
  fourth.wait();
  for (int k = block.rank(); k < 256; k += block.size()) {
    if (s.plain[k] != k || s.swizzled[k] != k) atomicAdd(wrong, 1);
    if (k < 64 && s.narrow[k] != k / 8 * 32 + k % 8) atomicAdd(wrong, 1);
    if (k < 36 && s.line[k] != k) atomicAdd(wrong, 1);
    if (k < 3 && shift[k] != k) atomicAdd(wrong, 1);
  }
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    stores.store(plain, {rows, 0}, tma::as_loaded(s.plain)).store(swizzled, {2 * rows, 0}, tma::as_loaded(s.swizzled));
    stores.store(narrow, {3 * rows, 0}, tma::as_loaded(s.narrow)).store(line_out.chunk<36>(0), tma::as_loaded(s.line));
  }
}

template <class Place> void check_behind() {
  constexpr int    rows = 8;
  std::vector<int> data(4 * rows * 32, -1);
  for (int i = 0; i < rows * 32; ++i) data[i] = i;
  gpu::Array<int> tensor(data), line(36), wrong(std::vector<int>{0});
  tma::TensorView view{tensor.get(), {4 * rows, 32}};
  tma::launch(behind<Place>, {.grid = 1, .block = 96, .shared = tma::shared_bytes<Place>}, tma::make_descriptor<Plain>(view),
              tma::make_descriptor<Swizzled>(view), tma::make_descriptor<Narrow>(view),
              tma::aligned(static_cast<const int*>(tensor.get())), tma::aligned(line.get()), rows, wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
  const auto h = tensor.download(), l = line.download();
  for (int i = 0; i < rows * 32; ++i) {
    REQUIRE(h[rows * 32 + i] == i);
    REQUIRE(h[2 * rows * 32 + i] == i);
    REQUIRE(h[3 * rows * 32 + i] == (i % 32 < 8 ? i : -1));
  }
  for (int i = 0; i < 36; ++i) REQUIRE(l[i] == i);
}

// Rows of 64 elements, 72 apart: one copy a row, since one copy of all would put the padding's bytes into the next row.
__global__ void padded_rows(tma::AlignedPointer<const short> from, tma::AlignedPointer<short> to, int* wrong) {
  struct Shared {
    tma::Buffer<short, 72> row[16];
    tma::LoadBarrier       barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  for (auto& row : s.row)
    for (auto& x : block.elements(row)) x = short(0x7777);
  block.release(s.row);
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    for (int r = 0; r < 16; ++r) batch.load(from.chunk<64>(r), s.row[r]);
  }
  arrived.wait();
  for (int k = block.rank(); k < 16 * 72; k += block.size())
    if (s.row[k / 72][k % 72] != (k % 72 < 64 ? short(k / 72 * 64 + k % 72) : short(0x7777))) atomicAdd(wrong, 1);
  block.sync();
  for (int k = block.rank(); k < 16 * 72; k += block.size()) s.row[k / 72][k % 72] += 5;
  auto ready = block.publish(s.row[15]);  // what all threads wrote, wherever
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    for (int r = 0; r < 15; ++r) stores.store(to.chunk<64>(r), tma::as_loaded(s.row[r]));
    stores.store(to.chunk<64>(15), ready);
  }
}

// Whether a row holds a one anywhere, holds nothing else, and where it is first: row by row, through indices.
template <class Tile>
__global__ void scan_rows(const __grid_constant__ tma::TmaDescriptor<const int, 2, Tile> from, int* any, int* all,
                          int* first) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  arrived.wait();
  for (int r = block.rank(); r < Tile::rows; r += block.size()) {
    bool has = false, only = true;
    int  at = -1;
    for (int k = 0; k < Tile::row_elements; ++k) {
      const bool one = tile(r, k) != 0;
      if (one && !has) at = k;
      has |= one;
      only &= one;
    }
    bool again = false;  // the same in pieces of 16 bytes
    for (int v = 0; v < Tile::row_elements / 4; ++v)
      for (int j = 0; j < 4; ++j) again |= tile.template vector<4>(r * (Tile::row_elements / 4) + v)[j] != 0;
    any[r]   = has && again;
    all[r]   = only;
    first[r] = at;
  }
}

// A tile from any row of the tensor: the pattern of a swizzle goes by the rows of the tile, not by those of the tensor.
template <class Tile>
__global__ void any_row(const __grid_constant__ tma::TmaDescriptor<const short, 2, Tile> from, int row, short* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {row, 0}, tile, arrived);
  arrived.wait();
  for (int r = block.rank(); r < Tile::rows; r += block.size())
    for (int k = 0; k < Tile::row_elements; ++k) out[r * Tile::row_elements + k] = tile(r, k);
}

template <class Tile> void check_any_row() {
  constexpr int      rows = 90, columns = Tile::row_elements;
  std::vector<short> data(rows * columns);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = short(i);
  gpu::Array<short> in(data), out(Tile::size);
  const auto        from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const short*>(in.get()), {rows, columns}});
  for (int row : {0, 1, 3, 5, 7, 8, 9, 30, -1, -7}) {
    tma::launch(any_row<Tile>, {.grid = 1, .block = 64}, from, row, out.get());
    gpu::finish();
    const auto h = out.download();
    INFO("row " << row);
    for (int i = 0; i < Tile::size; ++i) {
      const int at = row * columns + i;
      REQUIRE(h[i] == (at >= 0 && at < rows * columns ? data[at] : short(0)));
    }
  }
}

template <class Tile> void check_scan() {
  constexpr int    rows = Tile::rows, columns = Tile::row_elements;
  std::vector<int> data(rows * columns), any(rows), all(rows), first(rows, -1);
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < columns; ++k) {
      // Rows of nothing, of ones, and with a single one in a place of their own.
      const bool one        = r % 3 == 1 || (r % 3 == 2 && k == r * 7 % columns);
      data[r * columns + k] = one;
      if (one && first[r] < 0) first[r] = k;
      any[r] |= one;
      all[r] = r % 3 == 1;
    }
  gpu::Array<int> in(data), has(rows), only(rows), at(rows);
  tma::launch(scan_rows<Tile>, {.grid = 1, .block = 32},
              tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {rows, columns}}), has.get(),
              only.get(), at.get());
  gpu::finish();
  CHECK(has.download() == any);
  CHECK(only.download() == all);
  CHECK(at.download() == first);
}

}  // namespace

// Whatever is declared before shifts it: four bytes are all that is promised.
__device__ char  before;
__device__ int   natural[1027];
__device__ char  between[5];
__device__ short natural_shorts[1001];

namespace {

template <class T> __device__ T* array_of();
template <> __device__ int*      array_of<int>() { return natural; }
template <> __device__ short*    array_of<short>() { return natural_shorts; }

template <class T> __global__ void from_natural(T* to, int offset, int count) {
  struct Shared {
    tma::RaggedBuffer<T, 1024> buffer;
    tma::LoadBarrier           barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, buffer, static_cast<const T*>(array_of<T>() + offset), count, arrived);
  arrived.wait();
  for (auto& x : block.elements(data)) x = T(x + 1);
  auto ready = block.publish(data);
  copy.store(block, to, ready);
}

template <class T, int N> void check_natural(T (&symbol)[N]) {
  std::vector<T> data(N);
  for (int i = 0; i < N; ++i) data[i] = T(i * 3);
  T* place = nullptr;
  gpu::require(cudaGetSymbolAddress(reinterpret_cast<void**>(&place), symbol), "the address of a variable");
  gpu::require(cudaMemcpy(place, data.data(), sizeof symbol, cudaMemcpyHostToDevice), "upload");
  gpu::Array<T> out(N);
  for (int offset : {0, 1, 2, 3, 8})
    for (int count : {0, 1, 7, 992}) {
      // Of static size: where it is a multiple of 16, which nobody takes for granted.
      const bool multiple = reinterpret_cast<std::uintptr_t>(place + offset) % 16 == 0;
      CHECK(tma::check_aligned(place + offset).ok() == multiple);
      CHECK(tma::check_aligned(place + offset).has("M10") == !multiple);
      if (!multiple) CHECK_THROWS_AS(tma::aligned(place + offset), tma::Error);
      // Of any size, from anywhere.
      out.fill(0);
      tma::launch(from_natural<T>, {.grid = 1, .block = 64}, out.get() + offset % 3, offset, count);
      gpu::finish();
      const auto h = out.download();
      for (int i = 0; i < N; ++i) {
        const int k = i - offset % 3;
        REQUIRE(h[i] == (k >= 0 && k < count ? T(data[offset + k] + 1) : T(0)));
      }
    }
}

}  // namespace

TEST_CASE("slots of less than an alignment, in every depth") {
  check_slots_of<8>();
  check_slots_of<16>();
  check_slots_of<32>();
  check_slots_of<48>();
  check_slots_of<64>();
}

TEST_CASE("tiles behind barriers lie where the engine asks") {
  check_behind<Behind>();
  check_behind<FarBehind>();
}

TEST_CASE("rows with padding between them are copied one by one") {
  std::vector<short> data(16 * 64);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = short(i);
  gpu::Array<short> in(data), out(data.size() + 8);
  gpu::Array<int>   wrong(std::vector<int>{0});
  out.fill(0x5a);
  tma::launch(padded_rows, {.grid = 1, .block = 96}, tma::aligned(static_cast<const short*>(in.get())),
              tma::aligned(out.get()), wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
  const auto h = out.download();
  for (int i = 0; i < 16 * 64 + 8; ++i) REQUIRE(h[i] == (i < 16 * 64 ? short(i + 5) : short(0x5a5a)));
}

TEST_CASE("rows are scanned in their order, whatever the swizzle") {
  check_scan<tma::Tile<int, tma::Shape<24, 32>>>();
  check_scan<tma::Tile<int, tma::Shape<24, 32>, tma::Swizzle::bytes_128>>();
  check_scan<tma::Tile<int, tma::Shape<24, 16>, tma::Swizzle::bytes_64>>();
  check_scan<tma::Tile<int, tma::Shape<24, 8>, tma::Swizzle::bytes_32>>();
  check_scan<tma::Tile<int, tma::Shape<24, 12>, tma::Swizzle::bytes_128>>();  // with padding
}

TEST_CASE("tiles begin at any row, whatever the swizzle") {
  check_any_row<tma::Tile<short, tma::Shape<64, 64>, tma::Swizzle::bytes_128>>();
  check_any_row<tma::Tile<short, tma::Shape<64, 32>, tma::Swizzle::bytes_64>>();
  check_any_row<tma::Tile<short, tma::Shape<64, 16>, tma::Swizzle::bytes_32>>();
  check_any_row<tma::Tile<short, tma::Shape<61, 48>, tma::Swizzle::bytes_128>>();
  check_any_row<tma::Tile<short, tma::Shape<64, 64>>>();
}

TEST_CASE("arrays that are aligned as their elements are asked where they lie") {

  check_natural<int>(natural);
  check_natural<short>(natural_shorts);
}

// Memory that grows: chunks mapped side by side into one reserved range. What the driver says of them, and loads across.
#include <tma/host/check_allocation.hpp>
#include <tma/tma.hpp>

#include <cuda.h>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

template <class Function> Function* driver_call(const char* name, Function*) {
  void*                           entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  gpu::require(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found), name);
  REQUIRE(entry);
  return reinterpret_cast<Function*>(entry);
}
#define DRIVER(name) driver_call(#name, static_cast<decltype(&name)>(nullptr))

bool has_virtual_memory() {
  int device = 0, has = 0;
  cudaGetDevice(&device);
  CUdevice d = 0;
  DRIVER(cuDeviceGet)(&d, device);
  DRIVER(cuDeviceGetAttribute)(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, d);
  return has != 0;
}

// A reserved range of so many chunks, some of them mapped.
class Range {
public:
  explicit Range(int chunks) : chunks_(chunks), mapped_(std::size_t(chunks)) {
    gpu::require(cudaFree(nullptr), "context");
    int device = 0;
    cudaGetDevice(&device);
    properties_.type          = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties_.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties_.location.id   = device;
    check(DRIVER(cuMemGetAllocationGranularity)(&bytes_, &properties_, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    check(DRIVER(cuMemAddressReserve)(&base_, size(), 0, 0, 0));
  }
  ~Range() {
    cudaDeviceSynchronize();
    for (int i = 0; i < chunks_; ++i)
      if (mapped_[std::size_t(i)]) unmap(i);
    DRIVER(cuMemAddressFree)(base_, size());
  }
  Range(const Range&)            = delete;
  Range& operator=(const Range&) = delete;

  void map(int i) {
    CUmemGenericAllocationHandle handle = 0;
    CUmemAccessDesc              access{properties_.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const CUdeviceptr            at = base_ + CUdeviceptr(i) * bytes_;
    check(DRIVER(cuMemCreate)(&handle, bytes_, &properties_, 0));
    check(DRIVER(cuMemMap)(at, bytes_, 0, handle, 0));
    check(DRIVER(cuMemRelease)(handle));
    check(DRIVER(cuMemSetAccess)(at, bytes_, &access, 1));
    mapped_[std::size_t(i)] = true;
  }
  void unmap(int i) {
    check(DRIVER(cuMemUnmap)(base_ + CUdeviceptr(i) * bytes_, bytes_));
    mapped_[std::size_t(i)] = false;
  }
  float*      data() const { return reinterpret_cast<float*>(base_); }
  std::size_t chunk() const { return bytes_; }
  std::size_t size() const { return bytes_ * std::size_t(chunks_); }

private:
  static void check(CUresult e) { REQUIRE(e == CUDA_SUCCESS); }

  int                 chunks_;
  std::vector<bool>   mapped_;
  CUmemAllocationProp properties_{};
  std::size_t         bytes_ = 0;
  CUdeviceptr         base_  = 0;
};

using Moved = tma::Tile<float, tma::Shape<8, 32>>;
using Map   = tma::TmaDescriptor<const float, 2, Moved>;

__global__ void sum_tile(const __grid_constant__ Map from, int row, float* out) {
  struct Shared {
    Moved            tile;
    tma::LoadBarrier barrier;
  };
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {row, 0}, tile, arrived);
  arrived.wait();
  if (block.rank() != 0) return;
  *out = 0;
  for (int i = 0; i < Moved::size; ++i) *out += tile[i];
}

}  // namespace

TEST_CASE("a tensor that spans chunks of one reserved range lies in its memory; a hole is a broken rule") {
  if (!has_virtual_memory()) return;
  Range range(4);
  for (int i : {0, 1, 3}) range.map(i);
  const long long  rows  = static_cast<long long>(range.chunk() / 128);  // of 32 floats, a chunk
  float* const     data  = range.data();
  const auto       view  = [&](long long from, long long count) { return tma::TensorView{data + from * 32, {count, 32}}; };
  const auto       judge = [&](long long from, long long count) { return tma::check_allocation(view(from, count)); };
  const tma::Error whole = judge(0, 2 * rows);
  INFO(whole.what());
  CHECK(!whole);
  CHECK(!judge(0, rows));
  CHECK(!judge(rows - 8, 16));
  CHECK(!judge(rows, rows));
  // Into the hole, and across it.
  for (const long long count : {2 * rows + 1, 3 * rows, 4 * rows}) {
    const tma::Error error = judge(0, count);
    INFO(error.what());
    REQUIRE(error.report().has("M12"));
    CHECK(std::string(error.what()).find("nothing is mapped") != std::string::npos);
  }
  // Beyond the range.
  CHECK(!judge(3 * rows, rows));
  CHECK(judge(3 * rows, rows + 1).report().has("M12"));
  // Downwards, across the border of two chunks.
  CHECK(!tma::check_allocation(tma::TensorView{data + (rows + 4) * 32, {8, 32}, {-32, 1}}));
  CHECK(tma::check_allocation(tma::TensorView{data + 3 * rows * 32, {8, 32}, {-32, 1}}).report().has("M12"));

  range.map(2);
  const tma::Error all = judge(0, 4 * rows);
  INFO(all.what());
  CHECK(!all);
  range.unmap(1);
  CHECK(judge(0, 4 * rows).report().has("M12"));
}

TEST_CASE("a tile across the border of two chunks is loaded") {
  if (!has_virtual_memory()) return;
  Range range(2);
  range.map(0);
  range.map(1);
  const long long    rows = static_cast<long long>(range.chunk() / 128);
  gpu::Array<float>  out(1);
  std::vector<float> ones(2 * range.chunk() / sizeof(float), 1);
  gpu::require(cudaMemcpy(range.data(), ones.data(), 2 * range.chunk(), cudaMemcpyHostToDevice), "write");
  const Map map = tma::make_descriptor<Moved>(tma::TensorView{static_cast<const float*>(range.data()), {2 * rows, 32}});
  tma::launch(sum_tile, {.grid = 1, .block = 32}, map, int(rows) - 4, out.get());
  gpu::finish();
  CHECK(out.download()[0] == 256);
}

TEST_CASE("allocations of cudaMalloc and of a pool end where they end, whatever lies behind them") {
  // Of many small ones some are neighbours.
  std::vector<std::pair<float*, bool>> all;
  for (int i = 0; i < 64; ++i) {
    float* p = nullptr;
    gpu::require(i % 2 ? cudaMalloc(&p, 4096) : cudaMallocAsync(&p, 4096, nullptr), "allocate");
    all.emplace_back(p, i % 2 != 0);
  }
  float* large[2] = {};
  for (float*& p : large) gpu::require(cudaMalloc(&p, std::size_t(4) << 20), "allocate");
  gpu::finish();
  for (const auto& [p, plain] : all) {
    INFO((plain ? "cudaMalloc" : "cudaMallocAsync"));
    CHECK(!tma::check_allocation(tma::TensorView{p, {32, 32}}));
    if (plain) CHECK(tma::check_allocation(tma::TensorView{p, {64, 32}}).report().has("M12"));
  }
  for (float* p : large) {
    CHECK(!tma::check_allocation(tma::TensorView{p, {1 << 15, 32}}));
    CHECK(tma::check_allocation(tma::TensorView{p, {1 << 16, 32}}).report().has("M12"));
  }
  for (const auto& [p, plain] : all) plain ? cudaFree(p) : cudaFreeAsync(p, nullptr);
  for (float* p : large) cudaFree(p);
}

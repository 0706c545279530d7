// Faults with memory of the host: a kernel follows a pointer to it, or copies through a descriptor that lies there.
#include "faults.hpp"

#include <tma/device/descriptor_acquire.hpp>
#include <tma/host/descriptor_array.hpp>

#include <cuda_pipeline_primitives.h>

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace faults;

namespace {

enum class Where { device, managed, pinned, stack, heap, large, static_variable };

int static_values[64];

// Values of the host, or of the device, to be read.
template <class Use> void with_values(Where where, Use use) {
  constexpr std::size_t bytes        = 64 * sizeof(int);
  int                   on_stack[64] = {};
  int*                  p            = nullptr;
  switch (where) {
    case Where::device: gpu::require(cudaMalloc(&p, bytes), "device"); break;
    case Where::managed: gpu::require(cudaMallocManaged(&p, bytes), "managed"); break;
    case Where::pinned: gpu::require(cudaMallocHost(&p, bytes), "pinned"); break;
    case Where::stack: p = on_stack; break;
    case Where::heap: p = static_cast<int*>(std::calloc(64, sizeof(int))); break;
    case Where::large: p = static_cast<int*>(std::calloc(1 << 20, sizeof(int))); break;
    case Where::static_variable: p = static_values; break;
  }
  if (where == Where::device) gpu::require(cudaMemset(p, 0, bytes), "set");
  else std::memset(p, 0, bytes);
  use(p);
  switch (where) {
    case Where::device:
    case Where::managed: cudaFree(p); break;
    case Where::pinned: cudaFreeHost(p); break;
    case Where::heap:
    case Where::large: std::free(p); break;
    default: break;
  }
}

__global__ void read_all(const int* values, int* out) {
  out[threadIdx.x] = values[threadIdx.x];  // <read_all.read>
}
__global__ void write_all(int* values, int*) {
  values[threadIdx.x] = 1;  // <write_all.write>
}
__global__ void add_all(int* values, int*) {
  atomicAdd(values, 1);  // <add_all.add>
}

struct Nested {
  char       tag;
  const int* values;
};
__global__ void read_nested(Nested n, int* out) {
  out[threadIdx.x] = n.values[threadIdx.x];  // <read_nested.read>
}

__global__ void copy_async(const int* values, int* out) {
  auto& to = tma::shared<tma::Buffer<int, 256>>();
  __pipeline_memcpy_async(&to[4 * int(threadIdx.x)], values + 4 * (threadIdx.x % 16), 16);  // <copy_async.copy>
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = to[4 * int(threadIdx.x)];
}

__global__ void load_bulk(const int* values, int* out) {
  struct Room {
    tma::Buffer<int, 64> to;
    tma::LoadBarrier     barrier;
  };
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (ptx::thread_rank() == 0) {
    const u32 barrier = ptx::shared_address(&s.barrier);
    ptx::mbarrier_arrive_expect_tx(barrier, 256);
    ptx::bulk_load(ptx::shared_address(&s.to), values, 256, barrier);  // <load_bulk.load>
  }
  arrived.wait();
  out[threadIdx.x] = s.to[int(threadIdx.x)];
}

template <auto Kernel, Where Wrong, Where Right = Where::device> void run_values(bool faulty) {
  gpu::Array<int> out(64);
  with_values(faulty ? Wrong : Right, [&](int* p) { tma::launch(Kernel, {.grid = 1, .block = 64}, p, out.get()); });
}
template <Where Wrong> void run_nested(bool faulty) {
  gpu::Array<int> out(64);
  with_values(faulty ? Wrong : Where::device,
              [&](int* p) { tma::launch(read_nested, {.grid = 1, .block = 64}, Nested{1, p}, out.get()); });
}

constexpr const char* rule = "a kernel must use memory that the device reads";
constexpr const char* fix  = "Fix: allocate it by cudaMalloc";

FAULT(host_stack_read, "a kernel reads a variable of the function that launches it",
      .run = run_values<read_all, Where::stack>, .kind = Kind::bad_address,
      .says = {"thread 0 reads 0x", "ordinary memory of the host (", rule, fix}, .lines = {"read_all.read"})
FAULT(host_heap_read, "a kernel reads memory of malloc", .run = run_values<read_all, Where::heap, Where::managed>,
      .kind = Kind::bad_address, .says = {"thread 0 reads 0x", "(where parameter 0 of the kernel points)", rule, fix},
      .lines = {"read_all.read"})
FAULT(host_large_read, "a kernel reads memory of malloc, mapped for itself",
      .run = run_values<read_all, Where::large, Where::pinned>, .kind = Kind::bad_address,
      .says = {"thread 0 reads 0x", "parameter 0", rule, fix}, .lines = {"read_all.read"})
FAULT(host_static_read, "a kernel reads a variable of the host by its address",
      .run = run_values<read_all, Where::static_variable>, .kind = Kind::bad_address,
      .says = {"thread 0 reads 0x", "parameter 0", rule, fix}, .lines = {"read_all.read"})
FAULT(host_nested_read, "a kernel reads memory of the host by a pointer within a parameter", .run = run_nested<Where::heap>,
      .kind = Kind::bad_address, .says = {"reads 0x", "parameter 0", rule, fix}, .lines = {"read_nested.read"})
FAULT(host_written, "a kernel writes memory of the host", .run = run_values<write_all, Where::heap, Where::managed>,
      .kind = Kind::bad_address, .says = {"thread 0 writes 0x", "parameter 0", rule, fix}, .lines = {"write_all.write"})
FAULT(host_atomic, "an atomic operation on memory of the host", .run = run_values<add_all, Where::stack, Where::pinned>,
      .kind = Kind::bad_address, .says = {"writes 0x", rule, fix}, .lines = {"add_all.add"})
FAULT(host_cp_async, "a cp.async from memory of the host", .run = run_values<copy_async, Where::heap>,
      .kind = Kind::bad_address, .says = {"copies by cp.async from 0x", rule, fix}, .lines = {"copy_async.copy"})
FAULT(host_bulk, "a one-dimensional copy from memory of the host", .run = run_values<load_bulk, Where::large>,
      .kind = Kind::out_of_bounds, .says = {"in no allocation of device memory, but", "parameter 0", rule, fix},
      .lines = {"load_bulk.load"})

// --- descriptors -----------------------------------------------------------------------------------------------------

struct Room {
  Tile             tile;
  tma::LoadBarrier barrier;
};

struct Pair {
  int tag;
  Map map;
};

__global__ void load_through(const Map* map, int* out) {
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (ptx::thread_rank() == 0) {
    tma::acquire(*map);
    const u32 barrier = ptx::shared_address(&s.barrier);
    ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
    ptx::tensor_load<2>(ptx::shared_address(&s.tile), tma::tensor_map(*map), {{0, 4}}, barrier);  // <load_through.load>
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

enum class Place { stack, heap, member };

template <Place Where> void run_map(bool faulty) {
  Data                      d;
  const Map                 on_stack = d.from;
  const auto                on_heap  = std::make_unique<Pair>(Pair{1, d.from});
  tma::DescriptorArray<Map> array(1);
  array.set(0, d.from);
  array.upload();
  const Map* right = tma::detail::SlotsAccess::first(array.slots());
  const Map* wrong = Where == Place::stack ? &on_stack : &on_heap->map;
  tma::launch(load_through, {.grid = 1, .block = 64}, faulty ? wrong : right, d.out.get());
}

constexpr const char* place = "a descriptor must lie in a kernel parameter, in __constant__ or in global memory";

FAULT(map_on_host_stack, "a copy through a descriptor that is a variable of the host", .run = run_map<Place::stack>,
      .kind = Kind::bad_descriptor, .says = {"thread 0 uses the descriptor at 0x", "ordinary memory of the host", place},
      .lines = {"load_through.load"})
FAULT(map_on_host_heap, "a copy through a descriptor in memory of malloc", .run = run_map<Place::heap>,
      .kind  = Kind::bad_descriptor,
      .says  = {"uses the descriptor at 0x", "where parameter 0 of the kernel points", "tma::DescriptorArray"},
      .lines = {"load_through.load"})

// --- what is right ---------------------------------------------------------------------------------------------------

__device__ int   device_values[64];
__constant__ int constant_values[64] = {1, 2, 3};
__global__ void  read_variables(long long number, double x, const void* unused, int* out) {
  out[threadIdx.x] = device_values[threadIdx.x] + constant_values[threadIdx.x] + int(number) + int(x) + (unused ? 1 : 0);
}
__global__ void read_device(const int* values, int* out) { out[threadIdx.x] = values[threadIdx.x]; }

}  // namespace

TEST_CASE("variables of the device, and pointers to the host that nobody follows, are no memory of the host") {
  gpu::Array<int> out(64);
  const auto      handle = std::make_unique<int>(3);
  void*           values = nullptr;
  gpu::require(cudaGetSymbolAddress(&values, device_values), "symbol");
  const auto found = tma::machine::explore({.schedules = 3}, [&] {
    tma::launch(read_variables, {.grid = 1, .block = 64}, 0x7f0000000000ll, 1.5, handle.get(), out.get());
    tma::launch(read_device, {.grid = 1, .block = 64}, static_cast<const int*>(values), out.get());
  });
  INFO(found.text());
  CHECK(found.clean());
}

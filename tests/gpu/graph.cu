// Descriptors in recorded launches (CUDA graphs), and through every way to launch a kernel. A device has these, the CPU
// machine has not.
#include "transfer.hpp"

#include <tma/device/descriptor_acquire.hpp>
#include <tma/host/descriptor_array.hpp>

#include <cuda.h>

#include <optional>

using tma::Shape;
using tma::Tile;

namespace {

using Moved = Tile<int, Shape<8, 32>>;
using Map   = transfer::ConstDescriptor<Moved>;

struct Room {
  Moved            tile;
  tma::LoadBarrier barrier;
};

__global__ void copy_tile(const __grid_constant__ Map from, int* out) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, tile, arrived);
  arrived.wait();
  for (int i = block.rank(); i < Moved::size; i += block.size()) out[i] = tile[i];
}

__global__ void copy_slot(tma::DescriptorSlots<Map> slots, int i, int* out) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, tile, arrived);
  arrived.wait();
  for (int e = block.rank(); e < Moved::size; e += block.size()) out[e] = tile[e];
}

struct Got {
  int   first, tag, second;
  float x;
  bool  operator==(const Got&) const = default;
};

__global__ void arguments(const __grid_constant__ Map a, int tag, const __grid_constant__ Map b, float x, Got* out) {
  auto& [tile, barrier] = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(a, {0, 0}, tile, arrived);
  arrived.wait();
  const int first = tile[Moved::size - 1];
  block.release(tile);
  if (auto issuer = block.elect()) issuer.load(b, {0, 0}, tile, arrived);
  arrived.wait();
  if (block.rank() == 0) *out = {first, tag, tile[Moved::size - 1], x};
}

struct Tensor {
  explicit Tensor(int value) : data(std::vector<int>(Moved::size, value)) {}
  Map  map() const { return tma::make_descriptor<Moved>(tma::TensorView{static_cast<const int*>(data.get()), {8, 32}}); }
  void become(int value) { data.upload(std::vector<int>(Moved::size, value)); }
  gpu::Array<int> data;
};

struct Stream {
  Stream() { gpu::require(cudaStreamCreate(&stream), "stream"); }
  ~Stream() { cudaStreamDestroy(stream); }
  cudaStream_t stream = nullptr;
};

class Graph {
public:
  template <class Record> explicit Graph(Record record) {
    Stream s;
    gpu::require(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal), "begin capture");
    record(s.stream);
    gpu::require(cudaStreamEndCapture(s.stream, &graph_), "end capture");
    gpu::require(cudaGraphInstantiate(&program_, graph_, 0), "instantiate");
  }
  ~Graph() {
    cudaGraphExecDestroy(program_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&)            = delete;
  Graph& operator=(const Graph&) = delete;

  void run() {
    gpu::require(cudaGraphLaunch(program_, nullptr), "graph launch");
    gpu::finish();
  }
  cudaGraphNode_t node() const {
    cudaGraphNode_t node  = nullptr;
    std::size_t     count = 1;
    gpu::require(cudaGraphGetNodes(graph_, &node, &count), "nodes");
    return node;
  }
  cudaGraphExec_t program() const { return program_; }
  cudaGraph_t     graph() const { return graph_; }

private:
  cudaGraph_t     graph_   = nullptr;
  cudaGraphExec_t program_ = nullptr;
};

// Leaves other bytes where a caller's caller had its objects.
[[gnu::noinline]] void overwrite_stack() {
  volatile unsigned char bytes[16384];
  for (volatile unsigned char& b : bytes) b = 0xee;
}

[[gnu::noinline]] void record_copy(cudaStream_t stream, const Tensor& tensor, int* out) {
  const Map map = tensor.map();
  tma::launch(copy_tile, {.grid = 1, .block = 64, .stream = stream}, map, out);
}

bool all_are(const gpu::Array<int>& out, int expected) {
  for (int x : out.download())
    if (x != expected) return false;
  return true;
}

}  // namespace

TEST_CASE("a recorded launch holds its descriptor by value: the host's object may go") {
  Tensor          tensor(1);
  gpu::Array<int> out(Moved::size);
  Graph           graph([&](cudaStream_t stream) {
    record_copy(stream, tensor, out.get());
    overwrite_stack();
  });
  for (int replay = 0; replay < 3; ++replay) {
    tensor.become(10 + replay);  // data may change, the address not
    out.fill(0xee);
    overwrite_stack();
    graph.run();
    CHECK(all_are(out, 10 + replay));
  }
}

TEST_CASE("a tensor that moved: the recorded launch goes on with the old address until it is given a new descriptor") {
  Tensor          before(1), after(2);
  gpu::Array<int> out(Moved::size);
  Map             map = before.map();
  Graph graph([&](cudaStream_t s) { tma::launch(copy_tile, {.grid = 1, .block = 64, .stream = s}, map, out.get()); });
  map = after.map();
  graph.run();
  CHECK(all_are(out, 1));

  cudaKernelNodeParams node{};
  gpu::require(cudaGraphKernelNodeGetParams(graph.node(), &node), "node");
  int*  result       = out.get();
  void* parameters[] = {&map, &result};
  node.kernelParams  = parameters;
  node.extra         = nullptr;
  gpu::require(cudaGraphExecKernelNodeSetParams(graph.program(), graph.node(), &node), "new parameters");
  map = {};  // held by value here too
  for (int replay = 0; replay < 3; ++replay) {
    out.fill(0xee);
    graph.run();
    CHECK(all_are(out, 2));
  }

  // Or recorded again, and put in place of the old as a whole.
  const Graph                   again([&](cudaStream_t s) { record_copy(s, before, out.get()); });
  cudaGraphExecUpdateResultInfo info{};
  gpu::require(cudaGraphExecUpdate(graph.program(), again.graph(), &info), "update");
  graph.run();
  CHECK(all_are(out, 1));
}

TEST_CASE("a recorded launch reads slots when it runs: what was uploaded last") {
  Tensor                    one(1), two(2);
  gpu::Array<int>           out(Moved::size);
  const Map                 maps[] = {one.map(), two.map()};
  tma::DescriptorArray<Map> array(3);
  Graph                     graph(
      [&](cudaStream_t s) { tma::launch(copy_slot, {.grid = 1, .block = 64, .stream = s}, array.slots(), 1, out.get()); });
  for (int replay = 0; replay < 100; ++replay) {
    array.set(1, maps[replay % 2]);
    array.upload();
    array.set(1, {});  // the host's copy is read when `upload` returns
    graph.run();
    REQUIRE(all_are(out, replay % 2 + 1));
  }
}

TEST_CASE("an upload is refused while the stream is captured, and the capture goes on") {
  Tensor                    tensor(5);
  gpu::Array<int>           out(Moved::size);
  tma::DescriptorArray<Map> array(1);
  array.set(0, tensor.map());
  array.upload();
  Graph graph([&](cudaStream_t s) {
    CHECK(array.try_upload(s).report().has("D4"));
    tma::launch(copy_slot, {.grid = 1, .block = 64, .stream = s}, array.slots(), 0, out.get());
    CHECK(array.try_upload().report().has("D4"));  // the default stream would be drawn in
  });
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  for (int replay = 0; replay < 3; ++replay) {
    out.fill(0xee);
    graph.run();
    CHECK(all_are(out, 5));
  }
}

TEST_CASE("an array is made, filled and uploaded to another stream beside a capture, and dropped beside another") {
  Tensor                                   tensor(7);
  gpu::Array<int>                          out(Moved::size);
  const Map                                map = tensor.map();
  std::optional<tma::DescriptorArray<Map>> array;
  cudaStream_t                             other = nullptr;
  gpu::require(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
  {
    Graph graph([&](cudaStream_t s) {
      array.emplace(2);
      array->set(1, map);
      const tma::Error error = array->try_upload(other);
      INFO(error.what());
      CHECK(!error);
      tma::launch(copy_slot, {.grid = 1, .block = 64, .stream = s}, array->slots(), 1, out.get());
    });
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    gpu::require(cudaStreamSynchronize(other), "upload");
    for (int replay = 0; replay < 3; ++replay) {
      out.fill(0xee);
      graph.run();
      CHECK(all_are(out, 7));
    }
  }
  Graph again([&](cudaStream_t s) {
    tma::launch(copy_tile, {.grid = 1, .block = 64, .stream = s}, map, out.get());
    array.reset();
  });
  again.run();
  CHECK(all_are(out, 7));
  cudaStreamDestroy(other);
}

TEST_CASE("descriptors among other arguments arrive whole by every way to launch") {
  Tensor          one(1), two(2);
  gpu::Array<Got> out(1);
  Map             a = one.map(), b = two.map();
  int             tag    = 0x5a5a;
  float           x      = 1.5f;
  Got*            result = out.get();
  const auto      got    = [&] {
    gpu::finish();
    Got g{};
    gpu::require(cudaMemcpy(&g, out.get(), sizeof g, cudaMemcpyDeviceToHost), "download");
    out.fill(0xee);
    return g;
  };
  const Got expected{1, 0x5a5a, 2, 1.5f};

  arguments<<<1, 64>>>(a, tag, b, x, result);
  CHECK(got() == expected);
  tma::launch(arguments, {.grid = 1, .block = 64}, a, tag, b, x, result);
  CHECK(got() == expected);

  void*              parameters[] = {&a, &tag, &b, &x, &result};
  cudaLaunchConfig_t config{};
  config.gridDim  = dim3(1);
  config.blockDim = dim3(64);
  gpu::require(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(arguments), parameters), "cudaLaunchKernelExC");
  CHECK(got() == expected);
  gpu::require(cudaLaunchKernelEx(&config, arguments, a, tag, b, x, result), "cudaLaunchKernelEx");
  CHECK(got() == expected);

  // The driver's own call: parameters by pointer, and packed.
  cudaFunction_t function = nullptr;
  gpu::require(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(arguments)), "function");
  void*                           entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  gpu::require(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &entry, 4000, cudaEnableDefault, &found),
               "cuLaunchKernel");
  REQUIRE(entry);
  const auto launch = reinterpret_cast<decltype(&cuLaunchKernel)>(entry);
  REQUIRE(launch(function, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS);
  CHECK(got() == expected);

  // Packed by hand, parameters lie where the driver says: the first is not at 0 where one of them is aligned to 64.
  entry = nullptr;
  gpu::require(cudaGetDriverEntryPointByVersion("cuFuncGetParamInfo", &entry, 12040, cudaEnableDefault, &found),
               "cuFuncGetParamInfo");
  REQUIRE(entry);
  const auto                 place_of = reinterpret_cast<decltype(&cuFuncGetParamInfo)>(entry);
  std::vector<unsigned char> packed;
  for (int i = 0; i < 5; ++i) {
    std::size_t offset = 0, bytes = 0;
    REQUIRE(place_of(function, std::size_t(i), &offset, &bytes) == CUDA_SUCCESS);
    packed.resize(offset + bytes);
    std::memcpy(packed.data() + offset, parameters[i], bytes);
  }
  std::size_t size = packed.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  REQUIRE(launch(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) == CUDA_SUCCESS);
  CHECK(got() == expected);
}

// overlap: how much of the copies runs beside the work, and what tile, stages and blocks are worth.
#include <string>
#include <vector>

#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "../transpose/buffers.cuh"
#include "candidates.cuh"
#include "model.cuh"
#include "verify.cuh"

const harness::About harness::about{
    "overlap", "Searches tile, stages and blocks of streaming kernels over arithmetic intensity, and of transposes; and "
               "fits how copies and work overlap."};

namespace {

using namespace overlap;
using harness::Bench;
using harness::Kind;

constexpr std::size_t elements = std::size_t(1) << 28;  // 1 GiB an array

__global__ void fill(float* data, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < elements;
       i += std::size_t(gridDim.x) * blockDim.x)
    data[i] = sweep::input_at(i, seed);
}

// Measures all configurations at each intensity. bench/advise judges the library's advice by it. `verify(blocks, fma)` tells
// what is wrong after a launch; `blocks` is its grid where they stay.
template <class Verify>
void search(Bench& bench, const std::string& what, double array_bytes, const std::vector<Candidate>& candidates,
            const std::vector<int>& intensities, const Verify& verify) {
  const tma::StreamKernel kernel = kernel_of(what, 0);
  for (const int fma : intensities) {
    harness::Point point{.name     = what + " fma " + std::to_string(fma),
                         .mode     = "cold",
                         .unit     = harness::Unit::gb_per_s,
                         .work     = array_bytes * (kernel.inputs + kernel.outputs),
                         .variants = {},
                         .limit    = 4800,
                         .samples  = 12};
    for (const Candidate& c : candidates) {
      const int blocks = c.configuration.blocks_per_multiprocessor * bench.machine().multiprocessors;
      point.variants.push_back({c.configuration.name(), Kind::ours, [&c, fma](int) { c.launch(fma); },
                                [&verify, blocks, fma] { return verify(blocks, fma); }, c.in_flight});
    }
    bench.measure(point);
  }
}

// Of a matrix that is many times L2. Its memory is held no longer than that takes.
template <class T> void search_transposes(Bench& bench, const char* what) {
  if (!bench.wants(what)) return;
  const int                n      = bench.quick() ? 4096 : 32768;
  const transpose::Work    matrix = transpose::matrix(n, n);
  const transpose::Places  places = transpose::places_of(matrix, transpose::Turn::transposed);
  const transpose::Buffers buffers(sizeof(T) * std::size_t(n) * std::size_t(n), bench.options().seed);
  search(bench, what, double(buffers.bytes),
         transposes(reinterpret_cast<const T*>(buffers.from.data), reinterpret_cast<T*>(buffers.to.data), matrix,
                    bench.machine().multiprocessors),
         {0}, [&](int, int) { return transpose::verify<T>(buffers, places); });
}

}  // namespace

void harness::run(Bench& bench) {
  DeviceArray<float> a(elements), b(elements), c(elements);
  for (auto* x : {&a, &b}) fill<<<2048, 256>>>(x->data, bench.options().seed);
  const Job              job{{a.data, b.data}, c.data, elements, bench.machine().multiprocessors};
  const std::vector<int> intensities = bench.quick() ? std::vector<int>{0, 64} : std::vector<int>{0, 16, 32, 64, 256};

  Verifier verifier(job);
  if (bench.wants("depth")) fit_overlap(bench, verifier, job);

  const auto part = [&](const char* what, auto candidates) {
    if (!bench.wants(what)) return;
    const tma::StreamKernel kernel = kernel_of(what, 0);
    search(bench, what, 4. * elements, candidates(job), intensities, [&](int blocks, int fma) {
      return kernel.outputs ? verifier.moved(kernel.inputs, fma) : verifier.read(blocks * threads, fma);
    });
  };
  part("read", readers);
  part("copy", copies);
  part("triad", triads);
  search_transposes<float>(bench, "transpose-f32");
  search_transposes<transpose::Half>(bench, "transpose-f16");
}

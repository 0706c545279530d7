// geometry: what the shape of a box, and what else a descriptor says, costs a kernel that only reads.
#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "studies.hpp"

const harness::About harness::about{"geometry", "Measures reading by tensor copies over the length of a box's rows, its "
                                                "rank, size, element type, swizzle, L2 promotion, "
                                                "cache hints, element strides and the share of it that lies outside the "
                                                "tensor: from memory and from L2, beside loads by "
                                                "threads."};

void harness::run(Bench& bench) {
  using namespace geometry;
  constexpr unsigned long long mib = 1 << 20, memory = 1024 * mib;
  DeviceArray<unsigned char>   data(memory);
  DeviceArray<unsigned>        result(8 * results);
  require(cudaMemset(result.data, 0, 8 * results * sizeof(unsigned)), "cudaMemset");
  randomise<<<4096, 256>>>(reinterpret_cast<unsigned*>(data.data), memory / 4, bench.options().seed);
  bench.note("GB/s of the bytes of boxes, as they come to shared memory; every word is folded by threads there");
  bench.note("4 blocks an SM, each a warp that loads 32 KiB ahead and four that fold; boxes of 4 KiB if nothing is said");
  bench.note("matrix: rows of 16 KiB, so that each row of a box is elsewhere; dense: a box is one piece of memory");
  bench.note(
      "cold: 256 MiB a launch, of 1 GiB in turns; l2: 16 MiB, nine times a launch; limit: the data sheet's 4800 GB/s");
  const int multiprocessors = bench.machine().multiprocessors;
  measure_studies(bench, "cold", {data.data, 256 * mib, 4, 1, result.data, multiprocessors});
  measure_studies(bench, "l2", {data.data, 16 * mib, 1, 9, result.data, multiprocessors});
}

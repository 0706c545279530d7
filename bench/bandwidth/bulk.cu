// Tiles of one dimension.
#include "kernels.cuh"

namespace bandwidth {

void add_bulk(Readers& to, const Source& source) {
  const auto in = tma::aligned(source.data);
  add_rings<tma::Buffer<Word, 512>>(to, "bulk", in, source);
  add_rings<tma::Buffer<Word, 1024>>(to, "bulk", in, source);
  add_rings<tma::Buffer<Word, 2048>>(to, "bulk", in, source);
  add_rings<tma::Buffer<Word, 4096>>(to, "bulk", in, source);
  add_rings<tma::Buffer<Word, 8192>>(to, "bulk", in, source);
}

}  // namespace bandwidth

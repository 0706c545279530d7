// Tiles of a matrix: rows of 256 bytes, and of 1 KiB, the widest.
#include "kernels.cuh"

namespace bandwidth {
namespace {

template <int Rows, int Columns> void add(Readers& to, const char* name, const Source& s) {
  using Tile = tma::Tile<Word, tma::Shape<Rows, Columns>>;
  const auto in =
      tma::make_descriptor<Tile>(tma::TensorView<const Word, 2>{s.data, {s.words / Source::columns, Source::columns}});
  add_rings<Tile>(to, name, in, s);
}

}  // namespace

void add_tensor(Readers& to, const Source& source) {
  add<16, 64>(to, "tensor rows of 256 B", source);
  add<32, 64>(to, "tensor rows of 256 B", source);
  add<64, 64>(to, "tensor rows of 256 B", source);
  add<128, 64>(to, "tensor rows of 256 B", source);
  add<8, 256>(to, "tensor rows of 1 KiB", source);
  add<32, 256>(to, "tensor rows of 1 KiB", source);
}

}  // namespace bandwidth

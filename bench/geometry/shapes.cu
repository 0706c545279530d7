// Boxes of other sizes, and of other elements.
#include "engine.cuh"

namespace geometry {

Launch read_sized(const Spec& s, const Source& from) {
  switch (s.box_bytes()) {
    case 1024: return engine<tma::Tile<unsigned, tma::Shape<8, 32>>, 2>(s, from);
    case 2048: return engine<tma::Tile<unsigned, tma::Shape<16, 32>>, 2>(s, from);
    case 4096: return engine<tma::Tile<unsigned, tma::Shape<32, 32>>, 2>(s, from);
    case 8192: return engine<tma::Tile<unsigned, tma::Shape<64, 32>>, 2>(s, from);
    case 16384: return engine<tma::Tile<unsigned, tma::Shape<128, 32>>, 2>(s, from);
    default: return engine<tma::Tile<unsigned, tma::Shape<256, 32>>, 2>(s, from);
  }
}

Launch read_typed(const Spec& s, const Source& from) {
  using Half = unsigned short;
  if (s.element_size == 1) return engine<tma::Tile<unsigned char, tma::Shape<16, 256>>, 2>(s, from);
  switch (s.swizzle) {
    case tma::Swizzle::bytes_32: return engine<tma::Tile<Half, tma::Shape<128, 16>, tma::Swizzle::bytes_32>, 2>(s, from);
    case tma::Swizzle::bytes_64: return engine<tma::Tile<Half, tma::Shape<64, 32>, tma::Swizzle::bytes_64>, 2>(s, from);
    case tma::Swizzle::bytes_128: return engine<tma::Tile<Half, tma::Shape<32, 64>, tma::Swizzle::bytes_128>, 2>(s, from);
    default: return engine<tma::Tile<Half, tma::Shape<32, 64>>, 2>(s, from);
  }
}

}  // namespace geometry

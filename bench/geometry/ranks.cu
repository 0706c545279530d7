// Words in boxes of 4 KiB and of 1 KiB, of every rank.
#include "engine.cuh"

namespace geometry {

namespace {

template <class TileT> Launch of_rank(const Spec& s, const Source& from) {
  switch (s.rank) {
    case 1: return engine<tma::Tile<unsigned, tma::Shape<256>>, 1>(s, from);
    case 2: return engine<TileT, 2>(s, from);
    case 3: return engine<TileT, 3>(s, from);
    case 4: return engine<TileT, 4>(s, from);
    default: return engine<TileT, 5>(s, from);
  }
}

}  // namespace

Launch read_4k(const Spec& s, const Source& from) {
  using Room = tma::Tile<unsigned, tma::Shape<32, 32>>;
  if (s.hint != Hint::none) return engine<Room, 2, true>(s, from);
  return of_rank<Room>(s, from);
}

Launch read_1k(const Spec& s, const Source& from) { return of_rank<tma::Tile<unsigned, tma::Shape<8, 32>>>(s, from); }

}  // namespace geometry

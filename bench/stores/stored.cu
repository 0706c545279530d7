#include "variants.cuh"

namespace stores {

std::vector<Variant> stored(const Region& r) {
  using Word = unsigned;
  Variants<Word> v(r);
  v.bulk<Action::store, 1024>(2, true);
  v.bulk<Action::store, 1024>(4);
  v.bulk<Action::store, 1024>(8);
  v.bulk<Action::store, 1024>(-1);
  v.bulk<Action::store, 1024>(-4, true);
  v.bulk<Action::store, 1024>(-8);
  v.bulk<Action::store, 256>(8);
  v.bulk<Action::store, 4096>(1);
  v.bulk<Action::store, 4096>(2, true);
  v.bulk<Action::store, 4096>(-1);
  v.bulk<Action::store, 4096>(-4);
  v.tensor<Action::store, tma::Tile<Word, tma::Shape<4, 256>>>(4096, 2);
  v.tensor<Action::store, tma::Tile<Word, tma::Shape<32, 32>>>(4096, 2);
  v.tensor<Action::store, tma::Tile<Word, tma::Shape<16, 256>>>(4096, 2);
  v.plain<Action::store>("st.v4");
  v.memset();
  return v.take();
}

}  // namespace stores

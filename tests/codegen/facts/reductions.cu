// Every reduction in every rank, way to walk the tensor and form: all of them take unsigned int.
// kernel: reduce_tile_1d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.add\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.add\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.min\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.min\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.max\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.max\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.inc\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.inc\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.dec\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.dec\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.and\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.and\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.or\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.or\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.xor\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.1d\.global\.shared::cta\.xor\.tile\.bulk_group\.L2::cache_hint \[
// kernel: reduce_tile_2d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.add\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.add\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.min\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.min\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.max\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.max\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.inc\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.inc\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.dec\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.dec\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.and\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.and\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.or\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.or\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.xor\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.2d\.global\.shared::cta\.xor\.tile\.bulk_group\.L2::cache_hint \[
// kernel: reduce_tile_3d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.add\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.add\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.min\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.min\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.max\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.max\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.inc\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.inc\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.dec\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.dec\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.and\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.and\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.or\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.or\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.xor\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.xor\.tile\.bulk_group\.L2::cache_hint \[
// kernel: reduce_im2col_3d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.add\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.add\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.min\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.min\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.max\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.max\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.inc\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.inc\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.dec\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.dec\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.and\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.and\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.or\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.or\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.xor\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.3d\.global\.shared::cta\.xor\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
// kernel: reduce_tile_4d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.add\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.add\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.min\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.min\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.max\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.max\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.inc\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.inc\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.dec\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.dec\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.and\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.and\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.or\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.or\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.xor\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.xor\.tile\.bulk_group\.L2::cache_hint \[
// kernel: reduce_im2col_4d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.add\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.add\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.min\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.min\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.max\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.max\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.inc\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.inc\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.dec\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.dec\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.and\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.and\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.or\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.or\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.xor\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.4d\.global\.shared::cta\.xor\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
// kernel: reduce_tile_5d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.add\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.add\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.min\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.min\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.max\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.max\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.inc\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.inc\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.dec\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.dec\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.and\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.and\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.or\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.or\.tile\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.xor\.tile\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.xor\.tile\.bulk_group\.L2::cache_hint \[
// kernel: reduce_im2col_5d
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.add\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.add\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.min\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.min\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.max\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.max\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.inc\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.inc\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.dec\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.dec\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.and\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.and\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.or\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.or\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.xor\.im2col_no_offs\.bulk_group \[
//   expect-ptx: cp\.reduce\.async\.bulk\.tensor\.5d\.global\.shared::cta\.xor\.im2col_no_offs\.bulk_group\.L2::cache_hint \[
//
// And every type that an operation has, through a descriptor: the map says it, not the instruction.
// kernel: reduce_types
//   expect-sass: UTMAREDG\.2D
#include <tma/device/cache_policy.hpp>
#include <tma/device/im2col.hpp>
#include <tma/device/reduce.hpp>
#include <tma/tma.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

using tma::Reduction;
using Pixels = tma::Tile<unsigned, tma::Shape<8, 8>>;

template <int Rank> struct Of;
template <> struct Of<1> {
  using Tile = tma::Tile<unsigned, tma::Shape<64>>;
};
template <> struct Of<2> {
  using Tile = tma::Tile<unsigned, tma::Shape<8, 8>>;
};
template <> struct Of<3> {
  using Tile = tma::Tile<unsigned, tma::Shape<2, 4, 8>>;
};
template <> struct Of<4> {
  using Tile = tma::Tile<unsigned, tma::Shape<2, 2, 2, 8>>;
};
template <> struct Of<5> {
  using Tile = tma::Tile<unsigned, tma::Shape<1, 2, 2, 2, 8>>;
};

template <class Tile, class Map, class Place> __device__ void every_operation(const Map& map, const Place& at) {
  auto&      tile   = tma::shared<Tile>();
  auto       block  = tma::this_block();
  auto       ready  = block.publish(tile);
  const auto policy = tma::evict_first();
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    const auto      both = [&]<Reduction Op>() {
      stores.template reduce<Op>(map, at, ready).template reduce<Op>(map, at, ready, policy);
    };
    both.template operator()<Reduction::add>();
    both.template operator()<Reduction::min>();
    both.template operator()<Reduction::max>();
    both.template operator()<Reduction::inc>();
    both.template operator()<Reduction::dec>();
    both.template operator()<Reduction::bit_and>();
    both.template operator()<Reduction::bit_or>();
    both.template operator()<Reduction::bit_xor>();
  }
}

#define TILE(Rank)                                                                                           \
  extern "C" __global__ void reduce_tile_##Rank##d(                                                          \
      const __grid_constant__ tma::TmaDescriptor<unsigned, Rank, Of<Rank>::Tile> map, tma::Coord<Rank> at) { \
    every_operation<Of<Rank>::Tile>(map, at);                                                                \
  }
#define IM2COL(Rank)                                                                                                    \
  extern "C" __global__ void reduce_im2col_##Rank##d(                                                                   \
      const __grid_constant__ tma::TmaDescriptor<unsigned, Rank, tma::Im2col<Pixels>> map, tma::Im2colCoord<Rank> at) { \
    every_operation<Pixels>(map, at);                                                                                   \
  }

TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
IM2COL(3)
IM2COL(4)
IM2COL(5)

template <class T> using Square = tma::Tile<T, tma::Shape<8, 16>>;
template <class T> using Map    = tma::TmaDescriptor<T, 2, Square<T>>;

template <class T> __device__ void every_operation_of(const Map<T>& map, int x) {
  auto& tile  = tma::shared<Square<T>>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
  if (auto issuer = block.elect()) {
    const auto where_it_has_it = [&]<Reduction Op>() {
      if constexpr (tma::detail::reduces(Op, tma::element_type<T>, tma::detail::ReducedPlace::tensor))
        issuer.template reduce<Op>(map, {0, x}, ready);
    };
    where_it_has_it.template operator()<Reduction::add>();
    where_it_has_it.template operator()<Reduction::min>();
    where_it_has_it.template operator()<Reduction::max>();
    where_it_has_it.template operator()<Reduction::inc>();
    where_it_has_it.template operator()<Reduction::dec>();
    where_it_has_it.template operator()<Reduction::bit_and>();
    where_it_has_it.template operator()<Reduction::bit_or>();
    where_it_has_it.template operator()<Reduction::bit_xor>();
  }
}

extern "C" __global__ void reduce_types(const __grid_constant__ Map<unsigned> a, const __grid_constant__ Map<int> b,
                                        const __grid_constant__ Map<unsigned long long> c,
                                        const __grid_constant__ Map<long long> d, const __grid_constant__ Map<__half> e,
                                        const __grid_constant__ Map<__nv_bfloat16> f, const __grid_constant__ Map<float> g,
                                        const __grid_constant__ Map<double> h, const __grid_constant__ Map<tma::f32_ftz> i,
                                        const __grid_constant__ Map<tma::tf32> j,
                                        const __grid_constant__ Map<tma::tf32_ftz> k, int x) {
  every_operation_of(a, x);
  every_operation_of(b, x);
  every_operation_of(c, x);
  every_operation_of(d, x);
  every_operation_of(e, x);
  every_operation_of(f, x);
  every_operation_of(g, x);
  every_operation_of(h, x);
  every_operation_of(i, x);
  every_operation_of(j, x);
  every_operation_of(k, x);
}

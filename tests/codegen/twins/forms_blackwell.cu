// The forms that came with compute capability 10: four rows anywhere, pixels along w alone, pairs of blocks, masked bytes.
// target: sm_100a
#include <tma/device/cache_policy.hpp>
#include <tma/device/gather.hpp>
#include <tma/device/im2col.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/tma.hpp>

#include "forms.hpp"

template <int Rank, class Box> using In = tma::TmaDescriptor<const float, Rank, Box>;

using Row4      = tma::Tile<float, tma::Shape<4, 64>>;
using Pixels    = tma::Tile<float, tma::Shape<13, 16>>;  // and with a halo of 3 those of Tile2
using Column128 = tma::Tile<float, tma::Shape<128, 4>>;
using Halo160   = tma::Tile<float, tma::Shape<160, 4>>;  // a halo of 8 behind each 32

using InRows   = In<2, tma::Rows4<Row4>>;
using OutRows  = tma::TmaDescriptor<float, 2, tma::Rows4<Row4>>;
using In1      = In<1, Tile1>;
using In2      = In<2, Tile2>;
using In3      = In<3, Tile3>;
using In4      = In<4, Tile4>;
using In5      = In<5, Tile5>;
using InPixels = In<4, tma::Im2col<Tile2>>;
using InW3     = In<3, tma::Im2colW<Tile2>>;
using InW4     = In<4, tma::Im2colW<Tile2>>;
using InW5     = In<5, tma::Im2colW<Tile2>>;
using InHalo4  = In<4, tma::Im2colW<Pixels>>;
using InLong3  = In<3, tma::Im2colW128<Column128>>;
using InLong4  = In<4, tma::Im2colW128<Column128>>;
using InLong5  = In<5, tma::Im2colW128<Column128>>;
using Out1     = tma::TmaDescriptor<float, 1, Tile1>;

#define ROWS        tma::rows(at.y, at.z, at.w, at.v, at.x)
#define W_3         {AT_3, at.o}
#define W_4         {AT_4, at.o}
#define W_5         {AT_5, at.o}
#define RAW_W(halo) "h"((unsigned short)halo), "h"((unsigned short)at.o)
#define PAIR        tma::cta_group<2>()
#define ALONE       tma::cta_group<1>()

// --- four rows ---

LOAD(gather, InRows, (in, ROWS, tile, arrived),
     "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9, "
     "%10}], [%2]",
     RAW_5)
LOAD(gather_hint, InRows, (in, ROWS, tile, arrived, policy),
     "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, "
     "%7, %8, %9, %10}], [%2], %3",
     RAW_5)
LOAD(gather_multicast, InRows, (in, ROWS, tile, barrier, blocks),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
     "[%1, {%6, %7, %8, %9, %10}], [%2], %4",
     RAW_5)
LOAD(gather_multicast_hint, InRows, (in, ROWS, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster.L2::"
     "cache_hint [%0], [%1, {%6, %7, %8, %9, %10}], [%2], %4, %3",
     RAW_5)
LOAD(gather_alone, InRows, (in, ROWS, tile, arrived, ALONE),
     "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, "
     "%7, %8, %9, %10}], [%2]",
     RAW_5)
LOAD(gather_pair, InRows, (in, ROWS, tile, arrived, PAIR),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, "
     "{%6, %7, %8, %9, %10}], [%2]",
     RAW_5)
LOAD(gather_pair_multicast_hint, InRows, (in, ROWS, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster.cta_"
     "group::2.L2::cache_hint [%0], [%1, {%6, %7, %8, %9, %10}], [%2], %4, %3",
     RAW_5)
STORE(scatter, float, OutRows, store(out, ROWS, ready),
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%4, %5, %6, %7, %8}], [%1]", RAW_5)
PREFETCH(prefetch_rows, InRows, prefetch(in, ROWS),
         "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%0, {%3, %4, %5, %6, %7}]", RAW_5)
STORE(scatter_hint, float, OutRows, store(out, ROWS, ready, policy),
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7, %8}], "
      "[%1], %2",
      RAW_5)
PREFETCH(prefetch_rows_hint, InRows, prefetch(in, ROWS, policy),
         "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.L2::cache_hint [%0, {%3, %4, %5, %6, %7}], %1", RAW_5)

// --- pixels along w alone ---

LOAD(w_3d, InW3, (in, W_3, tile, arrived),
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8}], [%2], "
     "{%9, %10}",
     RAW_3, RAW_W(0))
LOAD(w128_3d, InLong3, (in, W_3, tile, arrived),
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8}], "
     "[%2], {%9, %10}",
     RAW_3, RAW_W(0))
LOAD(w_4d, InW4, (in, W_4, tile, arrived),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9}], [%2], "
     "{%10, %11}",
     RAW_4, RAW_W(0))
LOAD(w128_4d, InLong4, (in, W_4, tile, arrived),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9}], "
     "[%2], {%10, %11}",
     RAW_4, RAW_W(0))
LOAD(w_4d_hint, InW4, (in, W_4, tile, arrived, policy),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, "
     "%8, %9}], [%2], {%10, %11}, %3",
     RAW_4, RAW_W(0))
LOAD(w128_4d_hint, InLong4, (in, W_4, tile, arrived, policy),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, "
     "%7, %8, %9}], [%2], {%10, %11}, %3",
     RAW_4, RAW_W(0))
LOAD(w_4d_multicast, InW4, (in, W_4, tile, barrier, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, "
     "{%6, %7, %8, %9}], [%2], {%10, %11}, %4",
     RAW_4, RAW_W(0))
LOAD(w128_4d_multicast, InLong4, (in, W_4, tile, barrier, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
     "[%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4",
     RAW_4, RAW_W(0))
LOAD(w_4d_multicast_hint, InW4, (in, W_4, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_"
     "hint [%0], [%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4, %3",
     RAW_4, RAW_W(0))
LOAD(w128_4d_multicast_hint, InLong4, (in, W_4, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes.multicast::cluster.L2::"
     "cache_hint [%0], [%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4, %3",
     RAW_4, RAW_W(0))
LOAD(w_4d_alone, InW4, (in, W_4, tile, arrived, ALONE),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, %7, "
     "%8, %9}], [%2], {%10, %11}",
     RAW_4, RAW_W(0))
LOAD(w128_4d_alone, InLong4, (in, W_4, tile, arrived, ALONE),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, "
     "%7, %8, %9}], [%2], {%10, %11}",
     RAW_4, RAW_W(0))
LOAD(w_4d_pair, InW4, (in, W_4, tile, arrived, PAIR),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6, "
     "%7, %8, %9}], [%2], {%10, %11}",
     RAW_4, RAW_W(0))
LOAD(w128_4d_pair, InLong4, (in, W_4, tile, arrived, PAIR),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, "
     "{%6, %7, %8, %9}], [%2], {%10, %11}",
     RAW_4, RAW_W(0))
LOAD(w_4d_pair_multicast_hint, InW4, (in, W_4, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2."
     "L2::cache_hint [%0], [%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4, %3",
     RAW_4, RAW_W(0))
LOAD(w128_4d_pair_multicast_hint, InLong4, (in, W_4, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes.multicast::cluster.cta_"
     "group::2.L2::cache_hint [%0], [%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4, %3",
     RAW_4, RAW_W(0))
LOAD(w_5d, InW5, (in, W_5, tile, arrived),
     "cp.async.bulk.tensor.5d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9, %10}], "
     "[%2], {%11, %12}",
     RAW_5, RAW_W(0))
LOAD(w128_5d, InLong5, (in, W_5, tile, arrived),
     "cp.async.bulk.tensor.5d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9, "
     "%10}], [%2], {%11, %12}",
     RAW_5, RAW_W(0))
LOAD_INTO(w_4d_halo, InHalo4, Tile2, (in, W_4, tile, arrived),
          "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9}], "
          "[%2], {%10, %11}",
          RAW_4, RAW_W(3))
LOAD_INTO(w128_4d_halo, InLong4, Halo160, (in, W_4, tile, arrived),
          "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, "
          "%9}], [%2], {%10, %11}",
          RAW_4, RAW_W(8))
PREFETCH(prefetch_w_3d, InW3, prefetch(in, W_3),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [%0, {%3, %4, %5}], {%6, %7}", RAW_3, RAW_W(0))
PREFETCH(prefetch_w128_3d, InLong3, prefetch(in, W_3),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w::128 [%0, {%3, %4, %5}], {%6, %7}", RAW_3, RAW_W(0))
PREFETCH(prefetch_w_3d_hint, InW3, prefetch(in, W_3, policy),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w.L2::cache_hint [%0, {%3, %4, %5}], {%6, %7}, %1", RAW_3,
         RAW_W(0))
PREFETCH(prefetch_w128_3d_hint, InLong3, prefetch(in, W_3, policy),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w::128.L2::cache_hint [%0, {%3, %4, %5}], {%6, %7}, %1", RAW_3,
         RAW_W(0))
PREFETCH(prefetch_w_4d, InW4, prefetch(in, W_4),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w [%0, {%3, %4, %5, %6}], {%7, %8}", RAW_4, RAW_W(0))
PREFETCH(prefetch_w128_4d, InLong4, prefetch(in, W_4),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w::128 [%0, {%3, %4, %5, %6}], {%7, %8}", RAW_4, RAW_W(0))
PREFETCH(prefetch_w_4d_hint, InW4, prefetch(in, W_4, policy),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w.L2::cache_hint [%0, {%3, %4, %5, %6}], {%7, %8}, %1", RAW_4,
         RAW_W(0))
PREFETCH(prefetch_w128_4d_hint, InLong4, prefetch(in, W_4, policy),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w::128.L2::cache_hint [%0, {%3, %4, %5, %6}], {%7, %8}, %1",
         RAW_4, RAW_W(0))
PREFETCH(prefetch_w_5d, InW5, prefetch(in, W_5),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col::w [%0, {%3, %4, %5, %6, %7}], {%8, %9}", RAW_5, RAW_W(0))
PREFETCH(prefetch_w128_5d, InLong5, prefetch(in, W_5),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col::w::128 [%0, {%3, %4, %5, %6, %7}], {%8, %9}", RAW_5, RAW_W(0))
PREFETCH(prefetch_w_5d_hint, InW5, prefetch(in, W_5, policy),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col::w.L2::cache_hint [%0, {%3, %4, %5, %6, %7}], {%8, %9}, %1",
         RAW_5, RAW_W(0))
PREFETCH(prefetch_w128_5d_hint, InLong5, prefetch(in, W_5, policy),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col::w::128.L2::cache_hint [%0, {%3, %4, %5, %6, %7}], {%8, %9}, %1",
         RAW_5, RAW_W(0))

// --- pairs of blocks ---

LOAD(load_1d_alone, In1, (in, AT_1, tile, arrived, ALONE),
     "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6}], [%2]",
     RAW_1)
LOAD(load_1d_pair, In1, (in, AT_1, tile, arrived, PAIR),
     "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6}], [%2]",
     RAW_1)
LOAD(load_1d_pair_multicast_hint, In1, (in, AT_1, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::"
     "cache_hint [%0], [%1, {%6}], [%2], %4, %3",
     RAW_1)
LOAD(load_2d_alone, In2, (in, AT_2, tile, arrived, ALONE),
     "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, %7}], [%2]",
     RAW_2)
LOAD(load_2d_pair, In2, (in, AT_2, tile, arrived, PAIR),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6, %7}], "
     "[%2]",
     RAW_2)
LOAD(load_2d_pair_multicast_hint, In2, (in, AT_2, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::"
     "cache_hint [%0], [%1, {%6, %7}], [%2], %4, %3",
     RAW_2)
LOAD(load_3d_alone, In3, (in, AT_3, tile, arrived, ALONE),
     "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, %7, %8}], "
     "[%2]",
     RAW_3)
LOAD(load_3d_pair, In3, (in, AT_3, tile, arrived, PAIR),
     "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6, %7, "
     "%8}], [%2]",
     RAW_3)
LOAD(load_3d_pair_multicast_hint, In3, (in, AT_3, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::"
     "cache_hint [%0], [%1, {%6, %7, %8}], [%2], %4, %3",
     RAW_3)
LOAD(load_4d_alone, In4, (in, AT_4, tile, arrived, ALONE),
     "cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, %7, %8, "
     "%9}], [%2]",
     RAW_4)
LOAD(load_4d_pair, In4, (in, AT_4, tile, arrived, PAIR),
     "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6, %7, %8, "
     "%9}], [%2]",
     RAW_4)
LOAD(load_4d_pair_multicast_hint, In4, (in, AT_4, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::"
     "cache_hint [%0], [%1, {%6, %7, %8, %9}], [%2], %4, %3",
     RAW_4)
LOAD(load_5d_alone, In5, (in, AT_5, tile, arrived, ALONE),
     "cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, %7, %8, %9, "
     "%10}], [%2]",
     RAW_5)
LOAD(load_5d_pair, In5, (in, AT_5, tile, arrived, PAIR),
     "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6, %7, %8, "
     "%9, %10}], [%2]",
     RAW_5)
LOAD(load_5d_pair_multicast_hint, In5, (in, AT_5, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::"
     "cache_hint [%0], [%1, {%6, %7, %8, %9, %10}], [%2], %4, %3",
     RAW_5)
LOAD(im2col_4d_alone, InPixels, (in, PIXEL_4, tile, arrived, ALONE),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.cta_group::1 [%0], [%1, {%6, %7, %8, "
     "%9}], [%2], {%10, %11}",
     RAW_4, RAW_OFFSET_4)
LOAD(im2col_4d_pair, InPixels, (in, PIXEL_4, tile, arrived, PAIR),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%6, %7, "
     "%8, %9}], [%2], {%10, %11}",
     RAW_4, RAW_OFFSET_4)
LOAD(im2col_4d_pair_multicast_hint, InPixels, (in, PIXEL_4, tile, barrier, PAIR, policy, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2:"
     ":cache_hint [%0], [%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4, %3",
     RAW_4, RAW_OFFSET_4)

// --- some bytes of every 16 ---

STORE(store_bytes, float, Out1, store(to.chunk<256>(0), ready, tma::ByteMask{at.mask}),
      "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%3], [%1], 1024, %4", "h"(at.mask))
STORE(store_bytes_hint, float, Out1, store(to.chunk<256>(0), ready, policy, tma::ByteMask{at.mask}),
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%3], [%1], 1024, %2, %4", "h"(at.mask))

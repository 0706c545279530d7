// What a copy may say beside its operands: a policy of the second-level cache, a multicast; and the copies that are neither
// loads nor stores of boxes: reductions, prefetches, pixels of a convolution. Every instruction in every form of sm_90a.
#include <tma/device/cache_policy.hpp>
#include <tma/device/im2col.hpp>
#include <tma/device/prefetch.hpp>
#include <tma/device/reduce.hpp>
#include <tma/tma.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "forms.hpp"

using tma::Reduction;

template <int Rank, class Box> using In  = tma::TmaDescriptor<const float, Rank, Box>;
template <int Rank, class Box> using Out = tma::TmaDescriptor<float, Rank, Box>;
template <class T> using OutOf           = tma::TmaDescriptor<T, 2, Tile<T, 16, 16>>;
using Pixels                             = tma::Im2col<Tile2>;

// A macro's argument has no comma of its own.
using In1 = In<1, Tile1>;
using In2 = In<2, Tile2>;
using In3 = In<3, Tile3>;
using In4 = In<4, Tile4>;
using In5 = In<5, Tile5>;

using Out1 = Out<1, Tile1>;
using Out2 = Out<2, Tile2>;
using Out3 = Out<3, Tile3>;
using Out4 = Out<4, Tile4>;
using Out5 = Out<5, Tile5>;

using InPixels3 = In<3, Pixels>;
using InPixels4 = In<4, Pixels>;
using InPixels5 = In<5, Pixels>;

using OutPixels3 = Out<3, Pixels>;
using OutPixels4 = Out<4, Pixels>;
using OutPixels5 = Out<5, Pixels>;

// --- loads of boxes ---

LOAD(
    load_1d_hint, In1, (in, AT_1, tile, arrived, policy),
    "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6}], [%2], %3",
    RAW_1)
LOAD(load_2d_hint, In2, (in, AT_2, tile, arrived, policy),
     "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7}], "
     "[%2], %3",
     RAW_2)
LOAD(load_3d_hint, In3, (in, AT_3, tile, arrived, policy),
     "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, %8}], "
     "[%2], %3",
     RAW_3)
LOAD(load_4d_hint, In4, (in, AT_4, tile, arrived, policy),
     "cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, %8, "
     "%9}], [%2], %3",
     RAW_4)
LOAD(load_5d_hint, In5, (in, AT_5, tile, arrived, policy),
     "cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, %8, "
     "%9, %10}], [%2], %3",
     RAW_5)
LOAD(load_1d_multicast, In1, (in, AT_1, tile, barrier, blocks),
     "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6}], "
     "[%2], %4",
     RAW_1)
LOAD(load_1d_multicast_hint, In1, (in, AT_1, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6}], [%2], %4, %3",
     RAW_1)
LOAD(load_2d_multicast, In2, (in, AT_2, tile, barrier, blocks),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7}], [%2], %4",
     RAW_2)
LOAD(load_2d_multicast_hint, In2, (in, AT_2, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7}], [%2], %4, %3",
     RAW_2)
LOAD(load_3d_multicast, In3, (in, AT_3, tile, barrier, blocks),
     "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7, %8}], [%2], %4",
     RAW_3)
LOAD(load_3d_multicast_hint, In3, (in, AT_3, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7, %8}], [%2], %4, %3",
     RAW_3)
LOAD(load_4d_multicast, In4, (in, AT_4, tile, barrier, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7, %8, %9}], [%2], %4",
     RAW_4)
LOAD(load_4d_multicast_hint, In4, (in, AT_4, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7, %8, %9}], [%2], %4, %3",
     RAW_4)
LOAD(load_5d_multicast, In5, (in, AT_5, tile, barrier, blocks),
     "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7, %8, %9, %10}], [%2], %4",
     RAW_5)
LOAD(load_5d_multicast_hint, In5, (in, AT_5, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7, %8, %9, %10}], [%2], %4, %3",
     RAW_5)

// --- loads of pixels ---

LOAD(im2col_3d, InPixels3, (in, PIXEL_3, tile, arrived),
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8}], [%2], {%9}",
     RAW_3, RAW_OFFSET_3)
LOAD(im2col_3d_hint, InPixels3, (in, PIXEL_3, tile, arrived, policy),
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, "
     "%8}], [%2], {%9}, %3",
     RAW_3, RAW_OFFSET_3)
LOAD(im2col_3d_multicast, InPixels3, (in, PIXEL_3, tile, barrier, blocks),
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7, %8}], [%2], {%9}, %4",
     RAW_3, RAW_OFFSET_3)
LOAD(im2col_3d_multicast_hint, InPixels3, (in, PIXEL_3, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7, %8}], [%2], {%9}, %4, %3",
     RAW_3, RAW_OFFSET_3)
LOAD(im2col_4d, InPixels4, (in, PIXEL_4, tile, arrived),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9}], [%2], "
     "{%10, %11}",
     RAW_4, RAW_OFFSET_4)
LOAD(im2col_4d_hint, InPixels4, (in, PIXEL_4, tile, arrived, policy),
     "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, %8, "
     "%9}], [%2], {%10, %11}, %3",
     RAW_4, RAW_OFFSET_4)
LOAD(im2col_4d_multicast, InPixels4, (in, PIXEL_4, tile, barrier, blocks),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7, %8, %9}], [%2], {%10, %11}, %4",
     RAW_4, RAW_OFFSET_4)
LOAD(im2col_4d_multicast_hint, InPixels4, (in, PIXEL_4, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7, %8, %9}], [%2], {%10, %11}, %4, %3",
     RAW_4, RAW_OFFSET_4)
LOAD(im2col_5d, InPixels5, (in, PIXEL_5, tile, arrived),
     "cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%6, %7, %8, %9, %10}], "
     "[%2], {%11, %12, %13}",
     RAW_5, RAW_OFFSET_5)
LOAD(im2col_5d_hint, InPixels5, (in, PIXEL_5, tile, arrived, policy),
     "cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%6, %7, %8, "
     "%9, %10}], [%2], {%11, %12, %13}, %3",
     RAW_5, RAW_OFFSET_5)
LOAD(im2col_5d_multicast, InPixels5, (in, PIXEL_5, tile, barrier, blocks),
     "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%6, "
     "%7, %8, %9, %10}], [%2], {%11, %12, %13}, %4",
     RAW_5, RAW_OFFSET_5)
LOAD(im2col_5d_multicast_hint, InPixels5, (in, PIXEL_5, tile, barrier, blocks, policy),
     "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
     "[%0], [%1, {%6, %7, %8, %9, %10}], [%2], {%11, %12, %13}, %4, %3",
     RAW_5, RAW_OFFSET_5)

// --- loads of elements in a row ---

LOAD(chunk_hint, In1, (from.chunk<256>(0), tile, arrived, policy),
     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%5], 1024, [%2], %3", "n"(0))
LOAD(chunk_multicast, In1, (from.chunk<256>(0), tile, barrier, blocks),
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%5], 1024, [%2], %4",
     "n"(0))
LOAD(chunk_multicast_hint, In1, (from.chunk<256>(0), tile, barrier, policy, blocks),
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%5], 1024, "
     "[%2], %4, %3",
     "n"(0))

// --- stores ---

STORE(store_1d_hint, float, Out1, store(out, AT_1, ready, policy),
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%4}], [%1], %2", RAW_1)
STORE(store_2d_hint, float, Out2, store(out, AT_2, ready, policy),
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%4, %5}], [%1], %2", RAW_2)
STORE(store_3d_hint, float, Out3, store(out, AT_3, ready, policy),
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%4, %5, %6}], [%1], %2", RAW_3)
STORE(store_4d_hint, float, Out4, store(out, AT_4, ready, policy),
      "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7}], [%1], %2", RAW_4)
STORE(store_5d_hint, float, Out5, store(out, AT_5, ready, policy),
      "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7, %8}], [%1], %2",
      RAW_5)
STORE(store_im2col_3d, float, OutPixels3, store(out, {AT_3}, ready),
      "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%4, %5, %6}], [%1]", RAW_3)
STORE(store_im2col_3d_hint, float, OutPixels3, store(out, {AT_3}, ready, policy),
      "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%4, %5, %6}], [%1], %2",
      RAW_3)
STORE(store_im2col_4d, float, OutPixels4, store(out, {AT_4}, ready),
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%4, %5, %6, %7}], [%1]", RAW_4)
STORE(store_im2col_4d_hint, float, OutPixels4, store(out, {AT_4}, ready, policy),
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7}], [%1], %2",
      RAW_4)
STORE(store_im2col_5d, float, OutPixels5, store(out, {AT_5}, ready),
      "cp.async.bulk.tensor.5d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%4, %5, %6, %7, %8}], [%1]", RAW_5)
STORE(store_im2col_5d_hint, float, OutPixels5, store(out, {AT_5}, ready, policy),
      "cp.async.bulk.tensor.5d.global.shared::cta.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7, %8}], "
      "[%1], %2",
      RAW_5)
STORE(store_chunk_hint, float, Out1, store(to.chunk<256>(0), ready, policy),
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%3], [%1], 1024, %2", "n"(0))

// --- reductions ---

STORE(reduce_1d, float, Out1, reduce<Reduction::add>(out, AT_1, ready),
      "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%4}], [%1]", RAW_1)
STORE(reduce_1d_hint, float, Out1, reduce<Reduction::add>(out, AT_1, ready, policy),
      "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%0, {%4}], [%1], %2", RAW_1)
STORE(reduce_2d, float, Out2, reduce<Reduction::add>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_2d_hint, float, Out2, reduce<Reduction::add>(out, AT_2, ready, policy),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%0, {%4, %5}], [%1], %2", RAW_2)
STORE(reduce_3d, float, Out3, reduce<Reduction::add>(out, AT_3, ready),
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%4, %5, %6}], [%1]", RAW_3)
STORE(reduce_3d_hint, float, Out3, reduce<Reduction::add>(out, AT_3, ready, policy),
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%0, {%4, %5, %6}], [%1], %2",
      RAW_3)
STORE(reduce_4d, float, Out4, reduce<Reduction::add>(out, AT_4, ready),
      "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group [%0, {%4, %5, %6, %7}], [%1]", RAW_4)
STORE(
    reduce_4d_hint, float, Out4, reduce<Reduction::add>(out, AT_4, ready, policy),
    "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7}], [%1], %2",
    RAW_4)
STORE(reduce_5d, float, Out5, reduce<Reduction::add>(out, AT_5, ready),
      "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group [%0, {%4, %5, %6, %7, %8}], [%1]", RAW_5)
STORE(reduce_5d_hint, float, Out5, reduce<Reduction::add>(out, AT_5, ready, policy),
      "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7, %8}], "
      "[%1], %2",
      RAW_5)
STORE(reduce_im2col_3d, float, OutPixels3, reduce<Reduction::add>(out, {AT_3}, ready),
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group [%0, {%4, %5, %6}], [%1]", RAW_3)
STORE(reduce_im2col_3d_hint, float, OutPixels3, reduce<Reduction::add>(out, {AT_3}, ready, policy),
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%4, %5, %6}], "
      "[%1], %2",
      RAW_3)
STORE(reduce_im2col_4d, float, OutPixels4, reduce<Reduction::add>(out, {AT_4}, ready),
      "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group [%0, {%4, %5, %6, %7}], [%1]", RAW_4)
STORE(reduce_im2col_4d_hint, float, OutPixels4, reduce<Reduction::add>(out, {AT_4}, ready, policy),
      "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%4, %5, %6, "
      "%7}], [%1], %2",
      RAW_4)
STORE(reduce_im2col_5d, float, OutPixels5, reduce<Reduction::add>(out, {AT_5}, ready),
      "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.im2col_no_offs.bulk_group [%0, {%4, %5, %6, %7, %8}], [%1]",
      RAW_5)
STORE(reduce_im2col_5d_hint, float, OutPixels5, reduce<Reduction::add>(out, {AT_5}, ready, policy),
      "cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.im2col_no_offs.bulk_group.L2::cache_hint [%0, {%4, %5, %6, %7, "
      "%8}], [%1], %2",
      RAW_5)
STORE(reduce_min, unsigned, OutOf<unsigned>, reduce<Reduction::min>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_max, unsigned, OutOf<unsigned>, reduce<Reduction::max>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_inc, unsigned, OutOf<unsigned>, reduce<Reduction::inc>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_dec, unsigned, OutOf<unsigned>, reduce<Reduction::dec>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_bit_and, unsigned, OutOf<unsigned>, reduce<Reduction::bit_and>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_bit_or, unsigned, OutOf<unsigned>, reduce<Reduction::bit_or>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)
STORE(reduce_bit_xor, unsigned, OutOf<unsigned>, reduce<Reduction::bit_xor>(out, AT_2, ready),
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group [%0, {%4, %5}], [%1]", RAW_2)

// --- reductions of elements in a row: the instruction says the type ---

STORE(reduce_chunk_add_u32, unsigned, OutOf<unsigned>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_add_s32, int, OutOf<int>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_add_u64, unsigned long long, OutOf<unsigned long long>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_add_s64, long long, OutOf<long long>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_add_f32, float, OutOf<float>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_add_f64, double, OutOf<double>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_add_f16, __half, OutOf<__half>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%3], [%1], 512", "n"(0))
STORE(reduce_chunk_add_bf16, __nv_bfloat16, OutOf<__nv_bfloat16>, reduce<Reduction::add>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%3], [%1], 512", "n"(0))
STORE(reduce_chunk_min_u32, unsigned, OutOf<unsigned>, reduce<Reduction::min>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_min_s32, int, OutOf<int>, reduce<Reduction::min>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_min_u64, unsigned long long, OutOf<unsigned long long>, reduce<Reduction::min>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_min_s64, long long, OutOf<long long>, reduce<Reduction::min>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_min_f16, __half, OutOf<__half>, reduce<Reduction::min>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%3], [%1], 512", "n"(0))
STORE(reduce_chunk_min_bf16, __nv_bfloat16, OutOf<__nv_bfloat16>, reduce<Reduction::min>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.bf16 [%3], [%1], 512", "n"(0))
STORE(reduce_chunk_max_u32, unsigned, OutOf<unsigned>, reduce<Reduction::max>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_max_s32, int, OutOf<int>, reduce<Reduction::max>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_max_u64, unsigned long long, OutOf<unsigned long long>, reduce<Reduction::max>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_max_s64, long long, OutOf<long long>, reduce<Reduction::max>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_max_f16, __half, OutOf<__half>, reduce<Reduction::max>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [%3], [%1], 512", "n"(0))
STORE(reduce_chunk_max_bf16, __nv_bfloat16, OutOf<__nv_bfloat16>, reduce<Reduction::max>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [%3], [%1], 512", "n"(0))
STORE(reduce_chunk_inc_u32, unsigned, OutOf<unsigned>, reduce<Reduction::inc>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_dec_u32, unsigned, OutOf<unsigned>, reduce<Reduction::dec>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.dec.u32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_and_u32, unsigned, OutOf<unsigned>, reduce<Reduction::bit_and>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_and_s32, int, OutOf<int>, reduce<Reduction::bit_and>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_and_u64, unsigned long long, OutOf<unsigned long long>,
      reduce<Reduction::bit_and>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_and_s64, long long, OutOf<long long>, reduce<Reduction::bit_and>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_or_u32, unsigned, OutOf<unsigned>, reduce<Reduction::bit_or>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_or_s32, int, OutOf<int>, reduce<Reduction::bit_or>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_or_u64, unsigned long long, OutOf<unsigned long long>, reduce<Reduction::bit_or>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_or_s64, long long, OutOf<long long>, reduce<Reduction::bit_or>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_xor_u32, unsigned, OutOf<unsigned>, reduce<Reduction::bit_xor>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_xor_s32, int, OutOf<int>, reduce<Reduction::bit_xor>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%3], [%1], 1024", "n"(0))
STORE(reduce_chunk_xor_u64, unsigned long long, OutOf<unsigned long long>,
      reduce<Reduction::bit_xor>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_xor_s64, long long, OutOf<long long>, reduce<Reduction::bit_xor>(to.chunk<256>(0), ready),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%3], [%1], 2048", "n"(0))
STORE(reduce_chunk_hint, float, OutOf<float>, reduce<Reduction::add>(to.chunk<256>(0), ready, policy),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%3], [%1], 1024, %2", "n"(0))

// --- prefetches ---

PREFETCH(prefetch_1d, In1, prefetch(in, AT_1), "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%0, {%3}]", RAW_1)
PREFETCH(prefetch_1d_hint, In1, prefetch(in, AT_1, policy),
         "cp.async.bulk.prefetch.tensor.1d.L2.global.tile.L2::cache_hint [%0, {%3}], %1", RAW_1)
PREFETCH(prefetch_2d, In2, prefetch(in, AT_2), "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%3, %4}]", RAW_2)
PREFETCH(prefetch_2d_hint, In2, prefetch(in, AT_2, policy),
         "cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [%0, {%3, %4}], %1", RAW_2)
PREFETCH(prefetch_3d, In3, prefetch(in, AT_3), "cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%3, %4, %5}]", RAW_3)
PREFETCH(prefetch_3d_hint, In3, prefetch(in, AT_3, policy),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.tile.L2::cache_hint [%0, {%3, %4, %5}], %1", RAW_3)
PREFETCH(prefetch_4d, In4, prefetch(in, AT_4), "cp.async.bulk.prefetch.tensor.4d.L2.global.tile [%0, {%3, %4, %5, %6}]",
         RAW_4)
PREFETCH(prefetch_4d_hint, In4, prefetch(in, AT_4, policy),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.tile.L2::cache_hint [%0, {%3, %4, %5, %6}], %1", RAW_4)
PREFETCH(prefetch_5d, In5, prefetch(in, AT_5), "cp.async.bulk.prefetch.tensor.5d.L2.global.tile [%0, {%3, %4, %5, %6, %7}]",
         RAW_5)
PREFETCH(prefetch_5d_hint, In5, prefetch(in, AT_5, policy),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.tile.L2::cache_hint [%0, {%3, %4, %5, %6, %7}], %1", RAW_5)
PREFETCH(prefetch_im2col_3d, InPixels3, prefetch(in, PIXEL_3),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%0, {%3, %4, %5}], {%6}", RAW_3, RAW_OFFSET_3)
PREFETCH(prefetch_im2col_3d_hint, InPixels3, prefetch(in, PIXEL_3, policy),
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col.L2::cache_hint [%0, {%3, %4, %5}], {%6}, %1", RAW_3,
         RAW_OFFSET_3)
PREFETCH(prefetch_im2col_4d, InPixels4, prefetch(in, PIXEL_4),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {%3, %4, %5, %6}], {%7, %8}", RAW_4, RAW_OFFSET_4)
PREFETCH(prefetch_im2col_4d_hint, InPixels4, prefetch(in, PIXEL_4, policy),
         "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col.L2::cache_hint [%0, {%3, %4, %5, %6}], {%7, %8}, %1", RAW_4,
         RAW_OFFSET_4)
PREFETCH(prefetch_im2col_5d, InPixels5, prefetch(in, PIXEL_5),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col [%0, {%3, %4, %5, %6, %7}], {%8, %9, %10}", RAW_5, RAW_OFFSET_5)
PREFETCH(prefetch_im2col_5d_hint, InPixels5, prefetch(in, PIXEL_5, policy),
         "cp.async.bulk.prefetch.tensor.5d.L2.global.im2col.L2::cache_hint [%0, {%3, %4, %5, %6, %7}], {%8, %9, %10}, %1",
         RAW_5, RAW_OFFSET_5)
PREFETCH(prefetch_chunk, In1, prefetch(from.chunk<256>(0)), "cp.async.bulk.prefetch.L2.global [%2], 1024", "n"(0))
PREFETCH(prefetch_chunk_hint, In1, prefetch(from.chunk<256>(0), policy),
         "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%2], 1024, %1", "n"(0))
PREFETCH(prefetch_descriptor, In1, prefetch_descriptor(in), "prefetch.tensormap [%0]", "n"(0))

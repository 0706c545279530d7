// Descriptors in memory: which fence stands where, and where none does.
//
// A slot is acquired by the thread that issues, before the first copy through it; one fence for 128 bytes.
// kernel: load_slot
//   order-ptx: !cp\.async ; fence\.proxy\.tensormap::generic\.acquire\.sys \[%rd\d+\], 128 ; complete_tx
//   order-sass: !UTMALDG ; UTMACCTL\.IV ; UTMALDG
// kernel: load_two_slots
//   order-ptx: acquire\.gpu \[%rd\d+\], 128 ; complete_tx ; acquire\.gpu \[%rd\d+\], 128 ; complete_tx
// kernel: load_box
//   order-ptx: acquire\.sys ; complete_tx ; ld\.(global\.)?u32 ; expect_tx
//
// Neither constant memory nor a parameter is acquired, and nothing of them is read by threads or copied.
// kernel: load_constant
//   expect-ptx: complete_tx
//   reject-ptx: fence\.proxy\.tensormap|ld\.const|ld\.param\.(v2\.)?[bu]64.*\[load_constant_param_0\+|st\.local
//   reject-sass: UTMACCTL\.IV|STL
//
// An edit is made by one thread between two meetings of its warp, and published by all of it; the drain comes before that.
// kernel: edit_slot
//   order-ptx: commit_group ; wait_group\.read 0 ; bar\.sync ; replace.*global_address ; replace.*global_dim.* 1, ; replace.*global_dim.* 0, ; replace.*global_stride.* 0, ; bar\.warp\.sync ; tensormap\.cp_fenceproxy\.global\.shared::cta\.tensormap::generic\.release\.gpu\.sync\.aligned \[%rd\d+\], \[%r\d+\], 128
//   reject-ptx: replace.*global_stride.* 1,|replace\S*\.(rank|box_dim|elemtype|swizzle_mode|interleave_layout|fill_mode)
//
// In place: the drain, the edit, its release.
// kernel: edit_in_place
//   order-ptx: wait_group\.read 0 ; bar\.sync ; tensormap\.replace\.tile\.global_address\.global\.b1024\.b64 ; fence\.proxy\.tensormap::generic\.release\.gpu
//   reject-ptx: cp_fenceproxy
//
// Everything that a type says is written where a descriptor becomes one of another type.
// kernel: describe_slot
//   order-ptx: replace\.tile\.rank\S* \[%r\d+\], (2|%r\d+) ; elemtype\S* \[%r\d+\], 6; ; interleave_layout\S* \[%r\d+\], 0; ; fill_mode\S* \[%r\d+\], 0; ; swizzle_mode\S* \[%r\d+\], 2; ; global_address ; global_dim ; global_stride ; cp_fenceproxy
//   expect-ptx: box_dim\S* \[%r\d+\], 2,
//   expect-ptx: element_stride\S* \[%r\d+\], 2,
//   reject-ptx: swizzle_atomicity
//
// What is written for the engine of another block is fenced by each thread that wrote it, and then the block meets.
// kernel: write_for_another
//   order-ptx: st\.global ; fence\.proxy\.async\.global ; !\bst\. ; bar\.sync ; atom|st
// kernel: load_of_another
//   order-ptx: ld\.|atom ; fence\.proxy\.async\.global ; complete_tx
//
// Checks are no code where they are not asked for.
// kernel: load_slot -DTMA_CHECKED
//   expect-ptx: ptx4fail
// kernel: edit_slot -DTMA_CHECKED
//   expect-ptx: ptx4fail
// kernel: *
//   reject-ptx: vprintf|\btrap\b|\bcall
#include <tma/tma.hpp>

#include <cuda_fp16.h>

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>
#include <tma/device/global_fence.hpp>

using Tile  = tma::Tile<float, tma::Shape<32, 32>>;
using Map   = tma::TmaDescriptor<const float, 2, Tile>;
using Any   = tma::TmaDescriptor<const float, 2>;
using Halfs = tma::Tile<__half, tma::Shape<2, 8, 32>, tma::Swizzle::bytes_64>;
using Third = tma::TmaDescriptor<const __half, 3, Halfs>;

struct Shared {
  Tile             tile, other;
  tma::LoadBarrier barrier;
};

extern "C" __global__ void load_slot(tma::DescriptorSlots<Map> slots, int i, float* out) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, s.tile, arrived);
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

extern "C" __global__ void load_two_slots(tma::DescriptorSlots<Map> slots, int i, float* out) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    batch.load(tma::acquire<tma::Scope::device>(slots, i), {0, 0}, s.tile);
    batch.load(tma::acquire<tma::Scope::device>(slots, i + 1), {0, 0}, s.other);
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()] + s.other[block.rank()];
}

extern "C" __global__ void load_box(tma::DescriptorSlots<Any> slots, int i, float* out) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) issuer.load(tma::acquire(slots, i), {0, 0}, s.tile, arrived);
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

__constant__ Map in_constant[2];

extern "C" __global__ void load_constant(const __grid_constant__ Map map, float* out) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    batch.load(in_constant[1], {0, 0}, s.tile).load(map, {0, 0}, s.other);
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()] + s.other[block.rank()];
}

extern "C" __global__ void edit_slot(const __grid_constant__ Map pattern, tma::DescriptorSlots<Map> slots, const float* data,
                                     int rows, int columns) {
  auto&      scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto       block   = tma::this_block();
  const auto drained = tma::drain(block);
  if (block.rank() < 32) {
    auto edit = tma::edit(scratch, pattern);
    edit.address(data).extents({rows, columns}).strides({columns, 1}).publish(slots, 0, drained);
  }
}

extern "C" __global__ void edit_in_place(tma::DescriptorSlots<Map> slots, const float* data) {
  auto       block   = tma::this_block();
  const auto drained = tma::drain(block);
  if (block.rank() < 32) tma::edit(slots, 0, drained).address(data).publish();
}

extern "C" __global__ void describe_slot(const __grid_constant__ Map pattern, tma::DescriptorSlots<Third> slots,
                                         const __half* data, int planes, int rows, int columns) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Third>>();
  auto  block   = tma::this_block();
  if (block.rank() < 32)
    tma::describe(scratch, pattern, data, {planes, rows, columns}, {rows * columns, columns, 1})
        .publish(slots, 0, tma::no_copy_uses_it());
}

extern "C" __global__ void write_for_another(float* data, int* flag) {
  auto block         = tma::this_block();
  data[block.rank()] = 1;
  tma::publish_global(block);
  if (block.rank() == 0) {
    __threadfence();
    atomicExch(flag, 1);
  }
}

extern "C" __global__ void load_of_another(const __grid_constant__ Map map, int* flag, float* out) {
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (auto issuer = block.elect()) {
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    tma::acquire_global();
    issuer.load(map, {0, 0}, s.tile, arrived);
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

// 7 Descriptors
#include "common.hpp"

using Tile  = tma::Tile<float, tma::Shape<8, 32>>;
using Map   = tma::TmaDescriptor<float, 2, Tile>;
using Any   = tma::TmaDescriptor<float, 2>;
using Slots = tma::DescriptorSlots<Map>;

// row: prefetch.tensormap
//   ptx: prefetch.tensormap [%rd1];
//   name: issuer.prefetch_descriptor(descriptor)
//   tests: gpu/prefetch machine/prefetch codegen/forms
extern "C" __global__ void descriptor_prefetch(const __grid_constant__ Map map) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) issuer.prefetch_descriptor(map);
}

// row: fence.proxy.tensormap::generic.acquire
//   ptx: fence.proxy.tensormap::generic.acquire.sys [%rd1], 128;
//   ptx: fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
//   name: tma::acquire<Scope>(slots, i)
//   tests: gpu/descriptor_array gpu/descriptor_edit codegen/facts_descriptors
extern "C" __global__ void descriptor_acquire(Slots slots) {
  auto block = tma::this_block();
  if (auto issuer = block.elect()) {
    issuer.prefetch_descriptor(tma::acquire(slots, 0));
    issuer.prefetch_descriptor(tma::acquire<tma::Scope::device>(slots, 1));
  }
}

// row: tensormap.replace .global_address
//   ptx: tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %rd2;
//   name: edit.address(pointer)
//   tests: gpu/descriptor_edit codegen/facts_descriptors
extern "C" __global__ void edit_address(const __grid_constant__ Map map, Slots slots, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, map);
  edit.address(data).publish(slots, 0, tma::no_copy_uses_it());
}

// row: tensormap.replace .global_dim
//   ptx: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 0, %r2;
//   name: edit.extents({...})
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_extents(const __grid_constant__ Map map, Slots slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, map);
  edit.extents({5, 6}).publish(slots, 0, tma::no_copy_uses_it());
}

// row: tensormap.replace .global_stride
//   ptx: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 0, %rd2;
//   name: edit.strides({...})
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_strides(const __grid_constant__ Map map, Slots slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, map);
  edit.strides({64, 1}).publish(slots, 0, tma::no_copy_uses_it());
}

// row: tensormap.replace .element_stride, .box_dim
//   ptx: tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r1], 0, %r2;
//   ptx: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 0, %r2;
//   name: edit.element_strides({...})
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_element_strides(const __grid_constant__ Map map, Slots slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, map);
  edit.element_strides({2, 1}).publish(slots, 0, tma::no_copy_uses_it());
}

// row: tensormap.replace .fill_mode
//   ptx: tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r1], 1;
//   name: edit.fill<tma::Fill::nan>()
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_fill(const __grid_constant__ Map map, Slots slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, map);
  edit.fill<tma::Fill::nan>().publish(slots, 0, tma::no_copy_uses_it());
}

// row: tensormap.replace .rank, .elemtype, .swizzle_mode, .interleave_layout
//   ptx: tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1], %r2;
//   ptx: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1], 7;
//   ptx: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r1], 0;
//   ptx: tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r1], 0;
//   name: tma::describe(scratch, descriptor, pointer, extents, strides)
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_everything(const __grid_constant__ Any map, Slots slots, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::describe(scratch, map, data, {5, 6}, {64, 1});
  edit.publish(slots, 0, tma::no_copy_uses_it());
}

// row: tensormap.replace .swizzle_mode 4
//   ptx: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r1], 4;
//   name: edit.swizzle<tma::Swizzle::bytes_96>()
//   tests: codegen/facts_descriptors
extern "C" __global__ void edit_swizzle_96(const __grid_constant__ Any map) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Any>>();
  auto  edit    = tma::edit(scratch, map);
  edit.swizzle<tma::Swizzle::bytes_96>();
}

// row: tensormap.replace .swizzle_atomicity
//   ptx: tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%r1], 1;
//   name: edit.swizzle<tma::Swizzle::bytes_128_atom_32>()
//   tests: codegen/facts_descriptors
extern "C" __global__ void edit_atom(const __grid_constant__ Any map, tma::DescriptorSlots<Any> slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Any>>();
  auto  edit    = tma::edit(scratch, map);
  edit.swizzle<tma::Swizzle::bytes_128_atom_32>();
}

// row: tensormap.replace of a map in global memory
//   ptx: tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;
//   ptx: tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 0, %r2;
//   name: tma::edit(slots, i, drained)
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_in_place(Slots slots, float* data) {
  auto edit = tma::edit(slots, 0, tma::no_copy_uses_it());
  edit.address(data).extents({5, 6}).publish();
}

// row: fence.proxy.tensormap::generic.release
//   ptx: fence.proxy.tensormap::generic.release.gpu;
//   ptx: fence.proxy.tensormap::generic.release.sys;
//   name: edit.publish<Scope>(), of an edit in place
//   tests: gpu/descriptor_edit
extern "C" __global__ void descriptor_release() {
  tma::ptx::fence_tensormap_release<tma::Scope::device>();
  tma::ptx::fence_tensormap_release<tma::Scope::system>();
}

// row: tensormap.cp_fenceproxy
//   ptx: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;
//   ptx: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned [%rd1], [%r1], 128;
//   name: edit.publish<Scope>(slots, i, drained)
//   tests: gpu/descriptor_edit
extern "C" __global__ void edit_publish(const __grid_constant__ Map map, Slots slots) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  auto  edit    = tma::edit(scratch, map);
  edit.publish(slots, 0, tma::no_copy_uses_it());
  edit.publish<tma::Scope::system>(slots, 1, tma::no_copy_uses_it());
}

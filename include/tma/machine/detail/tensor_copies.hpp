// Copies as they are issued: what is wrong with them, and the pieces they consist of.
#pragma once

#include "../../core/reduction_types.hpp"
#include "../runtime_more.hpp"
#include "maps.hpp"

namespace tma::machine::model {

inline const char* use_words(CopyUse use) {
  static const char* const names[] = {"load", "store", "reduction", "prefetch"};
  return names[int(use)];
}

// Reads the map into the copy: it has to be one, and where the engine can read it.
inline void open_map(Thread& s, Copy& c, const void* map) {
  const bool shared = rt::is_shared(map);
  if (rt::is_local(map) || shared)
    fault(s, Kind::bad_descriptor, c.site,
          words(s) + (shared ? " uses a descriptor in shared memory, where the engine cannot read it: publish it to global "
                               "memory (DescriptorEdit::publish)"
                             : " uses a descriptor in its own local memory, where the engine cannot read it: take it as "
                               "const __grid_constant__ and pass it on by const reference"));
  if (machine::detail::host_range_of(map))
    fault(s, Kind::bad_descriptor, c.site,
          words(s) +
              format(" uses the descriptor at %p in ordinary memory of the host (%s): a descriptor must lie in a kernel "
                     "parameter, in __constant__ or in global memory. Fix: take it as const __grid_constant__, or keep "
                     "it in a tma::DescriptorArray and acquire its slot",
                     map, host_words(map).c_str()));
  if (reinterpret_cast<std::uintptr_t>(map) % 64 != 0)
    fault(s, Kind::misaligned_address, c.site, words(s) + " uses a tensor map at an address that is no multiple of 64");
  const bool global = rt::is_device_memory(map);
  if (global) use_map(s, c, map);
  void*          base  = nullptr;
  const MapBytes bytes = MapBytes::of(map);
  if (!decode(&bytes, c.box, base))
    fault(s, Kind::bad_descriptor, c.site, words(s) + " uses a descriptor that make_descriptor has not made");
  c.base   = static_cast<char*>(base);
  c.tensor = true;
  if (element_bytes(c.box.type) == 0)
    fault(s, Kind::undefined_copy, c.site, words(s) + " copies through a packed map, which the machine does not model");
  if (global) {  // it may have been edited into something that no driver would make
    MapRequest r;
    static_cast<TensorBox&>(r)  = c.box;
    r.base                      = base;
    r.stride[r.inner()]         = r.unit_bytes();
    r.element_stride[r.inner()] = r.interleave == Interleave::none ? 1 : r.element_stride[r.inner()];
    tma::detail::normalise_unused_strides(r);  // those of extent 1, which the engine never uses
    const tma::Report judged = r.is_im2col() ? check_im2col(r) : check(r);
    for (const Violation& v : judged)
      if (machine::detail::is_refused(v))
        fault(s, Kind::bad_descriptor, c.site,
              words(s) + " uses an edited descriptor that breaks rule " + v.id + ": " + v.rule);
  }
}

// The place by the core's count: slowest first.
inline CopyPlace place_of(const rt::TensorPlace& from) {
  CopyPlace p;
  p.traversal = from.traversal;
  if (from.traversal == Traversal::rows4) {  // the column comes first, then the rows in their order
    p.at[4] = from.at[0];
    for (int i = 0; i < 4; ++i) p.at[i] = from.at[1 + i];
    return p;
  }
  for (int d = 0; d < from.rank; ++d) p.at[d] = from.at[from.rank - 1 - d];
  if (!from.offsets) return p;
  const bool wide = from.traversal != Traversal::im2col;  // halo, then offset
  for (int i = 0, n = wide ? 2 : from.rank - 2; i < n; ++i) p.offset[i] = from.offsets[wide ? i : n - 1 - i];
  return p;
}

// "{row, column} = {-2, 0}", as the library counts: slowest first.
inline std::string coordinates(const TensorBox& box, const CopyPlace& place) {
  const bool  rows4 = place.traversal == Traversal::rows4;
  std::string s     = rows4 ? "rows {" : "at {";
  for (int d = 0; d < (rows4 ? 4 : box.rank); ++d) s += format(d ? ", %d" : "%d", place.at[d]);
  return s + "}" + (rows4 ? format(" from column %d", place.at[4]) : "");
}

inline void check_place(Thread& s, Copy& c, const rt::TensorPlace& from, const CopyPlace& place, u32 shared, CopyUse use) {
  const char* const what  = use_words(use);
  const auto        stops = [&](Kind kind, const std::string& text) { fault(s, kind, c.site, words(s) + text); };
  switch (check_copy_place(c.box, from.rank, place, shared, use)) {
    case PlaceFault::another_traversal:
      return stops(
          Kind::illegal_instruction,
          format(" issues a %s of another traversal than its map was made for. Fix: make the descriptor for this kind of "
                 "box: tma::make_descriptor<Tile>, <tma::Im2col<Tile>> or <tma::Rows4<Tile>>",
                 what));
    case PlaceFault::another_rank:
      return stops(
          Kind::illegal_instruction,
          format(" issues a copy of rank %d through a map of rank %d: the two must agree. Fix: one coordinate for each "
                 "dimension of the tensor",
                 from.rank, c.box.rank));
    case PlaceFault::inner_unaligned: {
      const int size = element_bytes(c.box.type);
      return stops(
          Kind::illegal_instruction,
          format(" issues a tensor %s at innermost coordinate %d (byte %lld): the byte must be a multiple of 16 bytes "
                 "(%d elements). Fix: start the tile at the multiple before, and use the part that is wanted",
                 what, from.at[0], static_cast<long long>(i64(from.at[0]) * size), 16 / size));
    }
    case PlaceFault::outside_box:
      return stops(Kind::illegal_instruction,
                   format(" issues an im2col %s whose first pixel lies outside the bounding box of its map", what));
    case PlaceFault::box_outside_tensor:
      return stops(
          Kind::illegal_instruction,
          format(" issues an im2col %s through a map whose bounding box reaches beyond the tensor: lower corners are 0 or "
                 "above, upper corners 0 or below",
                 what));
    case PlaceFault::negative: {
      int d = place.traversal == Traversal::rows4 ? 4 : 0;
      while (place.at[d] >= 0) ++d;
      return stops(
          Kind::illegal_instruction,
          format(" issues a tensor %s at a negative coordinate, ", what) + coordinates(c.box, place) +
              format(": coordinate[%d] = %d must be at least 0, for the engine clips a %s only at the end. Fix: begin "
                     "at 0 with what is left of the tile",
                     place.traversal == Traversal::rows4 ? 1 : d, place.at[d], what));
    }
    case PlaceFault::tile_misaligned:
      return stops(
          Kind::misaligned_address,
          format(" issues a tensor %s with its tile at 0x%x: the address must be a multiple of 128 (it is %u bytes past "
                 "one)",
                 what, shared, shared % 128));
    case PlaceFault::offset_too_large:
      say(s, Kind::undefined_copy, c.site,
          words(s) + format(" issues an im2col %s with an offset that its bits do not hold", what));
      break;
    case PlaceFault::none: break;
  }
  if (place.traversal > Traversal::im2col && place.offset[0] != 0)
    fault(s, Kind::undefined_copy, c.site,
          words(s) + format(" issues an im2col %s with a halo of %d pixels, which the machine does not model: PTX does not "
                            "say in what order they lie",
                            what, place.offset[0]));
}

// A box of which no element lies in the tensor: a load fills it all, a store does nothing. That is allowed, and seldom meant.
inline void check_inside(Thread& s, Copy& c, const CopyPlace& place, CopyUse use) {
  for (const Chunk& k : c.chunks)
    if (use == CopyUse::load ? k.inside > 0 : k.stored_bytes() > 0) return;
  const TensorBox& box = c.box;
  std::string text = words(s) +
                     format(" issues a tensor %s of a box that lies wholly outside its tensor: it begins ", use_words(use)) +
                     coordinates(box, place) + ", and the tensor's extents are {";
  for (int d = 0; d < box.rank; ++d) text += format(d ? ", %lld" : "%lld", static_cast<long long>(box.extent[d]));
  text += "}";
  bool reversed = box.rank > 1 && place.traversal == Traversal::tiled;
  for (int d = 0; d < box.rank && reversed; ++d)
    reversed = place.at[box.rank - 1 - d] >= 0 && place.at[box.rank - 1 - d] < box.extent[d];
  say(s, Kind::outside_tensor, c.site,
      text +
          (reversed
               ? "; in the reverse order the coordinates would lie in it. Fix: coordinates are counted as extents are, "
                 "slowest first"
               : ". Fix: mend the coordinates, or leave the copy out; where a box of nothing but the fill is meant, leave "
                 "Settings::outside_boxes off"));
}

inline void tensor_chunks(Thread& s, Copy& c, const rt::TensorPlace& from, u32 shared, CopyUse use) {
  open_map(s, c, from.map);
  const CopyPlace place = place_of(from);
  check_place(s, c, from, place, shared, use);
  const i64 bytes = copied_bytes(c.box, place), footprint = copied_rows(c.box, place) * copied_pitch_bytes(c.box, place);
  if (use == CopyUse::prefetch) return;
  if (footprint > most_shared)
    fault(s, Kind::out_of_bounds, c.site,
          words(s) + format(" issues a tensor %s of %lld bytes, which no block has room for", use_words(use), footprint));
  c.chunks.reserve(std::size_t(bytes / 16));
  for_each_chunk(c.box, place, shared, [&](const Chunk& k) { c.chunks.push_back(k); });
  c.bytes = u32(bytes);
  if (settings().outside_boxes) check_inside(s, c, place, use);
}

// --- reductions --------------------------------------------------------------------------------------------------------

inline void set_reduction(Thread& s, Copy& c, Reduction operation, ElementType type, tma::detail::ReducedPlace place) {
  c.reduces   = true;
  c.operation = operation;
  c.element   = type;
  if (!tma::detail::reduces(operation, type, place))
    fault(s, Kind::illegal_instruction, c.site,
          words(s) + format(" issues a reduction of %s elements by an operation that the engine does not have for them",
                            element_name(type)));
}

}  // namespace tma::machine::model

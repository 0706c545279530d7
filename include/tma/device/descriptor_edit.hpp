#pragma once

#include "../core/prologue.hpp"

#include "../core/architecture.hpp"
#include "../core/fill.hpp"
#include "descriptor_drain.hpp"
#include "descriptor_place.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

struct EditAccess;

template <int D> struct Dimension {
  static constexpr int value = D;
};

template <int... D, class F> TMA_DEVICE void each_dimension(Indices<D...>, F f) { (f(Dimension<D>()), ...); }

// What stands beside the map of a box that is known at run time.
template <class To, class From> TMA_DEVICE void copy_box(To& to, const From& from) {
  int box[To::rank];
  for (int d = 0; d < To::rank; ++d) box[d] = from.box(d);
  DescriptorAccess::set_box(to, box, from.payload_bytes(), from.footprint_bytes(), from.swizzle());
}

}  // namespace detail

/// An edit of a descriptor by a warp of the device, from `tma::edit` or `tma::describe` (edit.hpp). All 32 threads of that
/// warp call its functions, converged and with equal arguments; one of them writes.
///
///     auto edit = tma::edit(scratch, pattern);                        // a copy of `pattern`, in shared memory
///     edit.address(matrix).extents({rows, columns}).strides({pitch, 1});
///     edit.publish(slots, i, tma::no_copy_uses_it());  // whoever loads: tma::acquire<tma::Scope::device>(slots, i)
///
/// Dimensions are slowest first, extents and strides in elements (packed ones in units of 16), as in a `TensorView`. What
/// the descriptor's type says stays: element type, rank, box and swizzle. What no instruction changes stays as well: the
/// promotion to L2.
///
/// The rules are those of `make_descriptor`, and nobody checks them here but a build with TMA_CHECKED, in part: an address
/// that is a multiple of 16 (of 32 for bytes_32 interleave and for padded units of packed elements), extents of at least 1
/// and below 2^32, strides that are multiples of 16 bytes below 2^40. What breaks one is undefined: an illegal instruction at best.
///
/// On plain sm_90 there is no such instruction; there the host edits (`with_address`) or makes descriptors.
template <class Descriptor, class Map> class DescriptorEdit {
  // What the compiler prints of a copy, and of one made by hand.
  using an_edit_is_one_warps__pass_it_by_reference = DescriptorEdit;
  using an_edit_comes_from_tma_edit                = bool;
  using Field                                      = detail::MapField;
  using i64                                        = detail::i64;

public:
  using value_type = typename Descriptor::value_type;
  using tile_type  = typename Descriptor::tile_type;

  static constexpr int  rank     = Descriptor::rank;
  static constexpr bool in_place = !detail::is_same_v<Map, detail::u32>;  // in global memory, not in a copy

  DescriptorEdit(const an_edit_is_one_warps__pass_it_by_reference&)            = delete;
  DescriptorEdit& operator=(const an_edit_is_one_warps__pass_it_by_reference&) = delete;

  /// Where the tensor begins.
  TMA_DEVICE const DescriptorEdit& address(value_type* data) const {
    detail::check(detail::u64(data) % 16 == 0,
                  "the address in a descriptor must be a multiple of 16. Fix: begin the tensor at such an address; the "
                  "address modulo 16",
                  i64(detail::u64(data) % 16));
    return set<Field::address>(detail::u64(data));
  }

  /// How many elements the tensor has in dimension `D`.
  template <int D> TMA_DEVICE const DescriptorEdit& extent(i64 elements) const {
    static_assert(D >= 0 && D < rank, "tma::DescriptorEdit: dimensions are 0, the slowest, to rank - 1");
    check_extent<D>(elements);
    if constexpr (detail::checked) single_ = elements == 1 ? single_ | 1u << D : single_ & ~(1u << D);
    return set<Field::extent, rank - 1 - D>(detail::u32(elements) * (D == rank - 1 ? elements_per_unit<value_type> : 1));
  }
  template <int Other> TMA_DEVICE const DescriptorEdit& extents(const i64 (&elements)[Other]) const {
    if constexpr (takes<Other>()) all([&](auto d) { extent<d.value>(elements[d.value]); });
    return *this;
  }

  /// From one element of dimension `D` to the next, in elements. The innermost stride is 1, and in no descriptor. That of a
  /// dimension of extent 1 is never used and may be anything; checked builds know of such extents that were set before.
  template <int D> TMA_DEVICE const DescriptorEdit& stride(i64 elements) const {
    static_assert(D >= 0 && D < rank - 1,
                  "tma::DescriptorEdit: strides are those of dimensions 0, the slowest, to rank - 2");
    const i64 bytes = elements * global_bytes<value_type>;
    if constexpr (detail::checked) {
      const bool unused = single_ >> D & 1;
      detail::check(
          unused || (bytes % 16 == 0 && bytes >= 0 && bytes < i64(1) << 40),
          "a stride is a multiple of 16 bytes, not negative and below 2^40: it must be that. Fix: pad the rows; bytes",
          bytes);
      if (unused) return set<Field::stride, rank - 2 - D>(32);
    }
    return set<Field::stride, rank - 2 - D>(detail::u64(bytes));
  }
  template <int Other> TMA_DEVICE const DescriptorEdit& strides(const i64 (&elements)[Other]) const {
    if constexpr (takes<Other>()) {
      if constexpr (detail::checked)
        detail::check(elements[rank - 1] == 1 || (single_ >> (rank - 1) & 1),
                      "the innermost stride is 1, and must be: a row has no gaps. Fix: make the contiguous dimension the "
                      "last; elements",
                      elements[rank - 1]);
      all([&](auto d) {
        if constexpr (d.value < rank - 1) stride<d.value>(elements[d.value]);
      });
    }
    return *this;
  }

  /// Every n-th element of a dimension, 1 to 8. The tile keeps its shape, the box in global memory widens: both fields are
  /// written. The innermost is 1.
  template <int Other> TMA_DEVICE const DescriptorEdit& element_strides(const int (&every)[Other]) const {
    if constexpr (takes<Other>()) {
      detail::check(
          every[rank - 1] == 1,
          "the innermost element stride is ignored by the engine, and must be 1. Fix: view the row as two dimensions",
          every[rank - 1]);
      all([&](auto d) {
        const int step = every[d.value], box = (box_in_tile(d) - 1) * step + 1;
        detail::check(step >= 1 && step <= 8,
                      "element strides are 1 to 8, and must be. Fix: a larger stride of the tensor; the element stride",
                      step);
        detail::check(box <= 256,
                      "a box is at most 256 elements in global memory, those that a stride skips included, and must be. "
                      "Fix: a smaller "
                      "element stride or tile; elements",
                      box);
        set<Field::element_stride, rank - 1 - d.value>(detail::u32(step));
        set<Field::box, rank - 1 - d.value>(detail::u32(box));
      });
    }
    return *this;
  }

  /// What a load writes for elements outside the tensor.
  template <Fill Value> TMA_DEVICE const DescriptorEdit& fill() const {
    static_assert(Value == Fill::zero || is_floating(element_type<value_type>),
                  "tma::DescriptorEdit: the NaN fill is for floating types");
    return set_mode<Field::fill, detail::u32(Value)>();
  }

  /// The layout in slices of channels, with the rules that `make_descriptor` has for it.
  template <Interleave Layout> TMA_DEVICE const DescriptorEdit& interleave() const {
    static_assert(Layout == Interleave::none || rank >= 3, "tma::DescriptorEdit: interleaved layouts have rank 3 to 5");
    return set_mode<Field::interleave, detail::map_number(Layout)>();
  }

  /// The box in shared memory, of a descriptor whose box is known at run time only. Element strides are 1 after it.
  template <int Other> TMA_DEVICE const DescriptorEdit& box(const int (&elements)[Other]) const {
    static_assert(detail::is_same_v<tile_type, void>, "tma::DescriptorEdit: the descriptor's type says what the box is. A "
                                                      "tma::TmaDescriptor<T, Rank> without a tile has one to be set");
    if constexpr (detail::is_same_v<tile_type, void> && takes<Other>()) {
      all([&](auto d) {
        detail::check(elements[d.value] >= 1 && elements[d.value] <= 256,
                      "a box is 1 to 256 elements in each dimension, and must be. Fix: several smaller boxes; elements",
                      elements[d.value]);
        set<Field::element_stride, rank - 1 - d.value>(1);
        set<Field::box, rank - 1 - d.value>(detail::u32(elements[d.value]));
      });
      remember_box(elements, object_->swizzle());
    }
    return *this;
  }

  /// The swizzle, likewise.
  template <Swizzle Mode> TMA_DEVICE const DescriptorEdit& swizzle() const {
    static_assert(detail::is_same_v<tile_type, void>,
                  "tma::DescriptorEdit: the descriptor's type says what the swizzle is. A "
                  "tma::TmaDescriptor<T, Rank> without a tile has one to be set");
    if constexpr (detail::is_same_v<tile_type, void>) {
      set_swizzle<Mode>();
      int elements[rank];
      for (int d = 0; d < rank; ++d) elements[d] = object_->box(d);
      remember_box(elements, Mode);
    }
    return *this;
  }

  /// Writes the edited copy to slot `i`, in global memory. Every thread that then acquires the slot
  /// (`tma::acquire<Scope::device>`), after it has learned of this by ordinary means, copies by the new descriptor. `To` is
  /// how far that holds: `Scope::system` where other devices load through the slot.
  ///
  /// The edit may go on, and be published to further slots.
  template <Scope To = Scope::device>
  TMA_DEVICE void publish(const DescriptorSlots<Descriptor>& slots, detail::Int32 i, const Drained&) const {
    static_assert(!in_place, "tma::DescriptorEdit: this edit is made in the slot itself: edit.publish()");
    if constexpr (!in_place) {
      Descriptor* const slot = detail::slot_at(slots, i, true);
      ptx::sync_warp();  // the writes of the one thread, before all copy
      if constexpr (detail::is_same_v<tile_type, void>) {
        if (elected_) detail::copy_box(*slot, *object_);
        ptx::sync_warp();
      }
      ptx::tensormap_cp_fenceproxy<To>(slot, map_);
      ptx::sync_warp();
    }
  }

  /// The same of an edit in place.
  template <Scope To = Scope::device> TMA_DEVICE void publish() const {
    static_assert(in_place, "tma::DescriptorEdit: a copy in shared memory is published to a slot, once no copy uses that: "
                            "edit.publish(slots, i, tma::drain(block)), or tma::no_copy_uses_it()");
    if constexpr (in_place) {
      if (elected_) ptx::fence_tensormap_release<To>();
      ptx::sync_warp();
    }
  }
  template <Scope To = Scope::device, class Slots> TMA_DEVICE void publish(const Slots&, int) const {
    static_assert(detail::always_false<Slots>,
                  "tma::DescriptorEdit: copies that are still under way read the old descriptor "
                  "while it changes. Say what they have done: edit.publish(slots, i, "
                  "tma::drain(block)), or tma::no_copy_uses_it()");
  }

private:
  friend struct detail::EditAccess;
  template <class Begin>
  TMA_DEVICE DescriptorEdit(an_edit_comes_from_tma_edit elected, Descriptor* object, Map map, Begin begin)
      : elected_(elected),
        object_(object),
        map_(map) {
    begin(*this);
  }

  template <int Given> static TMA_HOST_DEVICE constexpr bool takes() {
    static_assert(Given == rank, "tma::DescriptorEdit: one number for each dimension of the tensor, slowest first");
    return Given == rank;
  }

  template <class F> TMA_DEVICE void all(F f) const { detail::each_dimension(detail::make_indices<rank>(), f); }

  template <Field F, int D = 0> TMA_DEVICE const DescriptorEdit& set(detail::map_value_t<F> value) const {
    if (elected_) ptx::tensormap_replace<F, D>(map_, value);
    return *this;
  }
  template <Field F, detail::u32 Value> TMA_DEVICE const DescriptorEdit& set_mode() const {
    if (elected_) ptx::tensormap_replace_mode<F, Value>(map_);
    return *this;
  }
  // Where the assembler knows no atoms there is one, and the field is that already.
  template <Swizzle Mode> TMA_DEVICE void set_swizzle() const {
    set_mode<Field::swizzle, detail::map_number(Mode)>();
    if constexpr (Mode > Swizzle::bytes_128 || TMA_DETAIL_HAS(descriptor_edit_packed, Descriptor))
      set_mode<Field::swizzle_atom, detail::map_atom_number(Mode)>();
  }

  template <int D> static TMA_DEVICE void check_extent(i64 elements) {
    detail::check(
        elements >= 1 && elements < i64(1) << 32,
        "an extent in a descriptor is 1 to 2^32 - 1, and must be. Fix: issue no copies of an empty tensor, split a larger "
        "dimension in two; elements",
        elements);
    if constexpr (D == rank - 1 && !detail::is_const_v<value_type>)
      detail::check(
          elements * global_bytes<value_type> % 16 == 0,
          "a store writes whole 16-byte pieces: the innermost extent of a descriptor that can be stored through "
          "must be a multiple of them. Fix: make the descriptor of const elements, or store the end by threads; elements",
          elements);
  }

  // The tile's extent in dimension `d` of the tensor.
  template <int D> TMA_DEVICE int box_in_tile(detail::Dimension<D>) const {
    constexpr int unit = D == rank - 1 ? elements_per_unit<value_type> : 1;
    if constexpr (detail::is_same_v<tile_type, void>) {
      return object_->box(D);
    } else if constexpr (detail::BoxKind<typename Descriptor::box_type>::traversal == Traversal::rows4) {
      return D == 0 ? 1 : tile_type::row_elements * unit;
    } else {
      constexpr int extent = tile_type::shape::extents[D];
      return extent * unit;
    }
  }

  TMA_DEVICE void remember_box(const int* elements, Swizzle mode) const {
    int rows = 1;
    for (int d = 0; d < rank - 1; ++d) rows *= elements[d];
    const int row = elements[rank - 1] * int(sizeof(value_type)), span = swizzle_span(mode);
    ptx::sync_warp();  // after others have read what is written
    if (elected_) detail::DescriptorAccess::set_box(*object_, elements, rows * row, rows * (row < span ? span : row), mode);
    ptx::sync_warp();
  }

  bool        elected_;
  Descriptor* object_;
  Map         map_;

  mutable detail::u32 single_ = 0;  // dimensions of extent 1, as far as this edit has set extents: of checked builds
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"

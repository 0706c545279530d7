#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

// Declared, not included: the headers that define them cost more to parse than all of tma.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace tma::inline TMA_ABI {

/// The element types a tensor map knows, with the driver's numbers (CUtensorMapDataType).
///
/// Loads and stores move bits: any type may travel as another of its width. The types differ where the engine
/// computes (reductions), rounds (tf32) or flushes (ftz). The packed sub-byte types travel as units of 16: `u4x16`,
/// `u4x16_padded`, `u6x16_padded`.
enum class ElementType : int {
  u8         = 0,
  u16        = 1,
  u32        = 2,
  i32        = 3,
  u64        = 4,
  i64        = 5,
  f16        = 6,
  f32        = 7,
  f64        = 8,
  bf16       = 9,
  f32_ftz    = 10,
  tf32       = 11,
  tf32_ftz   = 12,
  u4_align8  = 13,
  u4_align16 = 14,
  u6_align16 = 15,
};

/// A float whose subnormals count as zero where the engine computes (reductions). Loads and stores keep every bit.
struct f32_ftz {
  float                     value;
  TMA_HOST_DEVICE constexpr operator float() const { return value; }
};

/// A float that a load rounds to the 10-bit mantissa of tf32, to nearest even.
/// Never chosen for `float`: rounding is asked for by name.
struct tf32 {
  float                     value;
  TMA_HOST_DEVICE constexpr operator float() const { return value; }
};

/// `tf32` whose subnormals count as zero where the engine computes. A load rounds as for `tf32`, and flushes nothing.
struct tf32_ftz {
  float                     value;
  TMA_HOST_DEVICE constexpr operator float() const { return value; }
};

/// Sixteen 4-bit elements in 8 bytes: the unit that packed tensors are counted in. Extents, coordinates and tiles are in units;
/// strides in bytes are of global memory. The innermost coordinate is even. Compute capability 10.
struct alignas(8) u4x16 {
  unsigned char bytes[8];
};

/// The same 8 bytes in global memory, and 16 in shared memory, as the matrix units of compute capability 10 want them: a load
/// puts them first and leaves 8 bytes that mean nothing. Loaded only. Rows of a tile are 8 units, and the innermost coordinate
/// is a multiple of 8 units.
///
/// What a barrier counts for such a load no text says. The library expects all bytes of shared memory, padding included.
struct alignas(16) u4x16_padded {
  unsigned char bytes[16];
};

/// Sixteen 6-bit elements: 12 bytes in global memory; 16 in shared memory, of which 4 mean nothing. Else as `u4x16_padded`,
/// and it may be stored.
struct alignas(16) u6x16_padded {
  unsigned char bytes[16];
};

/// Size in shared memory of one element, in bytes. 0 for the packed types, which have no single size.
TMA_HOST_DEVICE constexpr int element_bytes(ElementType type) {
  switch (type) {
    case ElementType::u8: return 1;
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: return 2;
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f32:
    case ElementType::f32_ftz:
    case ElementType::tf32:
    case ElementType::tf32_ftz: return 4;
    case ElementType::u64:
    case ElementType::i64:
    case ElementType::f64: return 8;
    default: return 0;
  }
}

/// True for the types that can hold a NaN, and so take the NaN fill.
TMA_HOST_DEVICE constexpr bool is_floating(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::bf16:
    case ElementType::f32_ftz:
    case ElementType::tf32:
    case ElementType::tf32_ftz: return true;
    default: return false;
  }
}

TMA_HOST_DEVICE constexpr bool is_packed(ElementType type) {
  return type == ElementType::u4_align8 || type == ElementType::u4_align16 || type == ElementType::u6_align16;
}

TMA_DETAIL_COLD_BEGIN
TMA_HOST_DEVICE constexpr const char* element_name(ElementType type) {
  constexpr const char* names[] = {"u8",  "u16",  "u32",     "i32",  "u64",      "i64",       "f16",        "f32",
                                   "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz", "u4_align8", "u4_align16", "u6_align16"};
  const int             i       = static_cast<int>(type);
  return i >= 0 && i < 16 ? names[i] : "?";
}
TMA_DETAIL_COLD_END

namespace detail {

template <class T> struct ElementOf {
  static constexpr bool supported = false;
};

template <ElementType Type> struct ElementIs {
  static constexpr bool        supported = true;
  static constexpr ElementType value     = Type;
};

// One byte, two bytes: the engine knows no sign there and no fp8; they travel as bits.
template <> struct ElementOf<bool> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<char> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<signed char> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<unsigned char> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<char8_t> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<__nv_fp8_e4m3> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<__nv_fp8_e5m2> : ElementIs<ElementType::u8> {};
template <> struct ElementOf<short> : ElementIs<ElementType::u16> {};
template <> struct ElementOf<unsigned short> : ElementIs<ElementType::u16> {};
template <> struct ElementOf<char16_t> : ElementIs<ElementType::u16> {};
template <> struct ElementOf<int> : ElementIs<ElementType::i32> {};
template <> struct ElementOf<unsigned int> : ElementIs<ElementType::u32> {};
template <> struct ElementOf<char32_t> : ElementIs<ElementType::u32> {};
template <> struct ElementOf<long> : ElementIs<sizeof(long) == 8 ? ElementType::i64 : ElementType::i32> {};
template <> struct ElementOf<unsigned long> : ElementIs<sizeof(long) == 8 ? ElementType::u64 : ElementType::u32> {};
template <> struct ElementOf<long long> : ElementIs<ElementType::i64> {};
template <> struct ElementOf<unsigned long long> : ElementIs<ElementType::u64> {};
template <> struct ElementOf<__half> : ElementIs<ElementType::f16> {};
template <> struct ElementOf<__nv_bfloat16> : ElementIs<ElementType::bf16> {};
template <> struct ElementOf<float> : ElementIs<ElementType::f32> {};
template <> struct ElementOf<double> : ElementIs<ElementType::f64> {};
template <> struct ElementOf<f32_ftz> : ElementIs<ElementType::f32_ftz> {};
template <> struct ElementOf<tf32> : ElementIs<ElementType::tf32> {};
template <> struct ElementOf<tf32_ftz> : ElementIs<ElementType::tf32_ftz> {};
template <> struct ElementOf<u4x16> : ElementIs<ElementType::u4_align8> {};
template <> struct ElementOf<u4x16_padded> : ElementIs<ElementType::u4_align16> {};
template <> struct ElementOf<u6x16_padded> : ElementIs<ElementType::u6_align16> {};

}  // namespace detail

/// True where the engine has a type for `T`. `const T` is `T`.
template <class T> inline constexpr bool is_element = detail::ElementOf<detail::remove_cv_t<T>>::supported;

namespace detail {

// A function of its own, so that the compiler's "in instantiation of" line names the type.
template <class T> TMA_HOST_DEVICE constexpr ElementType element_type_of() {
  static_assert(is_element<T>,
                "tma: the copy engine has no element type for this C++ type. It moves integers of 1, 2, 4, 8 bytes, "
                "bool, char, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2, float, double, tma::tf32, "
                "tma::tf32_ftz and tma::f32_ftz; let anything else travel as an integer of its width");
  if constexpr (is_element<T>) return ElementOf<remove_cv_t<T>>::value;
  else return ElementType::u8;
}

}  // namespace detail

/// The tensor-map type that `T` travels as. Refuses other types, with the type's name in the compiler's note.
template <class T> inline constexpr ElementType element_type = detail::element_type_of<T>();

/// Elements of the tensor map in one `T`: 16 for the packed units, else 1. What a map and an instruction are told of the
/// innermost dimension, extent, box and coordinate, is this many times what C++ counts.
template <class T> inline constexpr int elements_per_unit = is_packed(element_type<T>) ? 16 : 1;

/// Bytes of one `T` in global memory. `sizeof(T)` is its size in shared memory.
template <class T>
inline constexpr int global_bytes = element_type<T> == ElementType::u6_align16   ? 12
                                    : element_type<T> == ElementType::u4_align16 ? 8
                                                                                 : int(sizeof(T));

/// What an innermost coordinate is a multiple of, in `T`s: 16 bytes of global memory, and 128 elements of the padded types.
template <class T>
inline constexpr int coordinate_granule =
    element_type<T> == ElementType::u6_align16 || element_type<T> == ElementType::u4_align16 ? 8
    : sizeof(T) < 16                                                                         ? int(16 / sizeof(T))
                                                                                             : 1;

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"

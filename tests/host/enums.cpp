// The library does not include <cuda.h>: that its numbers and its function type are the driver's is asked here.
#include <tma/core/descriptor.hpp>
#include <tma/core/element.hpp>
#include <tma/core/swizzle.hpp>
#include <tma/host/driver.hpp>
#include <tma/host/im2col.hpp>
#include <tma/host/options.hpp>
#include <tma/host/with_address.hpp>

#include <cuda.h>

#include <tuple>
#include <type_traits>

#include "../support/catch.hpp"

using tma::ElementType;
using tma::Fill;
using tma::Interleave;
using tma::Promotion;
using tma::Swizzle;

static_assert(int(ElementType::u8) == CU_TENSOR_MAP_DATA_TYPE_UINT8);
static_assert(int(ElementType::u16) == CU_TENSOR_MAP_DATA_TYPE_UINT16);
static_assert(int(ElementType::u32) == CU_TENSOR_MAP_DATA_TYPE_UINT32);
static_assert(int(ElementType::i32) == CU_TENSOR_MAP_DATA_TYPE_INT32);
static_assert(int(ElementType::u64) == CU_TENSOR_MAP_DATA_TYPE_UINT64);
static_assert(int(ElementType::i64) == CU_TENSOR_MAP_DATA_TYPE_INT64);
static_assert(int(ElementType::f16) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
static_assert(int(ElementType::f32) == CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
static_assert(int(ElementType::f64) == CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
static_assert(int(ElementType::bf16) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
static_assert(int(ElementType::f32_ftz) == CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
static_assert(int(ElementType::tf32) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
static_assert(int(ElementType::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);

static_assert(int(Interleave::none) == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(int(Interleave::bytes_16) == CU_TENSOR_MAP_INTERLEAVE_16B);
static_assert(int(Interleave::bytes_32) == CU_TENSOR_MAP_INTERLEAVE_32B);

static_assert(int(Swizzle::none) == CU_TENSOR_MAP_SWIZZLE_NONE);
static_assert(int(Swizzle::bytes_32) == CU_TENSOR_MAP_SWIZZLE_32B);
static_assert(int(Swizzle::bytes_64) == CU_TENSOR_MAP_SWIZZLE_64B);
static_assert(int(Swizzle::bytes_128) == CU_TENSOR_MAP_SWIZZLE_128B);

static_assert(int(Promotion::none) == CU_TENSOR_MAP_L2_PROMOTION_NONE);
static_assert(int(Promotion::bytes_64) == CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
static_assert(int(Promotion::bytes_128) == CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
static_assert(int(Promotion::bytes_256) == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);

static_assert(int(Fill::zero) == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(int(Fill::nan) == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);

// The packed types and the larger atoms came with 12.8.
#if CUDA_VERSION >= 12080
static_assert(int(ElementType::u4_align8) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B);
static_assert(int(ElementType::u4_align16) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B);
static_assert(int(ElementType::u6_align16) == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
static_assert(int(Swizzle::bytes_128_atom_32) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B);
static_assert(int(Swizzle::bytes_128_atom_32_flip_8) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B);
static_assert(int(Swizzle::bytes_128_atom_64) == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
#endif

// --- the driver's functions, by their plain types ------------------------------------------------------------------

namespace {

// Two parameters that the calling convention passes alike: pointers, or integers of one size and, below 64 bits,
// enumerations of it. Pointers lead to what has the same size.
template <class A> using pointed_to = std::remove_pointer_t<A>;

template <class Ours, class Theirs> constexpr bool passed_alike() {
  if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
    if constexpr (!std::is_pointer_v<Ours> || !std::is_pointer_v<Theirs>) return false;
    else if constexpr (std::is_const_v<pointed_to<Ours>> != std::is_const_v<pointed_to<Theirs>>) return false;
    else if constexpr (std::is_void_v<pointed_to<Ours>> || std::is_void_v<pointed_to<Theirs>>) return true;
    else
      return sizeof(pointed_to<Ours>) == sizeof(pointed_to<Theirs>) &&
             std::is_unsigned_v<pointed_to<Theirs>> == std::is_unsigned_v<pointed_to<Ours>>;
  } else {
    return (std::is_integral_v<Ours> || std::is_enum_v<Ours>) && (std::is_integral_v<Theirs> || std::is_enum_v<Theirs>) &&
           sizeof(Ours) == sizeof(Theirs);
  }
}

template <class Ours, class Theirs> struct SameCall : std::false_type {};
template <class R, class S, class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameCall<R (*)(A...), S (*)(B...)> : std::bool_constant<passed_alike<R, S>() && (passed_alike<A, B>() && ...)> {};

template <class> inline constexpr int               arity              = -1;
template <class R, class... A> inline constexpr int arity<R (*)(A...)> = sizeof...(A);

}  // namespace

static_assert(arity<tma::EncodeTiled> == 12 && arity<decltype(&cuTensorMapEncodeTiled)> == 12);
static_assert(SameCall<tma::EncodeTiled, decltype(&cuTensorMapEncodeTiled)>::value);
static_assert(!SameCall<tma::EncodeTiled, int (*)(void*, int, unsigned)>::value);

static_assert(arity<tma::EncodeIm2col> == 15 && SameCall<tma::EncodeIm2col, decltype(&cuTensorMapEncodeIm2col)>::value);
static_assert(arity<tma::ReplaceAddress> == 2 && SameCall<tma::ReplaceAddress, decltype(&cuTensorMapReplaceAddress)>::value);
static_assert(!SameCall<tma::EncodeIm2col, tma::EncodeIm2colWide>::value);
#if CUDA_VERSION >= 12080
static_assert(arity<tma::EncodeIm2colWide> == 16 &&
              SameCall<tma::EncodeIm2colWide, decltype(&cuTensorMapEncodeIm2colWide)>::value);
static_assert(CU_TENSOR_MAP_IM2COL_WIDE_MODE_W == 0 && CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 == 1);
#endif

// CUDA_SUCCESS is what `encode` takes for success.
static_assert(CUDA_SUCCESS == 0);

// --- the map -------------------------------------------------------------------------------------------------------

static_assert(sizeof(tma::detail::TensorMap) == sizeof(CUtensorMap));
static_assert(sizeof(tma::detail::TensorMap::opaque) == sizeof(CUtensorMap::opaque));
static_assert(sizeof(tma::detail::TensorMap::opaque[0]) == sizeof(CUtensorMap::opaque[0]));
static_assert(alignof(tma::detail::TensorMap) == 64 && alignof(CUtensorMap) % 64 == 0);

TEST_CASE("the numbers of the driver's enumerations are ours") { SUCCEED("asked when compiling"); }

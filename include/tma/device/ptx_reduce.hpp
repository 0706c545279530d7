// Copies that combine what they bring with what is there, element by element. Which types an operation takes:
// core/reduction.hpp.
#pragma once

#include "../core/prologue.hpp"

#include "../core/element.hpp"
#include "../core/reduction.hpp"
#include "../core/traversal.hpp"
#include "ptx.hpp"
#include "ptx_words.hpp"

namespace tma::inline TMA_ABI::ptx {

// The type a one-dimensional reduction names; a tensor's is its map's. Bits have no sign, a sum of 64 bits neither, and
// the sums of 16-bit floats keep subnormals, which is said.
enum class OperandType : int { u32, s32, u64, s64, b32, b64, f32, f64, f16, bf16, noftz_f16, noftz_bf16 };

#define TMA_DETAIL_OPERAND(type, text)                \
  template <> struct OperandText<OperandType::type> { \
    static constexpr const char value[] = text;       \
  };
template <OperandType> struct OperandText;
TMA_DETAIL_OPERAND(u32, ".u32")
TMA_DETAIL_OPERAND(s32, ".s32")
TMA_DETAIL_OPERAND(u64, ".u64")
TMA_DETAIL_OPERAND(s64, ".s64")
TMA_DETAIL_OPERAND(b32, ".b32")
TMA_DETAIL_OPERAND(b64, ".b64")
TMA_DETAIL_OPERAND(f32, ".f32")
TMA_DETAIL_OPERAND(f64, ".f64")
TMA_DETAIL_OPERAND(f16, ".f16")
TMA_DETAIL_OPERAND(bf16, ".bf16")
TMA_DETAIL_OPERAND(noftz_f16, ".noftz.f16")
TMA_DETAIL_OPERAND(noftz_bf16, ".noftz.bf16")
#undef TMA_DETAIL_OPERAND

TMA_HOST_DEVICE constexpr OperandType operand_type(Reduction operation, ElementType type) {
  const bool bits = operation >= Reduction::bit_and, sum = operation == Reduction::add;
  switch (type) {
    case ElementType::i32: return bits ? OperandType::b32 : OperandType::s32;
    case ElementType::u64: return bits ? OperandType::b64 : OperandType::u64;
    case ElementType::i64: return bits ? OperandType::b64 : sum ? OperandType::u64 : OperandType::s64;
    case ElementType::f32: return OperandType::f32;
    case ElementType::f64: return OperandType::f64;
    case ElementType::f16: return sum ? OperandType::noftz_f16 : OperandType::f16;
    case ElementType::bf16: return sum ? OperandType::noftz_bf16 : OperandType::bf16;
    default: return bits ? OperandType::b32 : OperandType::u32;
  }
}
template <Reduction Op, ElementType T> using OperandTextOf = OperandText<operand_type(Op, T)>;

template <Traversal> struct DestinationModeText {
  static constexpr const char value[] = ".im2col_no_offs";
};
template <> struct DestinationModeText<Traversal::tiled> {
  static constexpr const char value[] = ".tile";
};

/// Shared memory into a tensor: boxes, or pixels through an im2col map (without offsets, as its stores).
template <Reduction Op, Traversal M, int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_reduce(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra e = {}) {
  static_assert(M == Traversal::tiled || (M == Traversal::im2col && Rank >= 3));
  TMA_DETAIL_ASM(
      TMA_DETAIL_AT "cp.reduce.async.bulk.tensor.%8.global.shared::cta%9%10.bulk_group%11 [%6, {%12}], [%7]%13;\n\t"
                    "}" ::TMA_DETAIL_AT_OPERANDS,
      "l"(map), "r"(source), "C"(RankText<Rank>::value), "C"(ReductionText<Op>::value), "C"(DestinationModeText<M>::value),
      "C"(HintText<F.hint>::value), "C"(RankText<Rank>::operand), "C"(HintText<F.hint>::operand) : "memory");
}

/// Shared memory into global memory, elements in a row.
template <Reduction Op, ElementType T, CopyForm F = CopyForm{}>
TMA_DEVICE void bulk_reduce(void* destination, u32 source, u32 bytes, CopyExtra e = {}) {
  TMA_DETAIL_ASM("{\n\t"
                 ".reg .b64 policy;\n\t"
                 "mov.b64 policy, %3;\n\t"
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group%4%5%6 [%0], [%1], %2%7;\n\t"
                 "}" ::"l"(__cvta_generic_to_global(destination)),
                 "r"(source), "r"(bytes), "l"(e.policy), "C"(HintText<F.hint>::value), "C"(ReductionText<Op>::value),
                 "C"(OperandTextOf<Op, T>::value), "C"(HintText<F.hint>::operand) : "memory");
}

/// Shared memory into another block's: destination and barrier are addresses in the cluster's window, in the same block.
template <Reduction Op, ElementType T>
TMA_DEVICE void bulk_reduce_peer(u32 destination, u32 source, u32 bytes, u32 barrier) {
  TMA_DETAIL_ASM("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes%4%5 [%0], [%1], %2, "
                 "[%3];" ::"r"(destination),
                 "r"(source), "r"(bytes), "r"(barrier), "C"(ReductionText<Op>::value),
                 "C"(OperandTextOf<Op, T>::value) : "memory");
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"

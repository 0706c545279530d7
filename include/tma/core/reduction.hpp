#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// What a reduction of the copy engine does with an element and the one that is there.
///
/// `inc`: 0 where the old value is at least the new one, else old + 1. `dec`: the new value where the old one is 0 or
/// larger than the new one, else old - 1.
///
/// Which element types an operation takes depends on where the result is, and PTX has no others:
///
///     add             u32, i32, u64, f16, bf16, f32, f64; into a chunk i64, into a tensor f32_ftz, tf32 and tf32_ftz. A
///                     peer: u32, i32, u64, i64
///     min, max        u32, i32, u64, i64, f16, bf16. A peer: u32, i32
///     inc, dec        u32
///     bit_and ...     u32, i32, u64; into a chunk i64. A peer: u32, i32
///
/// (Sums and bits of i64 are those of u64: view the tensor as unsigned.)
enum class Reduction : int { add, min, max, inc, dec, bit_and, bit_or, bit_xor };

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"

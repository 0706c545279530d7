#pragma once

#include "config.hpp"
#include "element.hpp"

namespace tma {

/// What a reduction of the copy engine does with an element and the one that is there.
///
/// `inc`: 0 where the old value is at least the new one, else old + 1. `dec`: the new value where the old one is 0 or
/// larger than the new one, else old - 1.
enum class Reduction : int { add, min, max, inc, dec, bit_and, bit_or, bit_xor };

}  // namespace tma

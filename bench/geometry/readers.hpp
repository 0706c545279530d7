// Ways to read the boxes of a specification, each a launch.
#pragma once

#include <functional>

#include "spec.hpp"

namespace geometry {

using Launch = std::function<void(int round)>;

// By the library. Words in boxes of 4 KiB, rank 2 to 5; of 1 to 32 KiB, rank 2, and of 1 KiB rank 1 as well.
Launch read_4k(const Spec& s, const Source& from);
Launch read_1k(const Spec& s, const Source& from);
Launch read_sized(const Spec& s, const Source& from);
// Matrices of 1- and 2-byte elements in boxes of 4 KiB; those of 2 with any swizzle.
Launch read_typed(const Spec& s, const Source& from);

// Matrices of words: by hand in boxes of 1, 2 or 4 KiB, by threads in those of 4 KiB: by blocks that stay, or by one for every
// `plain_each` boxes.
Launch read_by_hand(const Spec& s, const Source& from);
Launch read_by_threads(const Spec& s, const Source& from);
Launch read_by_many_blocks(const Spec& s, const Source& from);

// What was read since this was asked last; and what a launch is to read, of the first slice.
unsigned take_result(const Source& from);
unsigned expected(const Spec& s, const Source& from);

}  // namespace geometry

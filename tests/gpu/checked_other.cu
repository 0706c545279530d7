// A kernel that is launched by another file: its report takes the way through its own module.
#include <tma/tma.hpp>

__global__ void in_another_file(int* out) {
  auto block        = tma::this_block<64>();
  out[block.rank()] = block.size();
}

// expect: tma: editing a descriptor on the device needs a target with a letter: sm_90a, sm_100a or sm_100f, and later ones
// expect: likewise; this compiles for sm_90
// mistake: -gencode=arch=compute_90,code=sm_90
#include "descriptors.hpp"

__global__ void kernel(const __grid_constant__ Map pattern, float* data) {
  auto& scratch = tma::shared<tma::DescriptorScratch<Map>>();
  tma::edit(scratch, pattern).address(data);
}

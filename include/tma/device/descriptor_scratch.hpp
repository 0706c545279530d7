#pragma once

#include "../core/prologue.hpp"

#include "../core/descriptor.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
struct ScratchAccess;
}

/// Room in shared memory to edit a descriptor in. No copy goes through it: the engine reads no map there.
template <class Descriptor> class alignas(128) DescriptorScratch {
  using a_scratch_is_a_place_in_shared_memory__take_it_by_reference =
      DescriptorScratch;  // what the compiler prints of a copy

public:
  using descriptor_type = Descriptor;

  DescriptorScratch()                                                                              = default;
  DescriptorScratch(const a_scratch_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  DescriptorScratch& operator=(const a_scratch_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

private:
  friend struct detail::ScratchAccess;
  Descriptor descriptor_;
};

namespace detail {

struct ScratchAccess {
  template <class Descriptor> static TMA_DEVICE Descriptor& descriptor(DescriptorScratch<Descriptor>& scratch) {
    return scratch.descriptor_;
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"

// The vendor's sum.
#include <cub/device/device_reduce.cuh>

#include <memory>

#include "../harness/device_array.hpp"
#include "bandwidth.hpp"

namespace bandwidth {

void add_cub(Readers& to, const Source& s) {
  std::size_t room = 0;
  harness::require(cub::DeviceReduce::Sum(nullptr, room, s.data, s.sum, s.words), "cub::DeviceReduce");
  const auto scratch      = std::make_shared<harness::DeviceArray<char>>(room);
  Reader&    reader       = to.emplace_back();
  reader.config.structure = "CUB DeviceReduce";
  reader.kind             = harness::Kind::peer;
  reader.launch           = [=] {
    auto bytes = room;
    harness::require(cub::DeviceReduce::Sum(scratch->data, bytes, s.data, s.sum, s.words), "cub::DeviceReduce");
  };
}

}  // namespace bandwidth

// The driver's own answer to which allocation an address lies in.
#include <tma/host/check_allocation.hpp>

#include <cstdlib>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

TEST_CASE("the driver knows where an allocation ends") {
  constexpr int     rows = 16384, columns = 64;  // 4 MiB: no rounding of the driver's makes twice of it
  gpu::Array<float> a(std::size_t(rows) * columns);
  float*            p = a.get();
  CHECK_FALSE(bool(tma::check_allocation(tma::TensorView{p, {rows, columns}})));
  CHECK_FALSE(bool(tma::check_allocation(tma::TensorView{p + 4096, {rows - 64, columns}})));
  // A pitch that is twice what it was, a view that begins late, an extent of another tensor.
  CHECK(tma::check_allocation(tma::TensorView{p, {rows, columns}, {2 * columns, 1}}).report().has("M12"));
  CHECK(tma::check_allocation(tma::TensorView{p + rows / 2 * columns, {rows + rows / 2, columns}}).report().has("M12"));
  const tma::Error error = tma::check_allocation(tma::TensorView{p, {columns, rows, columns}});
  CHECK(error.kind() == tma::ErrorKind::rule_broken);
  INFO(error.what());
  CHECK(std::strstr(error.what(), "ends at byte +268435456 from its base"));
}

TEST_CASE("memory of malloc is in no allocation of the driver's") {
  void* const      p     = std::calloc(1024, 1);
  const tma::Error error = tma::check_allocation(tma::TensorView{static_cast<const float*>(p), {16, 16}});
  CHECK(error.kind() == tma::ErrorKind::call_failed);
  CHECK(cudaGetLastError() == cudaSuccess);
  std::free(p);
}

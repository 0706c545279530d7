// Tensors that are larger than the memory behind them: what the driver is asked, and what is said of its answer.
#include <tma/host/check_allocation.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include "report.hpp"

namespace {

using tma::ErrorKind;
using tma::Severity;
using tma::TensorView;

// An allocation that is made up, and who asked for which address.
char* const                  place = reinterpret_cast<char*>(std::uintptr_t(0x7f2a40000000));
std::size_t                  size;
int                          answer;
std::vector<const void*>     asked;
std::vector<tma::DriverCall> looked_up;

int address_range(void** first, std::size_t* bytes, void* pointer) {
  asked.push_back(pointer);
  if (answer != 0) return answer;
  *first = place;
  *bytes = size;
  return 0;
}

tma::Driver driver(std::size_t bytes, int status = 0) {
  size   = bytes;
  answer = status;
  asked.clear();
  looked_up.clear();
  return {.find =
              [](tma::DriverCall call) {
                looked_up.push_back(call);
                return call == tma::DriverCall::address_range ? reinterpret_cast<void*>(&address_range) : nullptr;
              },
          .compute_capability = 90,
          .version            = 13000};
}

template <class T> T* at(int offset = 0) { return reinterpret_cast<T*>(place + offset); }

template <class View> bool fits(const View& view, std::size_t bytes) {
  const tma::Driver d     = driver(bytes);
  const tma::Error  error = tma::check_allocation(view, &d);
  INFO(error.what());
  CHECK(asked == std::vector<const void*>{view.data()});
  CHECK(looked_up == std::vector<tma::DriverCall>{tma::DriverCall::address_range});
  if (error) CHECK(error.kind() == ErrorKind::rule_broken);
  return !error;
}

// The least allocation that holds the view, found by trying.
template <class View> void ends_at(const View& view, std::size_t bytes) {
  CHECK(fits(view, bytes));
  CHECK(fits(view, bytes + 1));
  CHECK(fits(view, std::size_t(1) << 40));
  CHECK_FALSE(fits(view, bytes - 1));
}

}  // namespace

TEST_CASE("a tensor of 16 KiB in an allocation of 1 KiB says both ends") {
  const tma::Driver d     = driver(1024);
  const tma::Error  error = tma::check_allocation(TensorView{at<float>(), {64, 64}}, &d);
  REQUIRE(bool(error));
  CHECK(error.kind() == ErrorKind::rule_broken);
  report::is_only(error.report(), "M12", Severity::error,
                  {"extents x strides", "+16384", "from there on it has 1024 bytes", "allocate 15360 bytes more"});
  CHECK(
      report::contains(error.what(), "this tensor is larger than its memory: 1 rule broken\n  [M12] extents x strides = "));
}

TEST_CASE("the last element decides, whatever lies between") {
  ends_at(TensorView{at<float>(), {64, 64}}, 16384);
  ends_at(TensorView{at<const float>(), {1}}, 4);
  ends_at(TensorView{at<unsigned char>(), {3, 5, 7, 11, 13}}, 3 * 5 * 7 * 11 * 13);
  // Rows with gaps: the last row needs none behind it.
  ends_at(TensorView{at<short>(), {10, 60}, {64, 1}}, 9 * 128 + 120);
  // Rows that overlap, and one that is repeated.
  ends_at(TensorView{at<const float>(), {10, 16}, {4, 1}}, 9 * 16 + 64);
  ends_at(TensorView{at<const float>(), {1000, 16}, {0, 1}}, 64);
  // A stride that no element uses says nothing.
  ends_at(TensorView{at<float>(), {1, 8}, {1 << 30, 1}}, 32);
  // Sixteen elements of 4 bits are 8 bytes; of 6 bits, 12.
  ends_at(TensorView{at<tma::u4x16>(), {4, 8}}, 4 * 8 * 8);
  ends_at(TensorView{at<tma::u6x16_padded>(), {4, 8}}, 4 * 8 * 12);
}

TEST_CASE("a tensor may begin inside an allocation, and has what follows") {
  ends_at(TensorView{at<float>(4096), {16, 16}}, 4096 + 1024);
  CHECK_FALSE(fits(TensorView{at<float>(4096), {16, 16}}, 4096 + 1008));
  CHECK_FALSE(fits(TensorView{at<float>(1008), {16, 16}}, 1024));
}

TEST_CASE("sizes at the end of their range are no harmless numbers") {
  const std::int64_t many = std::int64_t(1) << 32;
  CHECK_FALSE(fits(TensorView{at<unsigned char>(), {1 << 24, many}}, std::size_t(1) << 40));  // 2^56 bytes
  // Beyond the address space there is nothing to ask the driver.
  const tma::Driver d     = driver(std::numeric_limits<std::size_t>::max() / 2);
  const tma::Error  error = tma::check_allocation(TensorView{at<unsigned char>(), {many, many, many}}, &d);
  REQUIRE(bool(error));
  report::names(error.report(), "M6", Severity::error, {"extents x strides", "2^57", "address space", "extent or stride"});
  CHECK(asked.empty());
}

TEST_CASE("without a base there is nothing to ask; an empty tensor fits everywhere") {
  const tma::Driver d     = driver(1024);
  const tma::Error  error = tma::check_allocation(TensorView{static_cast<float*>(nullptr), {64, 64}}, &d);
  REQUIRE(bool(error));
  report::is_only(error.report(), "M2", Severity::error, {"base", "null", "device memory", "allocate the tensor"});
  CHECK_FALSE(bool(tma::check_allocation(TensorView{at<float>(), {0, 64}}, &d)));
  CHECK_FALSE(bool(tma::check_allocation(TensorView{at<float>(), {64, 64}, {-64, 1}}, &d)));  // refused elsewhere
  CHECK(asked.empty());
}

TEST_CASE("an address that the driver does not know, and a driver that cannot be asked") {
  const TensorView  view{at<float>(), {64, 64}};
  const tma::Driver unknown = driver(1024, 500);
  const tma::Error  error   = tma::check_allocation(view, &unknown);
  CHECK(error.kind() == ErrorKind::call_failed);
  CHECK(report::contains(error.what(), "(CUDA 13000) knows no allocation at 0x7f2a40000000: status 500"));

  tma::Driver mute = driver(1024);
  mute.find        = [](tma::DriverCall) -> void* { return nullptr; };
  CHECK(tma::check_allocation(view, &mute).kind() == ErrorKind::driver_too_old);
  CHECK(report::contains(tma::check_allocation(view, &mute).what(), "has no cuMemGetAddressRange"));
  mute.find = nullptr;
  CHECK(tma::check_allocation(view, &mute).kind() == ErrorKind::driver_too_old);
}

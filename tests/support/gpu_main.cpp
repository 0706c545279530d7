// The main program of device tests. Without a device that has the copy engine nothing runs, and the number of tests that
// did not run is said.
#define CATCH_CONFIG_RUNNER
#if __has_include(<catch2/catch_session.hpp>)
#  include <catch2/catch_session.hpp>
#  include <catch2/catch_test_case_info.hpp>
#  include <catch2/interfaces/catch_interfaces_registry_hub.hpp>
#  include <catch2/interfaces/catch_interfaces_testcase.hpp>
#else
#  include <catch2/catch.hpp>
#endif

#include "device.hpp"

int main(int argc, char** argv) {
  if (gpu::no_device_for(int(Catch::getRegistryHub().getTestCaseRegistry().getAllTests().size()))) return gpu::skipped;
  return Catch::Session().run(argc, argv);
}

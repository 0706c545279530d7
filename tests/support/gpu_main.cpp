// The main program of device tests. Without a device that has the copy engine nothing runs, and the number of tests that
// did not run is said; the exit code 77 tells CTest that this was a skip.
#define CATCH_CONFIG_RUNNER
#if __has_include(<catch2/catch_session.hpp>)
#  include <catch2/catch_session.hpp>
#  include <catch2/catch_test_case_info.hpp>
#  include <catch2/interfaces/catch_interfaces_registry_hub.hpp>
#  include <catch2/interfaces/catch_interfaces_testcase.hpp>
#else
#  include <catch2/catch.hpp>
#endif

#include <cstdio>

#include <tma/host/driver.hpp>

int main(int argc, char** argv) {
  tma::Driver driver;
  if (const tma::Error error = tma::system_driver(driver)) {
    std::printf("SKIPPED %d gpu tests: %s", int(Catch::getRegistryHub().getTestCaseRegistry().getAllTests().size()),
                error.what());
    return 77;
  }
  return Catch::Session().run(argc, argv);
}

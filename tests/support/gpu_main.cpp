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
#include "golden.hpp"
#include "gpu.hpp"

int main(int argc, char** argv) {
  if (gpu::no_device_for(int(Catch::getRegistryHub().getTestCaseRegistry().getAllTests().size()))) return gpu::skipped;
  gpu::on_download = golden::note;
  const int failed = Catch::Session().run(argc, argv);
  // gpu_barriers and machine_barriers are the same tests.
  std::string program = argv[0];
  program             = program.substr(program.rfind('/') + 1);
  program             = program.substr(program.find('_') + 1);
  return failed ? failed : golden::finish(program, argc == 1);
}

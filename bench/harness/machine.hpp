// What a measurement was made on: the comment lines at the head of every results file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "require.hpp"

namespace harness {

struct Machine {
  std::string gpu, driver, toolkit, commit;
  int         multiprocessors = 0;
  int         capability      = 0;  // 90 for 9.0
  std::size_t l2_bytes = 0, memory_bytes = 0;
};

// "580.159.04" where the kernel module says so, else the CUDA version the driver speaks.
inline std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) return word;
  int version = 0;
  require(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// The commit that was built: from the environment, else what the build found, else unknown.
inline std::string commit() {
  if (const char* given = std::getenv("TMA_COMMIT")) return given;
#ifdef TMA_COMMIT
  return TMA_COMMIT;
#else
  return "unknown";
#endif
}

inline Machine machine(int device) {
  cudaDeviceProp p{};
  require(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  return {p.name,
          driver_version(),
          std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10),
          commit(),
          p.multiProcessorCount,
          p.major * 10 + p.minor,
          std::size_t(p.l2CacheSize),
          p.totalGlobalMem};
}

inline void write_header(std::FILE* to, const Machine& m, const std::string& command) {
  std::fprintf(to, "# gpu: %s\n# driver: %s\n# toolkit: CUDA %s\n# commit: %s\n# command: %s\n", m.gpu.c_str(),
               m.driver.c_str(), m.toolkit.c_str(), m.commit.c_str(), command.c_str());
}

}  // namespace harness

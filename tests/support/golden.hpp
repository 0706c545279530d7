// What a test saw of device memory, as one number for each test case: the same bytes must come out wherever the kernels run.
//
// TMA_GOLDEN_RECORD=FILE appends the numbers of a run to FILE; TMA_GOLDEN=FILE compares a run with those recorded there.
#pragma once

#include "catch.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#if __has_include(<catch2/catch_test_macros.hpp>)
#  include <catch2/interfaces/catch_interfaces_capture.hpp>
#endif

namespace golden {

struct Entry {
  std::uint64_t hash                           = 0xcbf29ce484222325;  // FNV-1a
  int           count                          = 0;                   // downloads
  bool          operator==(const Entry&) const = default;
};

inline std::map<std::string, Entry>& seen() {
  static std::map<std::string, Entry> entries;
  return entries;
}

inline void note(const void* data, std::size_t bytes) {
  Entry&      e = seen()[Catch::getResultCapture().getCurrentTestName()];
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) e.hash = (e.hash ^ p[i]) * 0x100000001b3;
  ++e.count;
}

// After the run: 0, or 1 where something differs from what was recorded, or was recorded and did not run in a run of all
// test cases (`whole`). `program` tells files of one name apart.
inline int finish(const std::string& program, bool whole) {
  if (const char* file = std::getenv("TMA_GOLDEN_RECORD")) {
    std::ofstream out(file, std::ios::app);
    for (const auto& [name, e] : seen())
      out << program << ": " << name << " | " << std::hex << e.hash << std::dec << ' ' << e.count << '\n';
  }
  const char* file = std::getenv("TMA_GOLDEN");
  if (!file) return 0;
  std::map<std::string, Entry> recorded;
  std::ifstream                in(file);
  for (std::string line; std::getline(in, line);) {
    const auto bar = line.rfind(" | ");
    if (line.empty() || line[0] == '#' || bar == std::string::npos) continue;
    Entry e;
    e.hash                        = std::strtoull(line.c_str() + bar + 3, nullptr, 16);
    e.count                       = std::atoi(line.c_str() + line.rfind(' ') + 1);
    recorded[line.substr(0, bar)] = e;
  }
  int wrong = 0, compared = 0;
  for (const auto& [name, e] : recorded)
    if (whole && name.rfind(program + ": ", 0) == 0 && !seen().count(name.substr(program.size() + 2)))
      std::printf("golden: %s was recorded, and did not run\n", name.c_str()), ++wrong;
  for (const auto& [name, e] : seen()) {
    const auto found = recorded.find(program + ": " + name);
    if (found == recorded.end())
      std::printf("golden: %s: nothing recorded for \"%s\"\n", program.c_str(), name.c_str()), ++wrong;
    else if (!(found->second == e))
      std::printf("golden: %s: \"%s\" saw other bytes than recorded\n", program.c_str(), name.c_str()), ++wrong;
    else ++compared;
  }
  std::printf("golden: %d test cases saw the recorded bytes, %d did not\n", compared, wrong);
  return wrong ? 1 : 0;
}

}  // namespace golden

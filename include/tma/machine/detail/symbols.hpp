// From addresses in the program to lines of its source, by addr2line of binutils.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

namespace tma::machine::model {

// "kernel.cu:41" of the innermost line that is the user's own: neither the library's nor the machine's.
inline std::string line_of(const void* pc) {
  static auto* known = new std::unordered_map<const void*, std::string>;
  if (const auto found = known->find(pc); found != known->end()) return found->second;
  std::string& line = (*known)[pc];
  Dl_info      info{};
  if (!pc || !dladdr(pc, &info) || !info.dli_fname) return line;
  // The call before the return address. A position-independent file is asked by offset.
  const bool fixed = reinterpret_cast<std::uintptr_t>(info.dli_fbase) == 0x400000;
  const auto offset =
      reinterpret_cast<std::uintptr_t>(pc) - 1 - (fixed ? 0 : reinterpret_cast<std::uintptr_t>(info.dli_fbase));
  // Of the program itself dladdr tells the name it was called by; the shell is handed the file, quoted.
  const bool  named = std::strchr(info.dli_fname, '/') != nullptr;
  char* const path  = realpath(named ? info.dli_fname : "/proc/self/exe", nullptr);
  if (!path || std::strchr(path, '\'')) {
    std::free(path);
    return line;
  }
  char hexadecimal[20];
  std::snprintf(hexadecimal, sizeof hexadecimal, "0x%zx", std::size_t(offset));
  const std::string command = std::string("exec addr2line -i -e '") + path + "' " + hexadecimal + " 2>/dev/null";
  std::free(path);
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return line;
  char frame[4096];
  while (std::fgets(frame, sizeof frame, pipe)) {
    std::string f = frame;
    f             = f.substr(0, f.find_first_of(" \n"));
    if (!line.empty() || f.find("??") != std::string::npos || f.find("include/tma/") != std::string::npos) continue;
    if (f.size() > 2 && f.compare(f.size() - 2, 2, ":0") == 0) continue;
    line = f.substr(f.rfind('/') + 1);
  }
  pclose(pipe);
  return line;
}

inline std::string source_of(const void* const* pc, int depth) {
  for (int i = 0; i < depth && pc[i]; ++i) {
    const std::string line = line_of(pc[i]);
    if (!line.empty()) return line;
  }
  return "";
}

}  // namespace tma::machine::model

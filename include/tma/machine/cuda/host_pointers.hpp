// Ordinary memory of the host, as far as a kernel is given the way to it: its uses are told from those of the program's own
// memory, which looks the same. Included by memory.hpp alone: these are definitions.
#pragma once

#include <malloc.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "arena.hpp"
#include "kernel_entry.hpp"

namespace tma::machine::detail {

// What the host has at a place that a kernel was given.
struct HostRange {
  std::uintptr_t first, end;
  int            parameter;  // that points there; -1: the stack of the thread that launches
};

// Of the launch that runs.
std::vector<HostRange> host_ranges;

// The process's memory, from the system's list.
struct Mapping {
  std::uintptr_t first, end;
  bool           of_file;
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> all;
  FILE* const          file = std::fopen("/proc/self/maps", "r");
  if (!file) return all;
  char line[512];
  while (std::fgets(line, sizeof line, file)) {
    std::size_t first = 0, end = 0;
    char        mode[8] = "";
    int         path    = 0;
    if (std::sscanf(line, "%zx-%zx %7s %*s %*s %*s %n", &first, &end, mode, &path) >= 3 && mode[0] == 'r')
      all.push_back({first, end, line[path] == '/'});
    while (!std::strchr(line, '\n') && std::fgets(line, sizeof line, file)) {}
  }
  std::fclose(file);
  return all;
}

// The block of malloc that begins at `p`; 0 bytes where none is known to.
std::size_t block_at([[maybe_unused]] std::uintptr_t p, [[maybe_unused]] const Mapping& m) {
#if defined(__GLIBC__)
  // Sizes stand before the blocks: this one's, and of the next one, which says that this one is in use.
  const auto size_at = [](std::uintptr_t at) {
    return *reinterpret_cast<const volatile std::size_t*>(at - sizeof(std::size_t));
  };
  if (m.of_file || p % 16 != 0 || p - m.first < 16) return 0;
  const std::size_t word = size_at(p), chunk = word & ~std::size_t(7);
  if (chunk < 32 || chunk % 16 != 0 || chunk > m.end - (p - 16)) return 0;
  const bool        mapped = word & 2;
  const std::size_t next   = p + chunk;
  if (!mapped && (next > m.end || !(size_at(next) & 1))) return 0;
  return malloc_usable_size(reinterpret_cast<void*>(p));
#else
  return 0;
#endif
}

bool is_named_variable(std::uintptr_t p) {
  const std::lock_guard lock(symbols_mutex);
  const auto            after = symbols.upper_bound(reinterpret_cast<char*>(p));
  return after != symbols.begin() &&
         p - reinterpret_cast<std::uintptr_t>(std::prev(after)->first) < std::prev(after)->second;
}

// Before a launch: what its parameters, and pointers within them, lead to.
void find_host_pointers(void** arguments, rt::ParameterSizes parameters) {
  constexpr std::uintptr_t lowest = 0x10000, beyond = std::uintptr_t(1) << 47;
  std::vector<Mapping>     all;
  host_ranges.clear();
  for (int i = 0; i < parameters.count; ++i)
    for (std::size_t at = 0; at + sizeof(void*) <= parameters.bytes[i]; at += sizeof(void*)) {
      std::uintptr_t p = 0;
      std::memcpy(&p, static_cast<const char*>(arguments[i]) + at, sizeof p);
      if (p < lowest || p >= beyond || arena.contains(reinterpret_cast<void*>(p)) || is_named_variable(p)) continue;
      if (all.empty()) all = mappings();
      for (const Mapping& m : all)
        if (p >= m.first && p < m.end) {
          // Of a variable the size is not known: its first byte is enough for those who read all of it.
          const std::size_t bytes = block_at(p, m);
          host_ranges.push_back({p, p + (bytes ? bytes : 1), i});
        }
    }
}

// Variables of the functions that have called the launch: all above its frame. At the top of a thread's stack lie thread-local
// variables, which may be the kernel's `__shared__` ones.
void add_host_stack(const void* frame) {
  thread_local std::uintptr_t low = 0, high = 0;
  thread_local char           top;
  if (high == 0) {
    high = 1;
    pthread_attr_t attributes;
    void*          first = nullptr;
    std::size_t    bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      if (pthread_attr_getstack(&attributes, &first, &bytes) == 0) {
        low  = reinterpret_cast<std::uintptr_t>(first);
        high = low + bytes;
      }
      pthread_attr_destroy(&attributes);
    }
    const auto local = reinterpret_cast<std::uintptr_t>(&top);
    if (local >= low && local < high) low = high = 1;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(frame);
  if (at >= low && at < high) host_ranges.push_back({at, high, -1});
}

// What a launch knows of the place, or null.
const HostRange* host_range_of(const void* place) {
  const auto p = reinterpret_cast<std::uintptr_t>(place);
  for (const HostRange& r : host_ranges)
    if (p >= r.first && p < r.end) return &r;
  return nullptr;
}

}  // namespace tma::machine::detail

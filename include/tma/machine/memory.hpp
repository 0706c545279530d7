// Device memory and the host's calls: the part of machine.cpp that a program's host code talks to.
//
// Included by machine.cpp alone: these are definitions.
#pragma once

#include "../core/prologue.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/arena.hpp"
#include "cuda/host_device.hpp"
#include "cuda/host_kernel_code.hpp"
#include "cuda/host_launch.hpp"
#include "cuda/host_memory.hpp"
#include "cuda/host_pointers.hpp"
#include "cuda/host_streams.hpp"

namespace tma::machine {

namespace rt {

void* allocate(std::size_t bytes) { return detail::arena.allocate(bytes, MemoryKind::device); }
bool  release(void* pointer) { return detail::arena.release(pointer); }
bool  is_device_memory(const void* pointer) { return detail::arena.contains(pointer); }
bool  find_allocation(const void* pointer, Allocation& a) {
  if (detail::arena.find(pointer, a)) return true;
  // A __device__ variable that host code has named is an allocation as well.
  const std::lock_guard lock(detail::symbols_mutex);
  const auto            after = detail::symbols.upper_bound(static_cast<char*>(const_cast<void*>(pointer)));
  if (after == detail::symbols.begin()) return false;
  const auto& [place, bytes] = *std::prev(after);
  if (pointer >= place + bytes) return false;
  a = {place, bytes};
  return true;
}

void register_symbol(const void* place, std::size_t bytes) {
  const std::lock_guard lock(detail::symbols_mutex);
  detail::symbols[static_cast<char*>(const_cast<void*>(place))] = bytes;
}

}  // namespace rt

/// Whether no guard zone was written to. Where one was: which allocation's, and the first such byte, counted from the
/// allocation's start.
bool guards_intact(rt::Allocation& broken, std::ptrdiff_t* offset = nullptr) {
  std::ptrdiff_t at = 0;
  if (!detail::arena.find_broken_guard(broken, at)) return true;
  if (offset) *offset = at;
  return false;
}

/// Writes all guard zones anew, so that one fault is reported once.
void repair_guards() { detail::arena.repair_guards(); }

/// The contents of device memory: of all live allocations, and of the __device__ variables that host code has named.
class MemorySnapshot {
public:
  void save() {
    parts_.clear();
    for_each_part([this](const rt::Allocation& a) { parts_[a.data].assign(a.data, a.data + a.bytes); });
  }

  bool empty() const { return parts_.empty(); }

  // Of what is still there.
  void restore() const {
    for_each_part([this](const rt::Allocation& a) {
      const auto part = parts_.find(a.data);
      if (part != parts_.end() && part->second.size() == a.bytes) std::memcpy(a.data, part->second.data(), a.bytes);
    });
  }

  /// The first byte in which device memory differs from what is saved, and its allocation; null where there is none.
  const char* difference(rt::Allocation& in) const {
    const char* found = nullptr;
    for_each_part([&](const rt::Allocation& a) {
      const auto part = parts_.find(a.data);
      if (found || part == parts_.end() || part->second.size() != a.bytes) return;
      if (std::memcmp(part->second.data(), a.data, a.bytes) == 0) return;
      const char* at = a.data;
      while (*at == part->second[std::size_t(at - a.data)]) ++at;
      found = at;
      in    = a;
    });
    return found;
  }
  /// The bytes that are saved of an allocation.
  const char* saved(const rt::Allocation& a) const { return parts_.at(a.data).data(); }

  /// A number for what device memory holds now, whatever is saved.
  static std::uint64_t hash() {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for_each_part([&](const rt::Allocation& a) {
      h             = mix(h, a.bytes);
      std::size_t i = 0;
      for (; i + 8 <= a.bytes; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, a.data + i, 8);
        h = mix(h, word);
      }
      for (; i < a.bytes; ++i) h = mix(h, static_cast<unsigned char>(a.data[i]));
    });
    return h;
  }

private:
  static std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0xff51afd7ed558ccd;
    return h ^ h >> 32;
  }

  template <class F> static void for_each_part(F f) {
    detail::arena.for_each(f);
    const std::lock_guard lock(detail::symbols_mutex);
    for (const auto& [place, bytes] : detail::symbols) f(rt::Allocation{place, bytes});
  }

  std::map<char*, std::vector<char>> parts_;
};

}  // namespace tma::machine

#include "../core/epilogue.hpp"

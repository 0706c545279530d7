// Device memory: one arena of allocations between guard zones. Included by memory.hpp alone: these are definitions.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "../runtime.hpp"

namespace tma::machine {

/// What an allocation is to the host. The device reaches all of them.
enum class MemoryKind { device, managed, pinned_host };

namespace detail {

// One reservation of address space holds all allocations, each between two guard zones:
//
//     | guard | data ... up to a multiple of 256 | guard |
//
// The second zone begins with the first byte after the data.
class Arena {
public:
  static constexpr std::size_t   unit  = 256;  // alignment, and the least size of a guard zone
  static constexpr unsigned char guard = 0xa5, fresh = 0xcd;

  struct Block {
    std::size_t bytes;
    MemoryKind  kind;
  };

  void* allocate(std::size_t bytes, MemoryKind kind) {
    const std::lock_guard lock(mutex_);
    reserve();
    if (bytes == 0 || bytes > limit_ - live_bytes_) return nullptr;
    char* const at = find_gap(span(bytes));
    if (!at) return nullptr;
    char* const data = at + unit;
    blocks_.emplace(data, Block{bytes, kind});
    live_bytes_ += bytes;
    std::memset(data, fresh, bytes);
    write_guards(data, bytes);
    ++generation_;
    return data;
  }

  bool release(void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto            found = blocks_.find(static_cast<char*>(pointer));
    if (found == blocks_.end()) return false;
    const std::size_t bytes = found->second.bytes;
    live_bytes_ -= bytes;
    if (bytes >= large) give_pages_back(found->first, bytes);
    blocks_.erase(found);
    ++generation_;
    return true;
  }

  bool contains(const void* pointer) const {
    return reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(begin_) < size_;
  }

  // Every access of a kernel asks this: the last answer is remembered, and holds as long as the list of allocations does.
  bool find(const void* pointer, rt::Allocation& a) {
    thread_local rt::Allocation last{nullptr, 0};
    thread_local std::uint64_t  last_generation = 0;
    if (last_generation == generation_.load(std::memory_order_relaxed) && holds(last, pointer)) {
      a = last;
      return true;
    }
    if (!contains(pointer)) return false;
    const std::lock_guard lock(mutex_);
    const auto            found = at_or_before(pointer);
    if (found == blocks_.end()) return false;
    const rt::Allocation candidate{found->first, found->second.bytes};
    if (!holds(candidate, pointer)) return false;
    a = last        = candidate;
    last_generation = generation_.load(std::memory_order_relaxed);
    return true;
  }

  MemoryKind kind_of(const rt::Allocation& a) {
    const std::lock_guard lock(mutex_);
    const auto            found = blocks_.find(a.data);
    return found == blocks_.end() ? MemoryKind::device : found->second.kind;
  }

  template <class F> void for_each(F f) {
    const std::lock_guard lock(mutex_);
    for (const auto& [data, block] : blocks_) f(rt::Allocation{data, block.bytes});
  }

  // The first changed byte of a guard zone, relative to the allocation; false where there is none.
  bool find_broken_guard(rt::Allocation& broken, std::ptrdiff_t& offset) {
    const std::lock_guard lock(mutex_);
    for (const auto& [data, block] : blocks_) {
      const char* const end = data + block.bytes;
      // The byte next to the data is the likeliest: before the data, look backwards.
      const char* at = data;
      while (at > data - unit && static_cast<unsigned char>(at[-1]) == guard) --at;
      const char* changed = at > data - unit ? at - 1 : nullptr;
      for (const char* p = end; !changed && p < data + padded(block.bytes) + unit; ++p)
        if (static_cast<unsigned char>(*p) != guard) changed = p;
      if (!changed) continue;
      broken = {data, block.bytes};
      offset = changed - data;
      return true;
    }
    return false;
  }

  void repair_guards() {
    for_each([](const rt::Allocation& a) { write_guards(a.data, a.bytes); });
  }

  std::size_t free_bytes() {
    const std::lock_guard lock(mutex_);
    reserve();
    return limit_ - live_bytes_;
  }
  std::size_t total_bytes() {
    const std::lock_guard lock(mutex_);
    reserve();
    return limit_;
  }

private:
  static constexpr std::size_t large = std::size_t(1) << 20;
  using Blocks                       = std::map<char*, Block>;

  static std::size_t padded(std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }
  static std::size_t span(std::size_t bytes) { return padded(bytes) + 2 * unit; }

  static bool holds(const rt::Allocation& a, const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(a.data) < a.bytes;
  }

  static void write_guards(char* data, std::size_t bytes) {
    std::memset(data - unit, guard, unit);
    std::memset(data + bytes, guard, padded(bytes) - bytes + unit);
  }

  // The same place in every run where the system allows it, so that reports can be compared.
  void reserve() {
    if (begin_) return;
    void* const wish = reinterpret_cast<void*>(std::uintptr_t(0x200000000000));
    for (std::size_t bytes = std::size_t(64) << 30; bytes >= std::size_t(64) << 20; bytes /= 2) {
      void* const got = mmap(wish, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (got == MAP_FAILED) continue;
      begin_ = static_cast<char*>(got);
      size_  = bytes;
      break;
    }
    // Allocations are filled, and so take real memory: leave half of it to the rest of the system.
    const auto real = std::size_t(sysconf(_SC_PHYS_PAGES)) * std::size_t(sysconf(_SC_PAGESIZE));
    limit_          = size_ < real / 2 ? size_ : real / 2;
  }

  // First fit, in the order of addresses.
  char* find_gap(std::size_t bytes) const {
    char* at = begin_;
    for (const auto& [data, block] : blocks_) {
      if (std::size_t(data - unit - at) >= bytes) return at;
      at = data - unit + span(block.bytes);
    }
    return std::size_t(begin_ + size_ - at) >= bytes ? at : nullptr;
  }

  Blocks::const_iterator at_or_before(const void* pointer) const {
    const auto after = blocks_.upper_bound(static_cast<char*>(const_cast<void*>(pointer)));
    return after == blocks_.begin() ? blocks_.end() : std::prev(after);
  }

  static void give_pages_back(char* data, std::size_t bytes) {
    const auto page  = std::uintptr_t(sysconf(_SC_PAGESIZE));
    const auto first = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
    const auto last  = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
    if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }

  std::mutex                 mutex_;
  Blocks                     blocks_;
  std::atomic<std::uint64_t> generation_{1};
  char*                      begin_ = nullptr;
  std::size_t                size_ = 0, limit_ = 0, live_bytes_ = 0;
};

Arena arena;

// __device__ variables that host code has named. They are variables of the process.
std::mutex                   symbols_mutex;
std::map<char*, std::size_t> symbols;

}  // namespace detail

}  // namespace tma::machine

// Who used which byte last: for each 16 bytes, the last writer of every byte and the readers since.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tma::machine::model {

enum class AccessKind : std::uint8_t {
  thread,
  load,          // of the engine, into shared memory
  store_source,  // read by the engine
  cp_async,
  store_target,   // global memory, written by the engine
  load_source,    // global memory, read by the engine
  send_source,    // shared memory, read by the engine for another block
  reduce_target,  // global memory, combined by the engine with what it brings
  map_of_load,    // the tensor map of a load, in global memory
  map_of_store,   // the same of a store or reduction
};

struct Access {
  const void*   pc;
  std::uint32_t epoch;  // of `actor`, from which on the access is over; of copies, see `copy`
  std::uint32_t copy;   // the copy's number; of threads, whether it was an atomic operation
  std::uint16_t actor;
  std::uint16_t mask;  // bytes of the granule
  AccessKind    kind;
};

// Memory for lists that only grow, all given back at once.
class Arena {
public:
  void* take(std::size_t bytes) {
    if (chunk_ == chunks_.size() || used_ + bytes > chunk_bytes) {
      if (chunk_ < chunks_.size()) ++chunk_;
      if (chunk_ == chunks_.size()) chunks_.emplace_back(new char[chunk_bytes]);
      used_ = 0;
    }
    void* p = chunks_[chunk_].get() + used_;
    used_ += bytes;
    return p;
  }
  void reset() { chunk_ = used_ = 0; }

private:
  static constexpr std::size_t         chunk_bytes = 256 * 1024;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t                          chunk_ = 0, used_ = 0;
};

class AccessList {
public:
  Access*       begin() { return items_; }
  Access*       end() { return items_ + size_; }
  const Access* begin() const { return items_; }
  const Access* end() const { return items_ + size_; }
  std::uint32_t size() const { return size_; }
  void          clear() { size_ = 0; }

  void push(Arena& arena, const Access& a) {
    if (size_ == capacity_) {
      const auto more = capacity_ == 0 ? 2u : capacity_ * 2u;
      auto*      to   = static_cast<Access*>(arena.take(more * sizeof(Access)));
      if (size_) std::memcpy(to, items_, size_ * sizeof(Access));
      items_    = to;
      capacity_ = std::uint16_t(more);
    }
    items_[size_++] = a;
  }

  // These bytes have a new owner.
  void forget(std::uint16_t mask) {
    forget(mask, [](const Access&) { return false; });
  }
  template <class Keeps> void forget(std::uint16_t mask, Keeps keeps) {
    std::uint16_t kept = 0;
    for (std::uint16_t i = 0; i < size_; ++i) {
      if (!keeps(items_[i])) items_[i].mask &= std::uint16_t(~mask);
      if (items_[i].mask) items_[kept++] = items_[i];
    }
    size_ = kept;
  }

private:
  Access*       items_ = nullptr;
  std::uint16_t size_ = 0, capacity_ = 0;
};

struct Granule {
  AccessList    writes, reads;
  std::uint16_t initialised = 0;
  std::uint16_t barrier     = 0;  // bytes that are a live barrier
};

inline constexpr std::size_t granule_bytes = 16;

// Granules of shared memory by address, and of global memory by page.
class Shadow {
public:
  // The upper bits of an address are the block's rank in its cluster.
  Granule& shared(std::uint32_t address) {
    auto&             of_block = shared_[address >> 24];
    const std::size_t i        = (address & 0xffffff) / granule_bytes;
    if (i >= of_block.size()) of_block.resize(i + 1);
    return of_block[i];
  }
  // Null where it was never asked for.
  const Granule* find_shared(std::uint32_t address) const {
    const auto&       of_block = shared_[address >> 24];
    const std::size_t i        = (address & 0xffffff) / granule_bytes;
    return i < of_block.size() ? &of_block[i] : nullptr;
  }
  Granule& global(std::uintptr_t address) {
    const std::uintptr_t page = address / page_bytes;
    if (page != last_page_) {
      auto& p = pages_[page];
      if (!p) {
        p = static_cast<Granule*>(arena.take(per_page * sizeof(Granule)));
        for (std::size_t i = 0; i < per_page; ++i) new (p + i) Granule;
      }
      last_page_ = page;
      last_      = p;
    }
    return last_[address % page_bytes / granule_bytes];
  }
  void reset() {
    for (auto& of_block : shared_) of_block.clear();
    pages_.clear();
    last_page_ = ~std::uintptr_t(0);
    arena.reset();
  }

  template <class F> void for_each_global(F f) const {
    for (const auto& [page, granules] : pages_)
      for (std::size_t i = 0; i < per_page; ++i)
        if (granules[i].writes.size() + granules[i].reads.size() > 0) f(page * page_bytes + i * granule_bytes, granules[i]);
  }

  Arena arena;

  static constexpr std::size_t page_bytes = 1024, per_page = page_bytes / granule_bytes;

private:
  std::vector<Granule>                         shared_[16];
  std::unordered_map<std::uintptr_t, Granule*> pages_;
  std::uintptr_t                               last_page_ = ~std::uintptr_t(0);
  Granule*                                     last_      = nullptr;
};

}  // namespace tma::machine::model

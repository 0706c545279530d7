// Grids that a stream runs one after another, and of which a programmatic launch lets the next begin before the one before has
// ended: what a thread uses before it waits for that.
#pragma once

#include "shadow.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

namespace tma::machine::model {

// How grids have used 16 bytes of global memory; and one of the places that wrote it, and in which kernel.
struct GridUse {
  const void*   pc      = nullptr;
  const char*   kernel  = nullptr;
  std::uint16_t written = 0, read = 0, atomic = 0;
};

class GridUses {
public:
  void add(std::uintptr_t address, const Granule& g, const char* kernel) {
    GridUse use;
    for (const Access* a = g.writes.begin(); a != g.writes.end(); ++a) {
      if (a->kind == AccessKind::thread && a->copy) use.atomic |= a->mask;
      else use.written |= a->mask;
      use.pc     = a->pc;
      use.kernel = kernel;
    }
    for (const Access* a = g.reads.begin(); a != g.reads.end(); ++a) {
      use.read |= a->mask;
      if (!use.kernel) use.pc = a->pc, use.kernel = kernel;
    }
    if (use.kernel) add(address, use);
  }
  void add(const GridUses& others) {
    for (const auto& [page, uses] : others.pages_)
      for (std::size_t i = 0; i < Shadow::per_page; ++i)
        if (uses[i].kernel) add(page * Shadow::page_bytes + i * granule_bytes, uses[i]);
  }
  const GridUse* find(std::uintptr_t address) const {
    const auto page = pages_.find(address / Shadow::page_bytes);
    if (page == pages_.end()) return nullptr;
    const GridUse& use = page->second[address % Shadow::page_bytes / granule_bytes];
    return use.kernel ? &use : nullptr;
  }
  bool empty() const { return pages_.empty(); }

private:
  void add(std::uintptr_t address, const GridUse& use) {
    auto& page = pages_[address / Shadow::page_bytes];
    if (!page) page.reset(new GridUse[Shadow::per_page]);
    GridUse& to = page[address % Shadow::page_bytes / granule_bytes];
    if (!to.kernel || use.written) to.pc = use.pc, to.kernel = use.kernel;
    to.written |= use.written;
    to.read |= use.read;
    to.atomic |= use.atomic;
  }
  std::unordered_map<std::uintptr_t, std::unique_ptr<GridUse[]>> pages_;
};

// By stream, what the grids use that may still run when the next launch there begins.
inline std::map<const void*, std::shared_ptr<GridUses>>& grids_in_flight() {
  static auto* grids = new std::map<const void*, std::shared_ptr<GridUses>>;
  return *grids;
}

}  // namespace tma::machine::model

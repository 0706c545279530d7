// Descriptors kept for reuse. Not in tma.hpp: a launch that makes its descriptors once needs none.
#pragma once

#include "../core/prologue.hpp"

#include <cstring>
#include <list>
#include <mutex>
#include <type_traits>
#include <unordered_map>

#include "im2col.hpp"

namespace tma::inline TMA_ABI {

/// Descriptors by what was asked for: the same tensor, box and options give the same descriptor without a call of the driver.
///
///     tma::DescriptorCache cache(256);
///     kernel<<<...>>>(cache.get<Tile>(tma::TensorView{a, {rows, columns}}));
///
/// For libraries whose callers bring tensors that come back: made once and kept, a descriptor is faster still.
///
/// The key is every parameter of the request and the current device, field by field: no padding, no bytes of a map. So it
/// also keeps apart a view of const elements and one that may be stored to, which other rules hold for. At most `capacity`
/// descriptors are kept; the one unused for longest goes first. What is refused is not kept.
///
/// A descriptor says nothing of what lies at the address: memory that is freed and allocated again at the same place, with the
/// same shape, has the same descriptor, and it is right. Any thread may call; calls are one after another.
class TMA_PUBLIC DescriptorCache {
public:
  /// `driver` stands in for the real one in tests.
  explicit DescriptorCache(int capacity = 1024, const Driver* driver = nullptr)
      : capacity_(capacity < 1 ? 1 : std::size_t(capacity)),
        driver_(driver) {}
  DescriptorCache(const DescriptorCache&)            = delete;
  DescriptorCache& operator=(const DescriptorCache&) = delete;

  /// The descriptor of `view` in boxes of `Box`, a tile or `Rows4`. Throws what `make_descriptor` throws.
  template <class Box, class T, int Rank>
    requires(!detail::is_im2col_box<Box>)
  TmaDescriptor<T, Rank, Box> get(const TensorView<T, Rank>& view, const Options& options = {}) {
    return take<TmaDescriptor<T, Rank, Box>>(detail::tile_request<Box>(view, options), detail::map_of_tiles<T, Box>);
  }

  /// An im2col descriptor.
  template <class Box, class T, int Rank>
    requires(detail::is_im2col_box<Box>)
  TmaDescriptor<T, Rank, Box> get(const TensorView<T, Rank>& view, const corners_of<Box, Rank>& corners = {},
                                  const Options& options = {}) {
    return take<TmaDescriptor<T, Rank, Box>>(detail::im2col_request<Box>(view, corners, options), detail::im2col_map);
  }

  int capacity() const { return int(capacity_); }
  /// Descriptors kept at the moment.
  int size() const {
    const std::lock_guard lock(mutex_);
    return int(entries_.size());
  }
  /// Calls of `get` that were answered without, and with, making a descriptor.
  long long hits() const {
    const std::lock_guard lock(mutex_);
    return hits_;
  }
  long long misses() const {
    const std::lock_guard lock(mutex_);
    return misses_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    places_.clear();
    entries_.clear();
  }

private:
  // What a request asks for, as numbers: each field by itself, so that no padding takes part.
  struct Key {
    static constexpr int size = 12 + 6 * 5;
    detail::i64          word[size];

    Key(const MapRequest& r, int device) {
      const detail::i64 single[] = {device,
                                    detail::i64(r.type),
                                    r.rank,
                                    detail::i64(reinterpret_cast<std::size_t>(r.base)),
                                    detail::i64(r.interleave),
                                    detail::i64(r.swizzle),
                                    detail::i64(r.fill),
                                    detail::i64(r.promotion),
                                    r.stores,
                                    r.overflow,
                                    detail::i64(r.traversal),
                                    r.pixels};
      int               n        = 0;
      for (detail::i64 s : single) word[n++] = s;
      for (int d = 0; d < 5; ++d) {
        const bool there = d <= r.inner();
        word[n++]        = there ? r.extent[d] : 0;
        word[n++]        = there ? r.stride[d] : 0;
        word[n++]        = there ? r.box[d] : 0;
        word[n++]        = r.element_stride[d];  // one beyond the rank is refused, and found in no entry
        word[n++]        = there ? r.lower[d] : 0;
        word[n++]        = there ? r.upper[d] : 0;
      }
    }
    friend bool operator==(const Key& a, const Key& b) { return std::memcmp(a.word, b.word, sizeof a.word) == 0; }
  };
  struct Hash {
    // Three chains beside each other: one after another the multiplications would be most of the time of a hit.
    std::size_t operator()(const Key& key) const {
      static_assert(Key::size % 3 == 0);
      detail::u64 h[3] = {0xcbf29ce484222325, 0xa0761d6478bd642f, 0xe7037ed1a0b428db};
      for (int i = 0; i < Key::size; i += 3)
        for (int k = 0; k < 3; ++k) h[k] = ((h[k] ^ detail::u64(key.word[i + k])) * 0x9e3779b97f4a7c15) ^ (h[k] >> 29);
      return std::size_t((h[0] ^ (h[1] << 21 | h[1] >> 43)) * 0x9e3779b97f4a7c15 ^ h[2]);
    }
  };
  struct Entry {
    Key               key;
    detail::TensorMap map;
  };

  template <class Descriptor> Descriptor take(MapRequest&& request, const detail::MapKind& kind) {
    static_assert(sizeof(Descriptor) == sizeof(detail::TensorMap),
                  "tma::DescriptorCache: name the tile: cache.get<Tile>(view)");
    Descriptor descriptor;
    if constexpr (sizeof(Descriptor) == sizeof(detail::TensorMap))
      find(detail::DescriptorAccess::map(descriptor), request, kind);
    return descriptor;
  }

  int device() const {
    int               device = -1;
    const cudaError_t e      = driver_ ? cudaSuccess : cudaGetDevice(&device);
    if (e != cudaSuccess) {
      device = -1;
      detail::take_back(e);  // make_map says it better
    }
    return device;
  }

  void find(detail::TensorMap& map, MapRequest& request, const detail::MapKind& kind) {
    const Key             key(request, device());
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(key); found != places_.end()) {
      ++hits_;
      entries_.splice(entries_.begin(), entries_, found->second);  // the newest stands first
      map = found->second->map;
      return;
    }
    ++misses_;
    if (const Error error = detail::make_map(map, request, driver_, kind)) detail::raise(error);
    if (entries_.size() == capacity_) {
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, map});
    places_.emplace(key, entries_.begin());
  }

  const std::size_t                                         capacity_;
  const Driver* const                                       driver_;
  mutable std::mutex                                        mutex_;
  std::list<Entry>                                          entries_;
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> places_;
  long long                                                 hits_ = 0, misses_ = 0;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"

#pragma once

#include "../core/prologue.hpp"

#include "../core/count.hpp"
#include "instructions.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
struct PublishAccess;
}

/// A tile, buffer or span in shared memory that the copy engine may read: every thread that wrote it has fenced, and
/// all have met since. The only thing a store takes. From `block.publish(tile)`, or from `tma::as_loaded(tile)`.
template <class Source> class Published {
  using what_is_stored_comes_from_block_publish_or_tma_as_loaded = Source;  // what the compiler prints of one made by hand

public:
  TMA_DEVICE const Source& operator*() const { return source_; }
  TMA_DEVICE const Source* operator->() const { return &source_; }

  /// Of an array of tiles or buffers, which is published as one: the i-th of them, as a store takes it. `i` is not checked.
  template <class Access = detail::PublishAccess>
    requires(detail::is_array_v<Source>)
  TMA_DEVICE auto operator[](detail::Int32 i) const {
    return Access::publish(source_[i]);
  }

private:
  friend struct detail::PublishAccess;
  TMA_DEVICE explicit Published(const what_is_stored_comes_from_block_publish_or_tma_as_loaded& source) : source_(source) {}
  const Source& source_;
};

namespace detail {

template <class T> inline constexpr bool is_published_v               = false;
template <class S> inline constexpr bool is_published_v<Published<S>> = true;

struct PublishAccess {
  template <class Source> static TMA_DEVICE Published<Source> publish(const Source& source) {
    return Published<Source>(source);
  }
};

}  // namespace detail

/// For bytes that a load brought and no thread has changed: the calling thread has waited for that load, and a store
/// of the same bytes needs no fence. The result refers to `source`, which must live as long: a temporary is refused.
template <class Source> [[nodiscard]] TMA_DEVICE Published<Source> as_loaded(const Source& source) {
  return detail::PublishAccess::publish(source);
}
template <class Source> TMA_DEVICE Published<Source> as_loaded(const Source&& source) {
  static_assert(detail::always_false<Source>,
                "tma::as_loaded: the result refers to its argument, which must be a variable: this is a temporary, which "
                "ends with the statement. Give it a name first: auto span = ...; auto ready = tma::as_loaded(span);");
  return detail::PublishAccess::publish(source);
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"

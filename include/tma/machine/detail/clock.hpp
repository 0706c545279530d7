// Vector clocks: what each thread knows of all others.
//
// An actor is whatever makes progress that others can learn of: a thread (its epochs), a barrier (its completed phases), a
// thread's groups of stores. Each thread knows six things of every actor:
//   known      what has happened before its own next step
//   published  of a thread: what that thread has itself fenced for the engine, before it met others
//   quiet      what had happened before some proxy fence on the way here
//   global     what had happened before some proxy fence for global memory on the way here
//   initialised  of a thread: the barriers it has initialised, and fenced for the cluster
//   passed     what has happened as well, and of which no memory is ordered: what came through relaxed operations, or
//              through ones whose scope leaves this thread's block out
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tma::machine::model {

using Epochs = std::vector<std::uint32_t>;

inline std::uint32_t at(const Epochs& e, std::uint32_t actor) { return actor < e.size() ? e[actor] : 0; }

inline void raise(Epochs& e, std::uint32_t actor, std::uint32_t to) {
  if (actor >= e.size()) e.resize(actor + 1);
  e[actor] = std::max(e[actor], to);
}

inline void merge(Epochs& into, const Epochs& from) {
  if (into.size() < from.size()) into.resize(from.size());
  std::uint32_t*       a = into.data();
  const std::uint32_t* b = from.data();
  for (std::size_t i = 0, n = from.size(); i < n; ++i) a[i] = std::max(a[i], b[i]);
}

// Never changed once others see it; freed objects keep their memory for the next.
struct Snapshot {
  Epochs known, published, quiet;
  Epochs global, initialised, passed;  // empty, mostly
  bool   has_rare   = false;
  int    references = 0;
};

class SnapshotRef {
public:
  SnapshotRef() = default;
  explicit SnapshotRef(Snapshot* s) : s_(s) { ++s_->references; }
  SnapshotRef(const SnapshotRef& o) : s_(o.s_) {
    if (s_) ++s_->references;
  }
  SnapshotRef(SnapshotRef&& o) noexcept : s_(o.s_) { o.s_ = nullptr; }
  SnapshotRef& operator=(SnapshotRef o) noexcept {
    std::swap(s_, o.s_);
    return *this;
  }
  ~SnapshotRef() { drop(); }

  static SnapshotRef make() {
    auto& f = free_list();
    if (f.empty()) return SnapshotRef(new Snapshot);
    Snapshot* s = f.back();
    f.pop_back();
    s->known.clear(), s->published.clear(), s->quiet.clear();
    if (s->has_rare) s->global.clear(), s->initialised.clear(), s->passed.clear(), s->has_rare = false;
    return SnapshotRef(s);
  }

  Snapshot* operator->() const { return s_; }
  Snapshot& operator*() const { return *s_; }
  explicit  operator bool() const { return s_ != nullptr; }
  bool      operator==(const SnapshotRef& o) const { return s_ == o.s_; }

private:
  static std::vector<Snapshot*>& free_list() {
    static auto* list = new std::vector<Snapshot*>;
    return *list;
  }
  void drop() {
    if (s_ && --s_->references == 0) free_list().push_back(s_);
    s_ = nullptr;
  }
  Snapshot* s_ = nullptr;
};

inline void merge_rare(Snapshot& into, const Snapshot& from) {
  merge(into.global, from.global);
  merge(into.initialised, from.initialised);
  merge(into.passed, from.passed);
  into.has_rare = true;
}
inline void merge(Snapshot& into, const Snapshot& from) {
  merge(into.known, from.known);
  merge(into.published, from.published);
  merge(into.quiet, from.quiet);
  if (from.has_rare) merge_rare(into, from);
}

inline SnapshotRef copy_of(const SnapshotRef& s) {
  SnapshotRef r = SnapshotRef::make();
  r->known      = s->known;
  r->published  = s->published;
  r->quiet      = s->quiet;
  if (s->has_rare) merge_rare(*r, *s);
  return r;
}

inline SnapshotRef joined(const SnapshotRef& a, const SnapshotRef& b) {
  if (a == b) return a;
  SnapshotRef r = copy_of(a);
  merge(*r, *b);
  return r;
}

// What one thread knows: a snapshot shared with others, and its own newest epochs apart.
struct ThreadClock {
  std::uint32_t self = 0, now = 1, fenced = 0, fence_now = 0, inits_fenced = 0;
  SnapshotRef   base, fence_base;

  std::uint32_t known(std::uint32_t actor) const { return actor == self ? now : at(base->known, actor); }
  std::uint32_t published(std::uint32_t actor) const { return actor == self ? fenced : at(base->published, actor); }
  std::uint32_t quiet(std::uint32_t actor) const {
    std::uint32_t q = at(base->quiet, actor);
    if (fence_base) q = std::max(q, actor == self ? fence_now : at(fence_base->known, actor));
    return q;
  }

  std::uint32_t fenced_global(std::uint32_t actor) const { return at(base->global, actor); }

  // Whether or not memory is ordered by it.
  std::uint32_t passed(std::uint32_t actor) const { return std::max(known(actor), at(base->passed, actor)); }
  std::uint32_t initialised(std::uint32_t actor) const { return std::max(known(actor), at(base->initialised, actor)); }

  void fence() {
    fenced = fence_now = now++;
    fence_base         = base;
  }
  void fence_global() {
    base = copy_of(base);
    merge(base->global, base->known);
    raise(base->global, self, now++);
    base->has_rare = true;
  }
  void learn(const SnapshotRef& s) { base = joined(base, s); }
  // That what `s` knows has happened, and no more.
  void pass(const SnapshotRef& s) {
    base = copy_of(base);
    merge(base->passed, s->known);
    merge(base->passed, s->passed);
    merge(base->initialised, s->initialised);
    base->has_rare = true;
  }
  void learn(std::uint32_t actor, std::uint32_t epoch) {
    if (known(actor) >= epoch) return;
    SnapshotRef r = copy_of(base);
    raise(r->known, actor, epoch);
    base = r;
  }
};

// Adds up what several threads know: at a barrier, or over the arrivals of a phase.
class Accumulator {
public:
  // The thread releases: what it does from here on is a new epoch.
  void add(ThreadClock& c) {
    open();
    if (!contains(bases_, c.base)) {
      merge(*sum_, *c.base);
      bases_.push_back(c.base);
    }
    raise(sum_->known, c.self, c.now);
    raise(sum_->published, c.self, c.fenced);
    if (c.fence_base) {
      if (!contains(fences_, c.fence_base)) {
        merge(sum_->quiet, c.fence_base->known);
        fences_.push_back(c.fence_base);
      }
      raise(sum_->quiet, c.self, c.fence_now);
    }
    ++c.now;
  }
  // It does not: others may learn that it has come here. `fenced`: what a fence has released before.
  void pass(ThreadClock& c, const SnapshotRef& fenced) {
    open();
    if (!contains(passed_, c.base)) {
      merge(sum_->passed, c.base->known);
      merge(sum_->passed, c.base->passed);
      passed_.push_back(c.base);
    }
    raise(sum_->passed, c.self, c.now);
    sum_->has_rare = true;
    if (c.inits_fenced) raise(sum_->initialised, c.self, c.inits_fenced);
    if (fenced) merge(*sum_, *fenced);
    ++c.now;
  }
  void pass(std::uint32_t actor, std::uint32_t epoch, const Snapshot& known) {
    open();
    merge(sum_->passed, known.known);
    merge(sum_->passed, known.passed);
    raise(sum_->passed, actor, epoch);
    sum_->has_rare = true;
  }
  void add(std::uint32_t actor, std::uint32_t epoch) {
    open();
    raise(sum_->known, actor, epoch);
  }
  std::uint32_t known(std::uint32_t actor) const { return sum_ ? at(sum_->known, actor) : 0; }
  std::uint32_t passed(std::uint32_t actor) const { return sum_ ? std::max(known(actor), at(sum_->passed, actor)) : 0; }
  bool          empty() const { return !sum_; }

  SnapshotRef freeze() {
    open();
    bases_.clear();
    fences_.clear();
    passed_.clear();
    return std::move(sum_);
  }
  void clear() { freeze(); }

private:
  void open() {
    if (!sum_) sum_ = SnapshotRef::make();
  }
  static bool contains(const std::vector<SnapshotRef>& list, const SnapshotRef& s) {
    for (std::size_t i = list.size(); i-- > 0;)
      if (list[i] == s) return true;
    return false;
  }
  SnapshotRef              sum_;
  std::vector<SnapshotRef> bases_, fences_, passed_;
};

}  // namespace tma::machine::model

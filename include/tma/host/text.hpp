#pragma once

#include "../core/prologue.hpp"

#include <cstdarg>
#include <cstring>
#include <new>

#include "../core/config.hpp"

// <string>, <vector> and <memory> each cost more to compile than the rest of the host room: texts and lists here are
// plain reference-counted blocks. So does <cstdio>, of which two functions are needed.
#if defined(__GNUC__)
#  define TMA_DETAIL_STDIO(function) __builtin_##function
#else
#  include <cstdio>
#  define TMA_DETAIL_STDIO(function) std::function
#endif

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

#if defined(__GNUC__)
#  define TMA_DETAIL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#  define TMA_DETAIL_PRINTF(text, first)
#endif

// A growing block of trivially copyable things, shared between copies; only its sole owner adds to it.
class SharedBytes {
  struct Head {
    std::size_t count, capacity;
    int         owners;
  };

public:
  SharedBytes() = default;
  SharedBytes(const SharedBytes& other) : head_(other.head_) {
    if (head_) __atomic_add_fetch(&head_->owners, 1, __ATOMIC_RELAXED);
  }
  SharedBytes& operator=(const SharedBytes& other) {
    SharedBytes copy(other);
    Head* const mine = head_;
    head_            = copy.head_;
    copy.head_       = mine;
    return *this;
  }
  ~SharedBytes() {
    if (head_ && __atomic_sub_fetch(&head_->owners, 1, __ATOMIC_ACQ_REL) == 0) ::operator delete(head_);
  }

  std::size_t size() const { return head_ ? head_->count : 0; }
  const void* data() const { return head_ ? head_ + 1 : nullptr; }

  // Room for `n` bytes more at the end, counted already.
  void* extend(std::size_t n) {
    const std::size_t count = size();
    if (!head_ || count + n > head_->capacity || head_->owners != 1) {
      Head* const grown = static_cast<Head*>(::operator new(sizeof(Head) + (count + n) * 2));
      if (count) std::memcpy(static_cast<void*>(grown + 1), data(), count);
      SharedBytes old;
      old.head_ = head_;
      head_     = grown;
      *head_    = {count, (count + n) * 2, 1};
    }
    head_->count += n;
    return reinterpret_cast<char*>(head_ + 1) + count;
  }

private:
  Head* head_ = nullptr;
};

// A text that grows by whole formats.
class Text {
public:
  // Said, here and in what has texts, so that they are as cold as the rest: what the compiler adds by itself is optimised.
  Text()                       = default;
  Text(const Text&)            = default;
  Text& operator=(const Text&) = default;
  ~Text()                      = default;

  const char* c_str() const { return characters_.size() ? static_cast<const char*>(characters_.data()) : ""; }

  TMA_DETAIL_PRINTF(2, 3) void append(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vappend(format, arguments);
    va_end(arguments);
  }

  void vappend(const char* format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int n = TMA_DETAIL_STDIO(vsnprintf)(nullptr, 0, format, arguments);
    // The new text goes over the old terminator.
    const bool  first = characters_.size() == 0;
    char* const at    = static_cast<char*>(characters_.extend(std::size_t(n) + first)) - !first;
    TMA_DETAIL_STDIO(vsnprintf)(at, std::size_t(n) + 1, format, again);
    va_end(again);
  }

private:
  SharedBytes characters_;
};

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"

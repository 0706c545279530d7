// A thread of the kernel: a stack of its own, and the switch to and from it.
//
// A fiber that is dropped before it ends is not unwound: its frames hold nothing but the kernel's own variables.
#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <vector>

#if !defined(TMA_MACHINE_UCONTEXT) && __has_include(<boost/context/detail/fcontext.hpp>)
#  include <boost/context/detail/fcontext.hpp>
#  define TMA_MACHINE_FCONTEXT 1
#else
#  include <ucontext.h>
#  define TMA_MACHINE_FCONTEXT 0
#endif

namespace tma::machine::model {

class Fiber {
public:
  using Entry = void (*)(void*);

  // `stack` is the lowest address. Starts at the next resume.
  void start(char* stack, std::size_t bytes, Entry entry, void* argument) {
    entry_    = entry;
    argument_ = argument;
#if TMA_MACHINE_FCONTEXT
    context_ = boost::context::detail::make_fcontext(stack + bytes, bytes, [](boost::context::detail::transfer_t t) {
      auto* self     = static_cast<Fiber*>(t.data);
      self->outside_ = t.fctx;
      self->entry_(self->argument_);
      std::abort();  // an entry suspends for good, it does not return
    });
#else
    getcontext(&context_);
    context_.uc_stack.ss_sp   = stack;
    context_.uc_stack.ss_size = bytes;
    context_.uc_link          = nullptr;
    const auto self           = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(&enter), 2, unsigned(self), unsigned(self >> 32));
#endif
  }

  void resume() {
#if TMA_MACHINE_FCONTEXT
    context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
#else
    swapcontext(&outside_, &context_);
#endif
  }

  // From inside, back to who resumed.
  void suspend() {
#if TMA_MACHINE_FCONTEXT
    outside_ = boost::context::detail::jump_fcontext(outside_, this).fctx;
#else
    swapcontext(&context_, &outside_);
#endif
  }

private:
  Entry entry_    = nullptr;
  void* argument_ = nullptr;
#if TMA_MACHINE_FCONTEXT
  boost::context::detail::fcontext_t context_ = nullptr, outside_ = nullptr;
#else
  static void enter(unsigned low, unsigned high) {
    auto* self = reinterpret_cast<Fiber*>(std::uintptr_t(low) | std::uintptr_t(high) << 32);
    self->entry_(self->argument_);
    std::abort();
  }
  ucontext_t context_, outside_;
#endif
};

// Stacks of the threads of one block, each above a page that may not be touched.
class Stacks {
public:
  static constexpr std::size_t bytes = 128 * 1024, guard = 4096;

  Stacks()                         = default;
  Stacks(const Stacks&)            = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks() {
    for (char* s : stacks_) munmap(s - guard, bytes + guard);
  }

  char* get(std::size_t i) {
    while (stacks_.size() <= i) {
      void* p = mmap(nullptr, bytes + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED) std::abort();
      mprotect(p, guard, PROT_NONE);
      stacks_.push_back(static_cast<char*>(p) + guard);
    }
    return stacks_[i];
  }

private:
  std::vector<char*> stacks_;
};

}  // namespace tma::machine::model

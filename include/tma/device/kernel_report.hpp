// The report of a checked build's kernel: one text, by the first thread that has something to say, which then stops the grid.
#pragma once

#include "../core/prologue.hpp"

#include "ptx_checked.hpp"

#if defined(TMA_DETAIL_WATCHED)

namespace tma::inline TMA_ABI {
namespace detail::report {

// Only the first thread comes back: the others wait until it has spoken, for a trap stops it as well. Those of its own warp
// leave, so that it does not wait for them.
TMA_DETAIL_OUTLINED void begin() {
  const u32 warp  = u32(ptx::block_rank()) * 32 + ptx::thread_rank() / 32 + 1;
  const u32 first = atomicCAS(&ptx::kernel_channel().claimed, 0u, warp);
  if (first == warp) ptx::exit();
  if (first != 0) {
    for (const u64 start = ptx::nanoseconds(); ptx::nanoseconds() - start < 10000000000ull;) ptx::pause(1000);
    ptx::trap();
  }
  ptx::kernel_channel().length = 0;
}

TMA_DETAIL_OUTLINED void letter(char c) {
  KernelChannel& to = ptx::kernel_channel();
  if (to.length < sizeof(to.text) - 1) to.text[to.length++] = c;
}

TMA_DETAIL_OUTLINED void text(const char* words) {
  for (; *words; ++words) letter(*words);
}

TMA_DETAIL_OUTLINED void digits(u64 value, u32 base) {
  u64 place = 1;
  while (value / place >= base) place *= base;
  for (; place > 0; place /= base) letter("0123456789abcdef"[value / place % base]);
}

TMA_DETAIL_OUTLINED void number(i64 value) {
  if (value < 0) letter('-');
  digits(value < 0 ? 0 - u64(value) : u64(value), 10);
}

TMA_DETAIL_OUTLINED void address(u64 value) {
  text("0x");
  digits(value, 16);
}

// `format` holds %d at most twice, and nothing else of printf.
TMA_DETAIL_OUTLINED void name(const char* format, int a, int b) {
  for (int n = 0; *format; ++format) {
    if (format[0] == '%' && format[1] == 'd') number(n++ == 0 ? a : b), ++format;
    else letter(*format);
  }
}

// "block (x, y, z) warp w thread t"
TMA_DETAIL_OUTLINED void who() {
  text("block (");
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0) text(", ");
    number(ptx::block_index(axis));
  }
  text(") warp ");
  number(ptx::thread_rank() / 32);
  text(" thread ");
  number(ptx::thread_rank());
}

// Hands the text to the host and to standard output, and stops the grid.
[[noreturn]] TMA_DETAIL_OUTLINED void end() {
  KernelChannel& from    = ptx::kernel_channel();
  from.text[from.length] = 0;
  if (KernelPage* const page = from.page) {
    for (u32 i = 0; i <= from.length; ++i) page->text[i] = from.text[i];
    __threadfence_system();
    *const_cast<volatile u32*>(&page->ready) = 1;
    __threadfence_system();
  }
  ptx::print_report();
  ptx::trap();
}

}  // namespace detail::report

namespace ptx {

/// A broken rule says so and stops the kernel.
[[noreturn]] TMA_DETAIL_OUTLINED void fail(const char* rule, i64 value) {
  using namespace detail;
  report::begin();
  report::text("tma: ");
  report::who();
  report::text(": ");
  report::text(rule);
  report::text(" (found ");
  report::number(value);
  report::text(")\n");
  report::end();
}

/// What lies in dynamic shared memory: has the launch given enough?
template <class T> TMA_DEVICE void describe_object(const T& object) {
  if (shared_address(&object) + sizeof(T) > shared_address(dynamic_shared()) + dynamic_shared_bytes())
    fail(
        "tma::shared<T>() takes dynamic shared memory for a T of this size, and the kernel must be launched with that much. "
        "Fix: launch with .shared = tma::shared_bytes<T>; bytes that the launch gives",
        dynamic_shared_bytes());
}

}  // namespace ptx
}  // namespace tma::inline TMA_ABI

#endif  // TMA_DETAIL_WATCHED

#include "../core/epilogue.hpp"

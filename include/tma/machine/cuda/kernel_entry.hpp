// How a kernel is called on the machine. A launch has the kernel's address and untyped pointers to its arguments; what knows
// the parameters' types is made here, where the kernel's own type is still known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "keywords.hpp"

namespace tma::machine {

/// The context that `rt::launch` hands to its `call` for every thread.
struct KernelCall {
  const void* kernel;
  void**      arguments;
};

namespace rt {

// The sizes of a kernel's parameters.
struct ParameterSizes {
  const std::size_t* bytes = nullptr;
  int                count = 0;
};

// Where functions begin that have room before their first instruction: those with __cluster_dims__ (keywords.hpp).
struct KernelPlaces {
  const std::uintptr_t *first, *last;
};

// Makes the kernel known and returns its address. `call` takes a KernelCall.
const void* register_kernel(const void* kernel, void (*call)(void*), ParameterSizes parameters, KernelPlaces clusters);

// Host code: ends the state in which every call returns the error of an earlier kernel.
void clear_error();

// Host code: makes `place`, a __device__ variable, known as device memory.
void register_symbol(const void* place, std::size_t bytes);

// One of the driver's calls that make a tensor map or change it; null for any other name.
void* driver_call(const char* name);

}  // namespace rt

namespace detail {

template <class Indices, class... P> struct KernelEntry;

template <std::size_t... I, class... P> struct KernelEntry<std::index_sequence<I...>, P...> {
  static constexpr std::size_t bytes[sizeof...(P) + 1] = {sizeof(P)..., 0};

  static_assert((!std::is_reference_v<P> && ...), "a kernel has no reference parameters: the device cannot follow them");

  // Nothing but the kernel's frame lies below this one: what is on the stack above that frame is parameters.
  TMA_DETAIL_RAW static void call(void* context) {
    const KernelCall& c = *static_cast<const KernelCall*>(context);
    reinterpret_cast<void (*)(P...)>(const_cast<void*>(c.kernel))(*static_cast<P*>(c.arguments[I])...);
    asm volatile("" ::: "memory");  // the call above is no tail call, so that this frame stays
  }
};

}  // namespace detail
}  // namespace tma::machine

// The linker's names for the list that the compiler has written, of this program or shared object. Null where there is none.
extern "C" const std::uintptr_t __start___patchable_function_entries[] __attribute__((weak, visibility("hidden")));
extern "C" const std::uintptr_t __stop___patchable_function_entries[] __attribute__((weak, visibility("hidden")));

template <class... P> const void* tma_machine_kernel(void (*kernel)(P...)) {
  using Entry = ::tma::machine::detail::KernelEntry<std::index_sequence_for<P...>, P...>;
  return ::tma::machine::rt::register_kernel(reinterpret_cast<const void*>(kernel), Entry::call,
                                             {Entry::bytes, int(sizeof...(P))},
                                             {__start___patchable_function_entries, __stop___patchable_function_entries});
}

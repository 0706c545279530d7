// Loads and stores with a cache hint, address spaces, fences, time.
#pragma once

#include <cstddef>
#include <type_traits>

#include <stdio.h>
#include <string.h>
#include <time.h>  // clock(): the machine answers for it inside a kernel

#include "../runtime.hpp"
#include "keywords.hpp"

// A hint is no promise: these are plain accesses, and a race through them is a race.
#define TMA_DETAIL_LOAD_HINT(name) \
  template <class T> __forceinline__ T name(const T* place) { return *place; }
#define TMA_DETAIL_STORE_HINT(name) \
  template <class T> __forceinline__ void name(T* place, std::type_identity_t<T> value) { *place = value; }

TMA_DETAIL_LOAD_HINT(__ldg)
TMA_DETAIL_LOAD_HINT(__ldca)
TMA_DETAIL_LOAD_HINT(__ldcg)
TMA_DETAIL_LOAD_HINT(__ldcs)
TMA_DETAIL_LOAD_HINT(__ldlu)
TMA_DETAIL_LOAD_HINT(__ldcv)
TMA_DETAIL_STORE_HINT(__stwb)
TMA_DETAIL_STORE_HINT(__stcg)
TMA_DETAIL_STORE_HINT(__stcs)
TMA_DETAIL_STORE_HINT(__stwt)
#undef TMA_DETAIL_LOAD_HINT
#undef TMA_DETAIL_STORE_HINT

inline unsigned __isShared(const void* p) { return ::tma::machine::rt::is_shared(p); }
inline unsigned __isGlobal(const void* p) { return ::tma::machine::rt::is_global(p); }
inline unsigned __isLocal(const void* p) { return ::tma::machine::rt::is_local(p); }
inline unsigned __isConstant(const void*) { return 0; }  // a constant is a global variable here
inline unsigned __isGridConstant(const void* p) { return !__isShared(p) && !__isGlobal(p) && !__isLocal(p); }

inline std::size_t __cvta_generic_to_shared(const void* p) { return ::tma::machine::rt::shared_address(p); }
inline void*       __cvta_shared_to_generic(std::size_t a) { return ::tma::machine::rt::shared_pointer(unsigned(a)); }
inline std::size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<std::size_t>(p); }
inline std::size_t __cvta_generic_to_local(const void* p) { return reinterpret_cast<std::size_t>(p); }
inline std::size_t __cvta_generic_to_constant(const void* p) { return reinterpret_cast<std::size_t>(p); }
inline std::size_t __cvta_generic_to_grid_constant(const void* p) { return reinterpret_cast<std::size_t>(p); }
inline void*       __cvta_global_to_generic(std::size_t a) { return reinterpret_cast<void*>(a); }
inline void*       __cvta_local_to_generic(std::size_t a) { return reinterpret_cast<void*>(a); }
inline void*       __cvta_constant_to_generic(std::size_t a) { return reinterpret_cast<void*>(a); }
inline void*       __cvta_grid_constant_to_generic(std::size_t a) { return reinterpret_cast<void*>(a); }

inline void __threadfence_block() { ::tma::machine::rt::thread_fence(0); }
inline void __threadfence() { ::tma::machine::rt::thread_fence(1); }
inline void __threadfence_system() { ::tma::machine::rt::thread_fence(2); }

inline void               __nanosleep(unsigned ns) { ::tma::machine::rt::nanosleep(ns); }
inline long long          clock64() { return ::tma::machine::rt::clock(); }
inline unsigned long long __clock64() { return static_cast<unsigned long long>(::tma::machine::rt::clock()); }
inline unsigned           __clock() { return static_cast<unsigned>(::tma::machine::rt::clock()); }

[[noreturn]] inline void __trap() { ::tma::machine::rt::trap("__trap"); }
inline void              __brkpt() {}

// The instructions that most kernels use, on the machine: stands in for device/ptx.hpp, function by function.
#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"
#include "../core/copy_form.hpp"
#include "../core/meta.hpp"
#include "runtime_more.hpp"

namespace tma::inline TMA_ABI::ptx {

using detail::CopyExtra;
using detail::CopyForm;
using detail::i64;
using detail::u32;
using detail::u64;

namespace machine_detail {
// "T" out of what the compiler calls this function.
template <class T> constexpr const char* type_name() { return __PRETTY_FUNCTION__; }

// Sets the bytes between and behind the members of a T to zero: nobody writes them, and who copies the whole object reads them.
// Null where the compiler cannot tell.
template <class T> union Anything {
  T value;
  Anything();
  ~Anything();
};
template <class T> constexpr auto clear_padding() -> void (*)(void*) {
#if __has_builtin(__builtin_clear_padding)
  return [](void* object) { __builtin_clear_padding(&static_cast<Anything<T>*>(object)->value); };
#else
  return nullptr;
#endif
}
template <class T> constexpr machine::rt::ObjectType object_type() {
  return {sizeof(T), alignof(T), type_name<T>(), clear_padding<T>()};
}
}  // namespace machine_detail

TMA_DEVICE u32 thread_rank() { return machine::rt::thread_rank(); }

TMA_DEVICE u32 block_threads() { return machine::rt::block_size.x * machine::rt::block_size.y * machine::rt::block_size.z; }

TMA_DEVICE bool is_local(const void* pointer) { return machine::rt::is_local(pointer); }
TMA_DEVICE u32  shared_address(const void* pointer) { return machine::rt::shared_address(pointer); }

template <class T> TMA_DEVICE T& static_shared() {
  static constexpr char key = 0;
  return *static_cast<T*>(machine::rt::static_shared(&key, machine_detail::object_type<T>()));
}
TMA_DEVICE unsigned char* dynamic_shared() { return static_cast<unsigned char*>(machine::rt::dynamic_shared()); }

template <class T> TMA_DEVICE void describe_object(const T& object) {
  static constexpr char key = 0;
  machine::rt::dynamic_object(&key, &object, machine_detail::object_type<T>());
}

TMA_DEVICE void describe(const void* place, u32 bytes, const char* format, int a = 0, int b = 0,
                         const char* owner = nullptr) {
  machine::rt::describe(place, bytes, format, a, b, owner);
}
TMA_DEVICE void enter_role(const char* role) { machine::rt::enter_role(role); }
TMA_DEVICE void leave_ring(const void* full, const void*, int) { machine::rt::leave_ring(full); }

TMA_DEVICE bool elect_sync() { return machine::rt::elect_sync(); }
TMA_DEVICE void sync_block() { machine::rt::sync_block(); }
TMA_DEVICE void sync_warp() { machine::rt::sync_warp(~0u); }
TMA_DEVICE u32  uniform(u32 value) { return value; }
TMA_DEVICE void sync_threads(int id, int threads) { machine::rt::sync_threads(id, threads); }

[[noreturn]] TMA_DEVICE void trap() { machine::rt::trap("trap"); }
[[noreturn]] TMA_DEVICE void fail(const char* rule, i64 value) { machine::rt::fail(rule, value); }

TMA_DEVICE void mbarrier_init(u32 barrier, u32 arrivals) { machine::rt::mbarrier_init(barrier, arrivals); }
TMA_DEVICE void mbarrier_inval(u32 barrier) { machine::rt::mbarrier_inval(barrier); }
TMA_DEVICE void mbarrier_arrive(u32 barrier) { machine::rt::mbarrier_arrive(barrier, 1, 0, 0); }
TMA_DEVICE void mbarrier_arrive_expect_tx(u32 barrier, u32 bytes) {
  machine::rt::mbarrier_arrive(barrier, 1, bytes, machine::rt::how::expects);
}
TMA_DEVICE u32  opaque(u32 x) { return x; }
TMA_DEVICE bool mbarrier_try_wait(u32 barrier, u32 parity) { return machine::rt::mbarrier_wait(barrier, parity, 0); }
TMA_DEVICE bool mbarrier_test_wait(u32 barrier, u32 parity) {
  return machine::rt::mbarrier_wait(barrier, parity, machine::rt::how::at_once);
}

TMA_DEVICE void fence_mbarrier_init() { machine::rt::fence_mbarrier_init(); }
TMA_DEVICE void fence_proxy_async_shared() { machine::rt::fence_proxy_async(true); }

namespace machine_detail {
template <CopyForm F> TMA_DEVICE machine::rt::LoadTarget target(const CopyExtra& e) {
  return {F.cluster || F.cta_group == 2, F.multicast, F.multicast ? e.mask : 0u};
}
}  // namespace machine_detail

template <CopyForm F = CopyForm{}>
TMA_DEVICE void bulk_load(u32 destination, const void* source, u32 bytes, u32 barrier, CopyExtra e = {}) {
  machine::rt::bulk_load(destination, source, bytes, barrier, machine_detail::target<F>(e));
}
template <CopyForm F = CopyForm{}> TMA_DEVICE void bulk_store(void* destination, u32 source, u32 bytes, CopyExtra e = {}) {
  machine::rt::bulk_store(destination, source, bytes, F.byte_mask ? e.bytes : 0xffff);
}

template <int Rank> struct Coordinates {
  int at[Rank];
};

template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_load(u32 destination, const void* map, const Coordinates<Rank>& c, u32 barrier, CopyExtra e = {}) {
  machine::rt::tensor_load(destination, {map, Rank, c.at}, barrier, machine_detail::target<F>(e));
}
template <int Rank, CopyForm F = CopyForm{}>
TMA_DEVICE void tensor_store(const void* map, const Coordinates<Rank>& c, u32 source, CopyExtra = {}) {
  machine::rt::tensor_store({map, Rank, c.at}, source);
}

TMA_DEVICE void                        bulk_commit_group() { machine::rt::bulk_commit_group(); }
template <int Pending> TMA_DEVICE void bulk_wait_group_read() { machine::rt::bulk_wait_group(Pending, true); }
template <int Pending> TMA_DEVICE void bulk_wait_group() { machine::rt::bulk_wait_group(Pending, false); }

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"

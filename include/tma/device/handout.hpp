// How one block of a cluster gives the same thing to all of them, again and again.
#pragma once

#include "../core/prologue.hpp"

#include "barrier_forms.hpp"
#include "load_barrier.hpp"
#include "mbarrier.hpp"

#include TMA_DETAIL_PTX(_barrier)
#include TMA_DETAIL_PTX(_cluster)

namespace tma::inline TMA_ABI::detail {

// What is given lies at one place in each block and completes on that block's `given`, with its bytes; each block then says
// on the giver's `read` that the place may be written again. One thread a block takes part, always the same; the ends of the
// object's scope are all threads'. With one block there is nobody to wait for, and it gives to itself.
//
// `ToOthers`: the giver gives to the other blocks alone, and knows itself what it gives. So it is where the bytes go by
// st.async, whose destination must be in another block than the thread that issues it (PTX leaves the own block undefined).
template <int Size, bool ToOthers = false> class Handout {
  static constexpr Scope scope = Size > 1 ? Scope::cluster : Scope::block;

public:
  class Shared {
    using it_is_a_place_in_shared_memory__take_it_by_reference = Shared;

  public:
    Shared()                                                                       = default;
    Shared(const it_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
    Shared& operator=(const it_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  private:
    friend class Handout;
    LoadBarrier                                        given_;
    Mbarrier<ToOthers && (Size > 1) ? Size - 1 : Size> read_;
  };

  TMA_DEVICE explicit Handout(Shared& shared) : shared_(shared) {
    if constexpr (checked)
      check(ptx::cluster_size() == Size, "these tiles are of another cluster: launch the kernel with .cluster = its size",
            ptx::cluster_size());
    if (ptx::thread_rank() == 0) {
      ptx::describe(&shared_.given_, sizeof(shared_.given_), "given");
      ptx::describe(&shared_.read_, sizeof(shared_.read_), "read");
      BarrierAccess::init(shared_.given_);
      BarrierAccess::init(shared_.read_);
      ptx::fence_mbarrier_init();
    }
    if constexpr (Size > 1) {
      ptx::cluster_arrive<Order::relaxed>();
      ptx::cluster_wait();
    } else {
      ptx::sync_block();
    }
  }
  Handout(const Handout&)            = delete;
  Handout& operator=(const Handout&) = delete;

  // No block leaves while others may still say that they have read.
  TMA_DEVICE ~Handout() {
    if constexpr (Size > 1) {
      ptx::cluster_arrive_alone<Order::ordered>();
      ptx::cluster_wait_alone();
    }
  }

  static TMA_DEVICE bool gives() {
    if constexpr (Size > 1) return ptx::cluster_rank() == 0;
    else return true;
  }

  TMA_DEVICE LoadBarrier& given() const { return shared_.given_; }

  // The giver: until all have read what was given last. A fresh barrier counts as one whose last phase has completed.
  TMA_DEVICE void wait_read() const {
    if constexpr (Size > 1) BarrierAccess::wait<Order::ordered, scope>(shared_.read_, parity_ ^ 1);
  }
  // Each block: until it has what is given; and when it has read it.
  TMA_DEVICE void wait_given() const { BarrierAccess::wait<Order::ordered, scope>(shared_.given_, parity_); }
  TMA_DEVICE void has_read() {
    if constexpr (Size > 1)
      ptx::mbarrier_arrive_peer<Order::ordered>(ptx::map_shared(BarrierAccess::address(shared_.read_), 0));
    parity_ ^= 1;
  }
  // The giver, in the place of both, where it gives to the others alone.
  TMA_DEVICE void has_given() {
    static_assert(ToOthers);
    parity_ ^= 1;
  }

private:
  Shared& shared_;
  u32     parity_ = 0;
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"

// The hops of ours.cuh in PTX written by hand, with the same structure.
#pragma once

#include "hand.cuh"
#include "walk.cuh"

namespace latency::hand {

// The barrier and the slots of a block of one warp.
template <Address A> struct Room {
  unsigned first, barrier, parity = 0;

  __device__ Room() {
    __shared__ alignas(8) unsigned long long word;
    barrier = keep<A>(address_of(&word));
    first   = keep<A>((address_of(tma::ptx::dynamic_shared()) + 127) / 128 * 128);
    if (threadIdx.x == 0) {
      init(barrier);
      fence_init();
    }
    __syncthreads();
  }
  __device__ void release() {
    __syncthreads();
    fence_async();
  }
};

template <Address A> __global__ void __launch_bounds__(32) bulk(Walk w, Trace* out, int bytes) {
  Room<A> room;
  walk(
      w, out, w.base,
      [&](const Node* at, int slot) {
        const unsigned to = room.first + unsigned(slot * bytes);
        if (elected()) {
          load(to, at, bytes, room.barrier);
          arm(room.barrier, bytes);
        }
        wait(room.barrier, room.parity);
        room.parity ^= 1;
        const Node* next;
        asm volatile("ld.shared.u64 %0, [%1];" : "=l"(next) : "r"(to));
        return next;
      },
      [&] { room.release(); }, [&](const Node* at) { return index_of(w, at); });
}

template <int Rank, Address A>
__global__ void __launch_bounds__(32) tensor(const __grid_constant__ Map map, Walk w, Trace* out, int bytes) {
  Room<A>       room;
  constexpr int in_node = Rank == 1 ? node_words : Rank == 2 ? node_words / 256 : 1;
  constexpr int word    = Rank == 1 ? 4 : Rank == 2 ? 3 : 2;
  walk(
      w, out, 0,
      [&](int at, int slot) {
        const unsigned to = room.first + unsigned(slot * node_bytes);
        if (elected()) {
          load<Rank>(to, map, at, room.barrier);
          arm(room.barrier, bytes);
        }
        wait(room.barrier, room.parity);
        room.parity ^= 1;
        int next;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(to + word * 4));
        return next;
      },
      [&] { room.release(); }, [&](int at) { return at / in_node; });
}

}  // namespace latency::hand

// The kernels that make one copy of any kind. What an instruction takes as an argument of its template is chosen when the
// kernel runs: one kernel for loads, one for stores and reductions, one for clusters.
#pragma once

#include <tma/core/architecture.hpp>
#include <tma/tma.hpp>

#if !defined(TMA_MACHINE)
#  include <tma/device/ptx_cluster.hpp>
#  include <tma/device/ptx_modes.hpp>
#  include <tma/device/ptx_prefetch.hpp>
#  include <tma/device/ptx_reduce.hpp>
#endif

#include "copies.hpp"
#include "differential_device.hpp"

namespace copies {

namespace ptx = tma::ptx;
using ptx::CopyExtra;
using ptx::CopyForm;

// What a kernel has to know of a case.
struct Order {
  Kind        kind;
  Reduction   operation;
  ElementType type;
  int         rank, policy;
  bool        prefetch;
  Style       style;
  u32         place, bytes;
  u64         pattern;
  void*       global;
  int         at[5];      // fastest first
  u16         offset[3];  // fastest first
  u32         issuer, target, mask;
};

template <int N> struct Number {
  static constexpr int value = N;
};
template <bool B> struct Flag {
  static constexpr bool value = B;
};

template <int Least, class Body> TMA_DEVICE void by_rank(int rank, Body body) {
  if constexpr (Least <= 1)
    if (rank == 1) body(Number<1>());
  if constexpr (Least <= 2)
    if (rank == 2) body(Number<2>());
  if (rank == 3) body(Number<3>());
  if (rank == 4) body(Number<4>());
  if (rank == 5) body(Number<5>());
}

template <class Body> TMA_DEVICE void by_hint(int policy, Body body) {
  if (policy == 0) body(Flag<false>());
  else body(Flag<true>());
}

template <int Op = 0, class Body> TMA_DEVICE void by_operation(Reduction op, Body body) {
  if (int(op) == Op) body(Number<Op>());
  if constexpr (Op < 7) by_operation<Op + 1>(op, body);
}

template <int Type = 0, class Body> TMA_DEVICE void by_type(ElementType type, Body body) {
  if (int(type) == Type) body(Number<Type>());
  if constexpr (Type < 12) by_type<Type + 1>(type, body);
}

TMA_DEVICE u64 policy_of(int number) {
  using enum tma::CachePriority;
  switch (number) {
    case 1: return ptx::create_policy<evict_first, evict_unchanged>(1.0f);
    case 2: return ptx::create_policy<evict_last, evict_first>(0.5f);
    case 3: return ptx::create_policy<evict_normal, evict_unchanged>(1.0f);
    default: return ptx::create_policy<evict_unchanged, evict_unchanged>(1.0f);
  }
}

template <int Rank> TMA_DEVICE ptx::Coordinates<Rank> coordinates(const Order& o) {
  ptx::Coordinates<Rank> c;
  for (int d = 0; d < Rank; ++d) c.at[d] = o.at[d];
  return c;
}

TMA_DEVICE void fill(u64* words, const Order& o, u32 block) {
  for (u32 i = ptx::thread_rank(); i < differential::region_words; i += differential::threads)
    words[i] = styled_word(o.style, o.pattern + block, i);
}

TMA_DEVICE bool is_im2col(Kind kind) { return kind == Kind::im2col_load || kind == Kind::interleaved_im2col; }

// Fetches what the copy will read.
TMA_DEVICE void prefetch(const Order& o, const void* map) {
  by_hint(o.policy, [&](auto hint) {
    constexpr CopyForm form{.hint = decltype(hint)::value};
    const CopyExtra    extra{.policy = policy_of(o.policy)};
    if (is_bulk(o.kind)) {
      ptx::bulk_prefetch<form>(o.global, o.bytes, extra);
    } else if (is_im2col(o.kind)) {
      by_rank<3>(o.rank, [&](auto rank) {
        constexpr int R = decltype(rank)::value;
        u16           offsets[R - 2];
        for (int i = 0; i < R - 2; ++i) offsets[i] = o.offset[i];
        ptx::im2col_prefetch<Traversal::im2col, R, form>(map, coordinates<R>(o), offsets, extra);
      });
    } else if (o.kind != Kind::gather) {
      by_rank<1>(o.rank, [&](auto rank) {
        constexpr int R = decltype(rank)::value;
        ptx::tensor_prefetch<R, form>(map, coordinates<R>(o), extra);
      });
    }
  });
}

template <bool Multicast> TMA_DEVICE void issue_load(const Order& o, const void* map, u32 tile, u32 barrier) {
  by_hint(o.policy, [&](auto hint) {
    constexpr CopyForm form{.cluster = Multicast, .multicast = Multicast, .hint = decltype(hint)::value};
    const CopyExtra    extra{.policy = policy_of(o.policy), .mask = u16(o.mask)};
    if (is_bulk(o.kind)) {
      ptx::bulk_load<form>(tile, o.global, o.bytes, barrier, extra);
    } else if (!Multicast && is_im2col(o.kind)) {
      by_rank<3>(o.rank, [&](auto rank) {
        constexpr int R = decltype(rank)::value;
        u16           offsets[R - 2];
        for (int i = 0; i < R - 2; ++i) offsets[i] = o.offset[i];
        ptx::im2col_load<Traversal::im2col, R, form>(tile, map, coordinates<R>(o), offsets, barrier, extra);
      });
    } else if (!Multicast && o.kind == Kind::gather) {
      if constexpr (TMA_DETAIL_HAS(gather4, decltype(hint)))
        ptx::gather4_load<form>(tile, map, coordinates<5>(o), barrier, extra);
    } else {
      by_rank<1>(o.rank, [&](auto rank) {
        constexpr int R = decltype(rank)::value;
        ptx::tensor_load<R, form>(tile, map, coordinates<R>(o), barrier, extra);
      });
    }
  });
}

// The second phase is armed with nothing: bytes beyond those of the first keep it from completing. They may come late, so the
// region is read out in between.
__global__ void load(const __grid_constant__ tma::detail::TensorMap map, Order o, u64* out, u32* flags) {
  u64* const words   = differential::region();
  const u32  rank    = ptx::thread_rank();
  const u32  tile    = ptx::shared_address(words) + o.place;
  const u32  barrier = ptx::shared_address(&ptx::static_shared<differential::Barrier>());
  fill(words, o, 0);
  if (rank == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (rank == 0) {
    if (o.prefetch) prefetch(o, &map);
    ptx::mbarrier_arrive_expect_tx(barrier, o.bytes);
    issue_load<false>(o, &map, tile, barrier);
  }
  u32 found = differential::completes(barrier, 0) ? differential::phase_done : 0;
  for (u32 i = rank; i < differential::region_words; i += differential::threads) out[i] = words[i];
  ptx::sync_block();
  if (rank == 0 && found) ptx::mbarrier_arrive_expect_tx(barrier, 0);
  if (found && differential::completes(barrier, 1)) found |= differential::surplus_free;
  flags[rank] = found;
}

TMA_DEVICE void issue_store(const Order& o, const void* map, u32 tile) {
  const bool pixels = o.kind == Kind::im2col_store || o.kind == Kind::im2col_reduce;
  by_hint(o.policy, [&](auto hint) {
    constexpr CopyForm form{.hint = decltype(hint)::value};
    const CopyExtra    extra{.policy = policy_of(o.policy)};
    if (o.kind == Kind::bulk_store) {
      ptx::bulk_store<form>(o.global, tile, o.bytes, extra);
    } else if (o.kind == Kind::bulk_reduce) {
      by_operation(o.operation, [&](auto op) {
        by_type(o.type, [&](auto type) {
          constexpr auto Op   = Reduction(decltype(op)::value);
          constexpr auto Type = ElementType(decltype(type)::value);
          if constexpr (draws::takes(Kind::bulk_reduce, Op, Type))
            ptx::bulk_reduce<Op, Type, form>(o.global, tile, o.bytes, extra);
        });
      });
    } else if (o.kind == Kind::scatter) {
      if constexpr (TMA_DETAIL_HAS(scatter4, decltype(hint))) ptx::scatter4_store<form>(map, coordinates<5>(o), tile, extra);
    } else if (is_reduction(o.kind)) {
      by_operation(o.operation, [&](auto op) {
        constexpr auto Op = Reduction(decltype(op)::value);
        if (pixels)
          by_rank<3>(o.rank, [&](auto rank) {
            constexpr int R = decltype(rank)::value;
            ptx::tensor_reduce<Op, Traversal::im2col, R, form>(map, coordinates<R>(o), tile, extra);
          });
        else
          by_rank<1>(o.rank, [&](auto rank) {
            constexpr int R = decltype(rank)::value;
            ptx::tensor_reduce<Op, Traversal::tiled, R, form>(map, coordinates<R>(o), tile, extra);
          });
      });
    } else if (pixels) {
      by_rank<3>(o.rank, [&](auto rank) {
        constexpr int R = decltype(rank)::value;
        ptx::im2col_store<R, form>(map, coordinates<R>(o), tile, extra);
      });
    } else {
      by_rank<1>(o.rank, [&](auto rank) {
        constexpr int R = decltype(rank)::value;
        ptx::tensor_store<R, form>(map, coordinates<R>(o), tile, extra);
      });
    }
  });
}

__global__ void store(const __grid_constant__ tma::detail::TensorMap map, Order o, u64* out, u32* flags) {
  u64* const words = differential::region();
  const u32  rank  = ptx::thread_rank();
  fill(words, o, 0);
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (rank == 0) {
    issue_store(o, &map, ptx::shared_address(words) + o.place);
    ptx::bulk_commit_group();
    ptx::bulk_wait_group<0>();
  }
  for (u32 i = rank; i < differential::region_words; i += differential::threads) out[i] = words[i];
  flags[rank] = differential::phase_done | differential::surplus_free;
}

// Every block of the cluster that gets something arms its own barrier for it.
__global__ void cluster(const __grid_constant__ tma::detail::TensorMap map, Order o, u64* out, u32* flags) {
  u64* const words = differential::region();
  const u32  rank = ptx::thread_rank(), block = ptx::cluster_rank();
  const u32  tile    = ptx::shared_address(words) + o.place;
  const u32  barrier = ptx::shared_address(&ptx::static_shared<differential::Barrier>());
  const bool to_peer = o.kind == Kind::peer_copy || o.kind == Kind::peer_reduce;
  const bool gets    = to_peer ? block == o.target : (o.mask >> block & 1) != 0;
  fill(words, o, block);
  if (rank == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::fence_proxy_async_shared();
  ptx::cluster_arrive<tma::Order::ordered>();
  ptx::cluster_wait();
  if (rank == 0 && gets) ptx::mbarrier_arrive_expect_tx(barrier, o.bytes);
  if (rank == 0 && block == o.issuer) {
    if (o.prefetch && !to_peer) prefetch(o, &map);
    const u32 peer_tile = ptx::map_shared(tile, o.target), peer_barrier = ptx::map_shared(barrier, o.target);
    if (o.kind == Kind::peer_copy) ptx::bulk_send(peer_tile, tile, o.bytes, peer_barrier);
    else if (o.kind == Kind::peer_reduce)
      by_operation(o.operation, [&](auto op) {
        by_type(o.type, [&](auto type) {
          constexpr auto Op   = Reduction(decltype(op)::value);
          constexpr auto Type = ElementType(decltype(type)::value);
          if constexpr (draws::takes(Kind::peer_reduce, Op, Type))
            ptx::bulk_reduce_peer<Op, Type>(peer_tile, tile, o.bytes, peer_barrier);
        });
      });
    else issue_load<true>(o, &map, tile, barrier);
  }
  u32 found = !gets || differential::completes(barrier, 0) ? differential::phase_done : 0;
  for (u32 i = rank; i < differential::region_words; i += differential::threads)
    out[block * differential::region_words + i] = words[i];
  ptx::sync_block();
  if (rank == 0 && gets && found) ptx::mbarrier_arrive_expect_tx(barrier, 0);
  if (found && (!gets || differential::completes(barrier, 1))) found |= differential::surplus_free;
  flags[block * differential::threads + rank] = found;
  ptx::cluster_arrive<tma::Order::ordered>();
  ptx::cluster_wait();
}

using Kernel = void (*)(tma::detail::TensorMap, Order, u64*, u32*);

inline Kernel kernel_of(Kind kind) { return is_cluster(kind) ? cluster : is_load(kind) ? load : store; }

}  // namespace copies

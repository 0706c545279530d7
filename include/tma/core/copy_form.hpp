#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

// What a copy says beside its operands. Part of an instruction's name, so an argument of its template.
struct CopyForm {
  bool cluster   = false;  // shared memory is addressed in the cluster's window
  bool multicast = false;  // into all blocks of a mask, at the same place in each
  bool hint      = false;  // with a cache policy
  bool byte_mask = false;  // which bytes of every 16 a one-dimensional store writes
  int  cta_group = 0;      // 1 or 2, where it is said
};

// Its operands, where the form has them.
struct CopyExtra {
  u64 policy = 0;
  u16 mask   = 0;  // of blocks: bit i is the block of rank i in the cluster
  u16 bytes  = 0;  // of bytes: bit i is byte i of every 16
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"

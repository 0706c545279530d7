// Which instructions a target of the compiler has, and the target this file is compiled for.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// Instructions, and forms of them, that not every target assembles. What is not listed is on all from sm_90 on.
enum class Feature : int {
  thread_loads,              ///< cp.async, and barriers without bytes: what loads by threads need
  copies,                    ///< the copy engine at all
  byte_mask,                 ///< cp.async.bulk shared -> global with .cp_mask
  gather4,                   ///< loads of four rows, .tile::gather4, into the block's own shared memory
  gather4_cluster,           ///< the same with multicast, into the cluster, or as a prefetch
  scatter4,                  ///< stores of four rows, .tile::scatter4
  im2col_w,                  ///< loads by .im2col::w into the block's own shared memory
  im2col_w_cluster,          ///< the same with multicast, into the cluster, or as a prefetch
  im2col_w_128,              ///< loads by .im2col::w::128
  cta_group,                 ///< .cta_group::1 and ::2
  descriptor_edit,           ///< tensormap.replace
  descriptor_edit_packed,    ///< tensormap.replace of the packed types and of the swizzle's atom
  swizzle_96,                ///< the 96-byte swizzle
  register_budget,           ///< setmaxnreg
  launch_control,            ///< clusterlaunchcontrol.try_cancel
  launch_control_multicast,  ///< the same with .multicast::cluster::all
  bulk_zero,                 ///< st.bulk
  release_store,             ///< st.async.release.global
  wgmma,                     ///< wgmma.*
};

/// What `-gencode=...,code=sm_100a` names: 100 and 'a'. Kind ' ' is the plain target, 'f' a family's, 'a' one chip's own.
/// Number 0 is the host's pass, which refuses nothing; kind 'm' the CPU machine, which has what it models.
struct Target {
  int  number;
  char kind;
};

/// Whether the assembler takes the feature for the target (ptxas of CUDA 13.0, every target tried).
TMA_HOST_DEVICE constexpr bool has(Feature feature, Target t) {
  if (t.number == 0) return true;
  // Of the data centre's Blackwell and its successors, by name or by family; of the others as well.
  const bool own = t.kind != ' ', large = own && t.number >= 100 && t.number < 120, blackwell = own && t.number >= 100;
  switch (feature) {
    case Feature::thread_loads: return t.number >= 80;
    case Feature::copies: return t.number >= 90;
    case Feature::byte_mask:
    case Feature::gather4:
    case Feature::im2col_w:
    case Feature::launch_control:
    case Feature::bulk_zero:
    case Feature::release_store: return t.number >= 100;
    case Feature::gather4_cluster:
    case Feature::im2col_w_cluster:
    case Feature::scatter4:
    case Feature::im2col_w_128:
    case Feature::cta_group: return large;
    case Feature::descriptor_edit_packed:
    case Feature::launch_control_multicast: return blackwell;
    case Feature::descriptor_edit:
    case Feature::register_budget: return blackwell || (t.number == 90 && own);
    case Feature::swizzle_96: return t.number == 103 && t.kind == 'a';
    case Feature::wgmma: return t.number == 90 && own;
  }
  return false;
}

namespace detail {

#if defined(TMA_MACHINE)
inline constexpr Target target = {0, 'm'};
#elif !defined(__CUDA_ARCH__)
inline constexpr Target target = {0, ' '};
#elif defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
inline constexpr Target target = {__CUDA_ARCH__ / 10, 'a'};
#  define TMA_DETAIL_TARGET_KIND "a"
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
inline constexpr Target target = {__CUDA_ARCH__ / 10, 'f'};
#  define TMA_DETAIL_TARGET_KIND "f"
#else
inline constexpr Target target = {__CUDA_ARCH__ / 10, ' '};
#  define TMA_DETAIL_TARGET_KIND ""
#endif

// The target in words, for the texts of refusals: a static_assert takes a literal.
#if !defined(__CUDA_ARCH__)
#  define TMA_DETAIL_TARGET "the host"
#elif __CUDA_ARCH__ == 800
#  define TMA_DETAIL_TARGET "sm_80"
#elif __CUDA_ARCH__ == 860
#  define TMA_DETAIL_TARGET "sm_86"
#elif __CUDA_ARCH__ == 870
#  define TMA_DETAIL_TARGET "sm_87"
#elif __CUDA_ARCH__ == 890
#  define TMA_DETAIL_TARGET "sm_89"
#elif __CUDA_ARCH__ == 900
#  define TMA_DETAIL_TARGET "sm_90" TMA_DETAIL_TARGET_KIND
#elif __CUDA_ARCH__ == 1000
#  define TMA_DETAIL_TARGET "sm_100" TMA_DETAIL_TARGET_KIND
#elif __CUDA_ARCH__ == 1010
#  define TMA_DETAIL_TARGET "sm_101" TMA_DETAIL_TARGET_KIND
#elif __CUDA_ARCH__ == 1030
#  define TMA_DETAIL_TARGET "sm_103" TMA_DETAIL_TARGET_KIND
#elif __CUDA_ARCH__ == 1100
#  define TMA_DETAIL_TARGET "sm_110" TMA_DETAIL_TARGET_KIND
#elif __CUDA_ARCH__ == 1200
#  define TMA_DETAIL_TARGET "sm_120" TMA_DETAIL_TARGET_KIND
#elif __CUDA_ARCH__ == 1210
#  define TMA_DETAIL_TARGET "sm_121" TMA_DETAIL_TARGET_KIND
#else
#  define TMA_DETAIL_TARGET "another target"
#endif

// Asked by a template of one of its own arguments, so that the answer waits until somebody uses it. Before sm_90 all is
// compiled: what is not there, into a trap.
template <class...> TMA_HOST_DEVICE constexpr bool target_has(Feature feature) {
  return target.number < 90 || has(feature, target);
}

// static_assert(TMA_DETAIL_HAS(scatter4, T), "tma: scatter4 needs sm_100a, ..." TMA_DETAIL_COMPILING);
#define TMA_DETAIL_HAS(feature, ...) ::tma::detail::target_has<__VA_ARGS__>(::tma::Feature::feature)
#define TMA_DETAIL_COMPILING         "; this compiles for " TMA_DETAIL_TARGET

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"

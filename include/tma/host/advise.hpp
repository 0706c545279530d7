#pragma once

#include "../core/prologue.hpp"

#include "error.hpp"
#include "stream_device.hpp"
#include "stream_kernel.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// How a kernel may stream.
enum class TMA_PUBLIC StreamShape : unsigned char {
  /// Plain loads and stores of 16 bytes by each thread, no tiles: a barrier's set-up and the way through shared memory cost 0.2 us,
  /// which a short kernel has nothing to hide behind.
  threads,
  /// A block a tile: it loads, works, stores and ends, and many of them on each multiprocessor overlap.
  one_shot,
  /// Blocks that stay, with a ring of stages: `tma::Pipeline`, or `tma::InPlacePipeline`.
  persistent
};

/// What `advise` says.
struct TMA_PUBLIC StreamAdvice {
  StreamShape shape      = StreamShape::one_shot;
  int         tile_bytes = 0;  ///< of one input
  int         stages     = 1;  ///< of the ring; 1 where a block loads once
  /// The grid of blocks that stay; of the others, how many fit.
  int blocks_per_multiprocessor = 0;
  /// `tma::evict_last()` on the loads: where as much is written as read, memory then loses less time between the two.
  bool   evict_last = false;
  double gb_per_s   = 0;  ///< that the model expects, loaded and stored, of the whole device

  /// Bytes asked for and not arrived, at most, on each multiprocessor.
  int bytes_in_flight(const StreamKernel& kernel) const {
    return tile_bytes * kernel.inputs * stages * blocks_per_multiprocessor;
  }
};

namespace detail {

// A rate is bounded by memory, by the blocks' own time, by the bytes in flight and by the threads' instructions; near a meeting
// of two bounds it is below both. Times in nanoseconds, of an H200, fitted to a search like that of
// docs/results/h200/overlap.csv. The rates it expects there are off by up to a sixth, its choices within 2 % of the best
// (docs/results/h200/advise.csv).
struct StreamModel {
  static constexpr double memory_share   = 0.982;  // of the memory's rate, that reading alone comes near to
  static constexpr double turnaround     = 0.59;   // lost to reads and writes in turns, at a share of writes squared
  static constexpr double ring_of_writes = 0.934;  // blocks that stay drift apart, and so do the pages they have open
  static constexpr double load_latency = 387, store_latency = 539;
  static constexpr double step = 134, block = 254;            // of a block: a step's hand-off; start and end
  static constexpr double step_issue = 33, block_issue = 66;  // of the multiprocessor, which no other block can use
  static constexpr double moving_per_byte = 3.0;              // instructions: load, store, address
  static constexpr double clock_share = 0.96, lanes = 128;    // that instructions find
  static constexpr double sharpness = 3.8;
  // With more in flight than this a kernel that reads and writes loses a little at each doubling.
  static constexpr double enough_in_flight = 48 * 1024, crowding = 0.012;
  // Less traffic than this is over before the engine has paid for its set-up: both are equal at 8 MiB from memory, and at none
  // from the cache (docs/results/h200/stream.csv).
  static constexpr double short_traffic = 16e6;
};

// x^y for positive x, without <cmath>.
inline double power(double x, double y) { return __builtin_pow(x, y); }

// Blocks that fit on a multiprocessor.
inline int stream_blocks(const StreamKernel& k, const StreamDevice& d, int tile, int stages) {
  const i64  tiles   = i64(k.inputs) + (k.stored_from_loaded ? 0 : k.outputs);
  const i64  shared  = k.shared_bytes + tile * tiles * stages + 1024 + 256;  // the system's own, and barriers and alignment
  int        blocks  = d.blocks;
  const auto at_most = [&](i64 n) { blocks = n < blocks ? int(n) : blocks; };
  at_most(d.shared_bytes / shared);
  at_most(d.threads / k.threads);
  at_most(d.registers / ((k.registers + 7) / 8 * 8 * k.threads));
  return blocks;
}

// Bytes loaded and stored in a nanosecond on a multiprocessor.
inline double stream_rate(const StreamKernel& k, const StreamDevice& d, StreamShape shape, int tile, int stages,
                          int blocks) {
  using M           = StreamModel;
  const bool   ring = shape == StreamShape::persistent, writes = k.outputs > 0;
  const double streams = double(k.inputs) + k.outputs, moved = tile * streams, share = k.outputs / streams;
  const double memory  = d.gb_per_s / d.multiprocessors * M::memory_share / (1 + M::turnaround * share * share) *
                         (ring && writes ? M::ring_of_writes : 1);
  const double work    = tile * (k.instructions_per_byte + M::moving_per_byte) / M::lanes / (d.clock_ghz * M::clock_share);
  const double latency = M::load_latency + (writes ? M::store_latency : 0);
  const double own     = (ring ? M::step : M::block + latency) + work;
  const int    ahead   = writes && stages > 1 ? stages - 1 : stages;  // a stage that is stored is loaded again a step later

  const double in_flight = double(tile) * k.inputs * stages * blocks;
  const double crowded =
      writes && in_flight > M::enough_in_flight ? 1 + M::crowding * (__builtin_log2(in_flight / M::enough_in_flight)) : 1;

  double sum = power(memory / crowded, -M::sharpness) + power(blocks * moved / own, -M::sharpness) +
               power(moved / (work + (ring ? M::step_issue : M::block_issue)), -M::sharpness);
  if (ring) sum += power(blocks * ahead * moved / (latency + own), -M::sharpness);
  return power(sum, -1 / M::sharpness);
}

}  // namespace detail

/// Shape, tile, depth and blocks for a kernel that streams from and to device memory: those by which a model of the device
/// expects the most, and among equals (half a percent) a block a tile and fewer bytes. Plain loads, where the traffic is too short
/// for the engine, or from the cache. Tiles are powers of two times `least_tile`, rings have 2, 4 or 8 stages. Called on the host,
/// by any thread; it asks the driver nothing, and writes `advice` only where it succeeds.
///
///     tma::StreamDevice device;
///     if (const tma::Error error = tma::stream_device(device)) throw error;
///     tma::StreamAdvice advice;
///     if (const tma::Error error = tma::try_advise({.inputs = 2, .outputs = 1}, device, advice)) throw error;
///
/// It measures nothing: `./dev sweep` does, and has the last word. It knows nothing of tiles that several blocks share, nor of rows
/// shorter than 128 bytes. The error where no tile fits, or a value is not possible.
inline Error try_advise(const StreamKernel& kernel, const StreamDevice& device, StreamAdvice& advice) {
  const auto refuse = [](const char* field, double value, const char* rule, const char* fix) {
    return Error(ErrorKind::rule_broken, "tma::advise: %s = %g: %s. Fix: %s\n", field, value, rule, fix);
  };
  if (kernel.inputs < 1) return refuse("inputs", kernel.inputs, "a kernel that streams loads something", "at least 1");
  if (kernel.outputs < 0) return refuse("outputs", kernel.outputs, "a number of tensors", "0 or more");
  if (!(kernel.instructions_per_byte >= 0))
    return refuse("instructions_per_byte", kernel.instructions_per_byte, "a number of instructions", "0 or more");
  if (kernel.threads < 1 || kernel.threads > 1024)
    return refuse("threads", kernel.threads, "a block has 1 to 1024 threads", "the block's size");
  if (kernel.registers < 1 || kernel.registers > 255)
    return refuse("registers", kernel.registers, "a thread has 1 to 255 registers", "what -Xptxas -v says");
  if (kernel.shared_bytes < 0) return refuse("shared_bytes", kernel.shared_bytes, "a number of bytes", "0 or more");
  if (kernel.least_tile < 16 || kernel.least_tile % 16 != 0)
    return refuse("least_tile", kernel.least_tile, "the engine copies multiples of 16 bytes", "a multiple of 16");
  if (kernel.input_bytes < 0) return refuse("input_bytes", double(kernel.input_bytes), "a number of bytes", "0 or more");
  if (kernel.most_tile < kernel.least_tile)
    return refuse("most_tile", kernel.most_tile, "it is smaller than least_tile", "at least least_tile");
  const char *undescribed = "the device is not described", *describe = "tma::stream_device(device), or the data sheet";
  if (device.multiprocessors < 1) return refuse("device.multiprocessors", device.multiprocessors, undescribed, describe);
  if (!(device.clock_ghz > 0)) return refuse("device.clock_ghz", device.clock_ghz, undescribed, describe);
  if (!(device.gb_per_s > 0)) return refuse("device.gb_per_s", device.gb_per_s, undescribed, describe);

  const double traffic = double(kernel.input_bytes) * (double(kernel.inputs) + kernel.outputs);
  if (!kernel.needs_tiles && kernel.may_end &&
      (kernel.in_l2 || (kernel.input_bytes > 0 && traffic < detail::StreamModel::short_traffic))) {
    StreamKernel tileless = kernel;
    tileless.shared_bytes = 0;
    advice = StreamAdvice{StreamShape::threads, 0, 0, detail::stream_blocks(tileless, device, 0, 0), false, 0};
    return {};
  }

  struct Best {
    StreamAdvice advice;
    double       rate = 0;
  } best;
  const auto bytes = [&](const StreamAdvice& a) { return a.bytes_in_flight(kernel); };
  const auto visit = [&](auto&& with) {
    for (detail::i64 tile = kernel.least_tile; tile <= kernel.most_tile; tile *= 2) {
      for (int stages = kernel.may_end ? 1 : 2; stages <= 8; stages *= 2) {
        const StreamShape shape = stages == 1 ? StreamShape::one_shot : StreamShape::persistent;
        if (tile * kernel.inputs * stages > device.shared_bytes) continue;
        const int fit = detail::stream_blocks(kernel, device, int(tile), stages);
        // Blocks that do not stay are as many as fit; of those that stay, how many is a choice.
        for (int blocks = shape == StreamShape::one_shot ? fit : 1; blocks >= 1 && blocks <= fit; blocks *= 2)
          with(StreamAdvice{shape, int(tile), stages, blocks, kernel.outputs > 0,
                            detail::stream_rate(kernel, device, shape, int(tile), stages, blocks)});
      }
    }
  };
  visit([&](const StreamAdvice& a) {
    if (a.gb_per_s > best.rate) best.rate = a.gb_per_s;
  });
  if (best.rate == 0)
    return refuse("least_tile", kernel.least_tile, "no block with a tile of each input and output fits on a multiprocessor",
                  "smaller tiles, fewer registers, or less shared memory beside them");
  bool found = false;
  visit([&](const StreamAdvice& a) {
    if (a.gb_per_s < 0.995 * best.rate) return;
    const bool better =
        !found || a.shape < best.advice.shape || (a.shape == best.advice.shape && bytes(a) < bytes(best.advice));
    if (better) best.advice = a;
    found = true;
  });
  advice = best.advice;
  advice.gb_per_s *= device.multiprocessors;
  return {};
}

/// The same, throwing `tma::Error`, for the current device, which is asked each time:
///
///     const tma::StreamAdvice advice = tma::advise({.inputs = 2, .outputs = 1, .instructions_per_byte = 0.5});
inline StreamAdvice advise(const StreamKernel& kernel) {
  StreamDevice device;
  StreamAdvice advice;
  Error        error = stream_device(device);
  if (!error) error = try_advise(kernel, device, advice);
  if (error) detail::raise(error);
  return advice;
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"

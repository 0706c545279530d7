// The decision table, applied to what was measured.
#pragma once

#include <algorithm>
#include <cstdarg>

#include "results.hpp"

namespace sweep {

// What counts as a gain: more than the spread of repeated runs.
inline constexpr double gain = 1.05;

namespace detail {

inline std::string say(const char* format, ...) {
  char    text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

// The best of the modes that prefetch by the engine.
inline double best_pipe(const Row& r) {
  double best = 0;
  for (const char* mode : {"pipe2", "pipe4", "pipe8", "pipe16", "tensor_pipe4", "warp_specialized"})
    best = std::max(best, r.speedup(mode));
  return best;
}

}  // namespace detail

// The advice, a line a signal. Low intensity is the first row, high the last.
inline std::vector<std::string> verdict(const Results& results) {
  using detail::best_pipe;
  using detail::say;
  std::vector<std::string> lines;
  if (results.rows.empty()) return lines;
  const Row& low  = results.rows.front();
  const Row& high = results.rows.back();

  const double immediate     = std::max(low.speedup("bulk1d"), low.speedup("tensor2d"));
  const double deepest       = best_pipe(low);
  const bool   prefetch_pays = deepest >= gain, immediate_pays = immediate >= gain;

  // D2: is it the prefetch, or the engine by itself?
  if (prefetch_pays)
    lines.push_back(say("D2 pipe2 %.2fx, best pipeline %.2fx at low intensity (fma %d): keep the prefetch",
                        low.speedup("pipe2"), deepest, low.fma));
  else
    lines.push_back(
        say("D2 best pipeline %.2fx at low intensity (fma %d): the copy engine buys nothing here", deepest, low.fma));
  lines.push_back(
      say("D2 immediate wait %.2fx: %s", immediate,
          immediate_pays ? "the engine alone helps as well" : "alone it buys nothing; do not just swap the API"));

  // D3: from where on is it compute bound?
  int stop = -1;
  for (std::size_t i = results.rows.size(); i-- > 0 && best_pipe(results.rows[i]) < gain;) stop = results.rows[i].fma;
  if (stop == low.fma && !prefetch_pays) lines.push_back("D3 no intensity gains: stop; the protocol is pure overhead");
  else if (stop >= 0)
    lines.push_back(say("D3 from fma %d on: stop; the kernel is compute bound and the protocol is overhead", stop));
  else lines.push_back(say("D3 still %.2fx at fma %d: not yet compute bound there", best_pipe(high), high.fma));

  // D4: would cp.async do?
  const double threads = low.speedup("cp_async"), engine = low.speedup("pipe4");
  const bool   threads_do = threads >= deepest / 1.03;
  if (threads_do)
    lines.push_back(
        say("D4 cp.async with 4 stages %.2fx, as good as the best of the engine's %.2fx: stay with cp.async unless tiles "
            "are multi-dimensional or copy instructions weigh",
            threads, deepest));
  else
    lines.push_back(
        say("D4 cp.async with 4 stages %.2fx, the engine with 4 stages %.2fx, at its best %.2fx: the engine is ahead",
            threads, engine, deepest));

  // D1: what do boxes cost against plain rows?
  const double box = low.speedup("tensor_pipe4");
  lines.push_back(say("D1 boxes of a matrix %.2fx, rows of bytes %.2fx with 4 stages: %s", box, engine,
                      box >= engine / 1.03 ? "tensor maps cost nothing; use them for tiles of two dimensions and more"
                                           : "use one-dimensional copies where the tile is contiguous"));

  // D7: do roles add to the ring? Both have eight stages.
  const double roles = low.speedup("warp_specialized"), ring = low.speedup("pipe8");
  lines.push_back(say("D7 a producer warp %.2fx, one of the working threads %.2fx with 8 stages: %s", roles, ring,
                      roles >= ring * 1.03 ? "give the copies a warp of their own"
                                           : "roles buy nothing here; they are for kernels that keep matrix units busy"));

  // D5 and D6 are not measured: they are said.
  lines.push_back("D5 measured on aligned data: a base or pitch that is no multiple of 16 bytes cannot use the engine; fall "
                  "back to threads, never force it");
  lines.push_back("D6 no tile is shared here: where the blocks of a cluster read the same tile, multicast it");

  // How deep, and how many bytes: among the rings that differ in nothing else.
  const std::pair<int, double> depths[] = {
      {2, low.speedup("pipe2")}, {4, low.speedup("pipe4")}, {8, low.speedup("pipe8")}, {16, low.speedup("pipe16")}};
  double best_ring = 0;
  for (const auto& depth : depths) best_ring = std::max(best_ring, depth.second);
  for (const auto& [stages, speedup] : depths)
    if (speedup >= best_ring / 1.03) {
      lines.push_back(say("depth: %d stages are within 3 %% of the best: %.0f KiB in flight for each SM", stages,
                          stages * results.tile_bytes * results.blocks_per_sm / 1024));
      break;
    }
  if (!results.reads.empty()) {
    const ReadRow* best = &results.reads.front();
    for (const ReadRow& r : results.reads)
      if (r.gb_per_s > best->gb_per_s) best = &r;
    const ReadRow* least = best;
    for (const ReadRow& r : results.reads)
      if (r.gb_per_s >= 0.95 * best->gb_per_s && r.bytes_in_flight() < least->bytes_in_flight()) least = &r;
    lines.push_back(say("reading only: %.0f GB/s with %d stages of %d KiB, %d blocks an SM; 95 %% of it takes %lld KiB in "
                        "flight for each SM",
                        best->gb_per_s, best->stages, best->tile_bytes / 1024, best->blocks_per_sm,
                        least->bytes_in_flight() / 1024));
  }

  const std::string until = stop > low.fma ? say(", below fma %d", stop) : "";
  if (!prefetch_pays) lines.push_back("VERDICT: do not use TMA for this; it does not pay on this device");
  else if (threads_do)
    lines.push_back("VERDICT: prefetch pays" + until +
                    ", and cp.async does it as well: use TMA for tiles of several dimensions, "
                    "to free issue slots, or not at all");
  else
    lines.push_back("VERDICT: use TMA with a pipeline" + until +
                    (roles >= ring * 1.03 ? ", issued by a warp of its own" : ""));
  return lines;
}

}  // namespace sweep

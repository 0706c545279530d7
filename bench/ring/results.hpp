// What the bench measured, how it is written, and what is said of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../harness/timing.hpp"
#include "ring.hpp"

namespace ring {

struct Row {
  std::string section, implementation, reads;  // reads: of rings
  Config      config{};                        // of zeros: not a ring
  int         arrivals_per_stage = 0;
  double      median = 0, p5 = 0, p95 = 0;
  std::string unit;
  double      ratio_to_ours = 0, aa = 0;  // 0: none
};

// More is better of a rate, less of a latency.
inline bool is_rate(const Row& row) { return row.unit != "cycles"; }

inline void write_csv(std::FILE* to, const std::vector<Row>& rows) {
  std::fprintf(to, "section,implementation,reads,stages,tile_bytes,consumer_warps,arrivals_per_stage,median,p5,p95,unit,"
                   "ratio_to_ours,aa\n");
  const auto ratio = [&](double value) {
    if (value > 0) std::fprintf(to, ",%.4f", value);
    else std::fprintf(to, ",");
  };
  for (const Row& r : rows) {
    std::fprintf(to, "%s,%s,%s", r.section.c_str(), r.implementation.c_str(), r.reads.c_str());
    if (r.config.stages)
      std::fprintf(to, ",%d,%d,%d,%d", r.config.stages, r.config.tile_bytes, r.config.consumer_warps, r.arrivals_per_stage);
    else std::fprintf(to, ",,,,");
    std::fprintf(to, ",%.4g,%.4g,%.4g,%s", r.median, r.p5, r.p95, r.unit.c_str());
    ratio(r.ratio_to_ours);
    ratio(r.aa);
    std::fprintf(to, "\n");
  }
}

// For each section, who reads, and peer: how it stands to ours, whether by more than two measurements of ours differ, and
// where it is furthest ahead.
inline std::vector<std::string> verdict(const std::vector<Row>& rows) {
  struct Peer {
    double                                      logs  = 0;  // of how much better than ours the peer is: above 1
    int                                         worse = 0, count = 0;
    std::vector<std::pair<double, std::string>> ahead;
  };
  const auto                                       is_ring = [](const Row& r) { return r.ratio_to_ours > 0; };
  std::vector<std::pair<std::string, std::string>> groups;
  std::vector<std::string>                         lines;
  for (const Row& r : rows)
    if (is_ring(r) && std::find(groups.begin(), groups.end(), std::pair(r.section, r.reads)) == groups.end())
      groups.emplace_back(r.section, r.reads);
  for (const auto& [section, reads] : groups) {
    const auto       here = [&, s = section, by = reads](const Row& r) { return r.section == s && r.reads == by; };
    harness::Samples noises;
    for (const Row& r : rows)
      if (here(r) && r.implementation == "ours") noises.ms.push_back(std::fabs(r.aa - 1));
    // Of all configurations: a single pair may agree by chance.
    const double                noise = noises.quantile(0.95);
    std::map<std::string, Peer> peers;
    for (const Row& r : rows) {
      if (!here(r) || r.implementation == "ours") continue;
      const double better = is_rate(r) ? r.ratio_to_ours : 1 / r.ratio_to_ours;
      Peer&        peer   = peers[r.implementation];
      peer.logs += std::log(better);
      ++peer.count;
      peer.worse += better < 1 - noise;
      if (better > 1 + noise)
        peer.ahead.emplace_back(better, std::to_string(r.config.stages) + " stages of " +
                                            std::to_string(r.config.tile_bytes) + " bytes and " +
                                            std::to_string(r.config.consumer_warps) + " warps");
    }
    for (auto& [name, peer] : peers) {
      char line[400];
      std::snprintf(line, sizeof line,
                    "%s, %s read: %s is %.3fx of ours (geometric mean of %d; A/A noise %.1f %%): ahead beyond the noise in "
                    "%d, behind in %d",
                    section.c_str(), reads == "matrix" ? "matrix units" : "threads", name.c_str(),
                    std::exp(peer.logs / peer.count), peer.count, noise * 100, int(peer.ahead.size()), peer.worse);
      lines.push_back(line);
      std::sort(peer.ahead.rbegin(), peer.ahead.rend());
      for (std::size_t i = 0; i < peer.ahead.size() && i < 5; ++i) {
        std::snprintf(line, sizeof line, "    ahead %.3fx: %s", peer.ahead[i].first, peer.ahead[i].second.c_str());
        lines.push_back(line);
      }
    }
  }
  return lines;
}

}  // namespace ring

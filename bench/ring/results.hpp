// What the bench measured, how it is written, and what is said of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "../harness/timing.hpp"
#include "ring.hpp"

namespace ring {

struct Row {
  std::string section, implementation;
  Config      config{};  // of zeros: not a ring
  int         arrivals_per_stage = 0;
  double      median = 0, p5 = 0, p95 = 0;
  std::string unit;
  double      ratio_to_ours = 0, aa = 0;  // 0: none
};

// More is better of a rate, less of a latency.
inline bool is_rate(const Row& row) { return row.unit != "cycles"; }

inline void write_csv(std::FILE* to, const std::vector<Row>& rows) {
  std::fprintf(to, "section,implementation,stages,tile_bytes,consumer_warps,arrivals_per_stage,median,p5,p95,unit,"
                   "ratio_to_ours,aa\n");
  const auto ratio = [&](double value) {
    if (value > 0) std::fprintf(to, ",%.4f", value);
    else std::fprintf(to, ",");
  };
  for (const Row& r : rows) {
    std::fprintf(to, "%s,%s", r.section.c_str(), r.implementation.c_str());
    if (r.config.stages)
      std::fprintf(to, ",%d,%d,%d,%d", r.config.stages, r.config.tile_bytes, r.config.consumer_warps, r.arrivals_per_stage);
    else std::fprintf(to, ",,,,");
    std::fprintf(to, ",%.4g,%.4g,%.4g,%s", r.median, r.p5, r.p95, r.unit.c_str());
    ratio(r.ratio_to_ours);
    ratio(r.aa);
    std::fprintf(to, "\n");
  }
}

// A line for each section and peer: how it stands to ours, and whether by more than two measurements of ours differ.
inline std::vector<std::string> verdict(const std::vector<Row>& rows) {
  struct Peer {
    double      logs = 0, worst = 0;  // of how much better than ours the peer is: above 1
    int         better = 0, worse = 0, count = 0;
    std::string where;
  };
  std::vector<std::string> sections, lines;
  for (const Row& r : rows)
    if (r.ratio_to_ours > 0 && std::find(sections.begin(), sections.end(), r.section) == sections.end())
      sections.push_back(r.section);
  for (const std::string& section : sections) {
    harness::Samples noises;
    for (const Row& r : rows)
      if (r.section == section && r.implementation == "ours") noises.ms.push_back(std::fabs(r.aa - 1));
    // Of all configurations: a single pair may agree by chance.
    const double                noise = noises.quantile(0.95);
    std::map<std::string, Peer> peers;
    for (const Row& r : rows) {
      if (r.section != section || r.implementation == "ours" || r.ratio_to_ours <= 0) continue;
      const double better = is_rate(r) ? r.ratio_to_ours : 1 / r.ratio_to_ours;
      Peer&        peer   = peers[r.implementation];
      peer.logs += std::log(better);
      ++peer.count;
      peer.better += better > 1 + noise;
      peer.worse += better < 1 - noise;
      if (better > peer.worst) {
        peer.worst = better;
        peer.where = std::to_string(r.config.stages) + " stages of " + std::to_string(r.config.tile_bytes) + " bytes and " +
                     std::to_string(r.config.consumer_warps) + " warps";
      }
    }
    for (const auto& [name, peer] : peers) {
      char line[400];
      std::snprintf(line, sizeof line,
                    "%s: %s is %.3fx of ours (geometric mean of %d; A/A noise %.1f %%): ahead beyond the noise in %d, "
                    "behind in %d; at its best %.3fx with %s",
                    section.c_str(), name.c_str(), std::exp(peer.logs / peer.count), peer.count, noise * 100, peer.better,
                    peer.worse, peer.worst, peer.where.c_str());
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace ring

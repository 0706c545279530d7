// What a sweep measured, and how it is written.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace sweep {

inline const std::vector<std::string>& mode_names() {
  // The first four and their order are fixed: readers of the CSV rely on the leading columns.
  static const std::vector<std::string> names = {"sync",  "bulk1d", "tensor2d", "pipe2",        "cp_async",
                                                 "pipe4", "pipe8",  "pipe16",   "tensor_pipe4", "warp_specialized"};
  return names;
}

inline int mode_index(const std::string& name) {
  for (std::size_t i = 0; i < mode_names().size(); ++i)
    if (mode_names()[i] == name) return int(i);
  return -1;
}

struct Row {
  int                 fma;
  std::vector<double> ms;  // by mode; the median

  double speedup(int mode) const { return ms[std::size_t(mode)] > 0 ? ms[0] / ms[std::size_t(mode)] : 0; }
  double speedup(const char* mode) const { return speedup(mode_index(mode)); }
};

// One kernel that only reads.
struct ReadRow {
  int       stages, tile_bytes, blocks_per_sm;
  double    ms, gb_per_s;
  long long bytes_in_flight() const { return 1ll * stages * tile_bytes * blocks_per_sm; }
};

struct Results {
  std::vector<Row>     rows;
  std::vector<ReadRow> reads;
  int                  tile_bytes    = 4096;
  double               blocks_per_sm = 1;
};

inline void write_csv(std::FILE* to, const std::vector<Row>& rows) {
  const auto& names = mode_names();
  std::fprintf(to, "fma_iters");
  for (std::size_t m = 0; m < 4; ++m) std::fprintf(to, ",%s_ms", names[m].c_str());
  for (std::size_t m = 1; m < 4; ++m) std::fprintf(to, ",speedup_%s", names[m].c_str());
  for (std::size_t m = 4; m < names.size(); ++m) std::fprintf(to, ",%s_ms", names[m].c_str());
  for (std::size_t m = 4; m < names.size(); ++m) std::fprintf(to, ",speedup_%s", names[m].c_str());
  std::fprintf(to, "\n");
  for (const Row& r : rows) {
    std::fprintf(to, "%d", r.fma);
    for (std::size_t m = 0; m < 4; ++m) std::fprintf(to, ",%.6f", r.ms[m]);
    for (std::size_t m = 1; m < 4; ++m) std::fprintf(to, ",%.4f", r.speedup(int(m)));
    for (std::size_t m = 4; m < names.size(); ++m) std::fprintf(to, ",%.6f", r.ms[m]);
    for (std::size_t m = 4; m < names.size(); ++m) std::fprintf(to, ",%.4f", r.speedup(int(m)));
    std::fprintf(to, "\n");
  }
}

inline void write_reads_csv(std::FILE* to, const std::vector<ReadRow>& reads) {
  std::fprintf(to, "stages,tile_bytes,blocks_per_sm,bytes_in_flight_per_sm,ms,gb_per_s\n");
  for (const ReadRow& r : reads)
    std::fprintf(to, "%d,%d,%d,%lld,%.6f,%.1f\n", r.stages, r.tile_bytes, r.blocks_per_sm, r.bytes_in_flight(), r.ms,
                 r.gb_per_s);
}

inline void write_table(std::FILE* to, const Results& results) {
  const auto& names = mode_names();
  std::fprintf(to, "%9s", "fma");
  for (const auto& n : names) std::fprintf(to, " %*s", int(n.size()) > 13 ? int(n.size()) : 13, n.c_str());
  std::fprintf(to, "\n");
  for (const Row& r : results.rows) {
    std::fprintf(to, "%9d", r.fma);
    for (std::size_t m = 0; m < names.size(); ++m) {
      char cell[32];
      std::snprintf(cell, sizeof cell, "%.4f %.2fx", r.ms[m], r.speedup(int(m)));
      std::fprintf(to, " %*s", int(names[m].size()) > 13 ? int(names[m].size()) : 13, cell);
    }
    std::fprintf(to, "\n");
  }
  std::fprintf(to, "          (milliseconds, and speed-up against sync)\n");
  if (results.reads.empty()) return;
  std::fprintf(to, "\nreading only:\n%9s %10s %14s %16s %10s %8s\n", "stages", "tile KiB", "blocks per SM", "KiB in flight",
               "ms", "GB/s");
  for (const ReadRow& r : results.reads)
    std::fprintf(to, "%9d %10d %14d %16lld %10.4f %8.0f\n", r.stages, r.tile_bytes / 1024, r.blocks_per_sm,
                 r.bytes_in_flight() / 1024, r.ms, r.gb_per_s);
}

inline void write_json(std::FILE* to, const Results& results, const std::vector<std::string>& verdict) {
  const auto& names = mode_names();
  std::fprintf(to, "{\n  \"rows\": [");
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const Row& r = results.rows[i];
    std::fprintf(to, "%s\n    {\"fma_iters\": %d", i ? "," : "", r.fma);
    for (std::size_t m = 0; m < names.size(); ++m)
      std::fprintf(to, ", \"%s_ms\": %.6f, \"speedup_%s\": %.4f", names[m].c_str(), r.ms[m], names[m].c_str(),
                   r.speedup(int(m)));
    std::fprintf(to, "}");
  }
  std::fprintf(to, "\n  ],\n  \"reads\": [");
  for (std::size_t i = 0; i < results.reads.size(); ++i) {
    const ReadRow& r = results.reads[i];
    std::fprintf(to,
                 "%s\n    {\"stages\": %d, \"tile_bytes\": %d, \"blocks_per_sm\": %d, \"bytes_in_flight_per_sm\": %lld, "
                 "\"ms\": %.6f, \"gb_per_s\": %.1f}",
                 i ? "," : "", r.stages, r.tile_bytes, r.blocks_per_sm, r.bytes_in_flight(), r.ms, r.gb_per_s);
  }
  std::fprintf(to, "\n  ],\n  \"verdict\": [");
  for (std::size_t i = 0; i < verdict.size(); ++i) std::fprintf(to, "%s\n    \"%s\"", i ? "," : "", verdict[i].c_str());
  std::fprintf(to, "\n  ]\n}\n");
}

}  // namespace sweep

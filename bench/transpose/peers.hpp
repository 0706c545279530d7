// What peers.py measured, read from the CSV that the environment variable TMA_BENCH_PEERS names.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace transpose {

class Peers {
public:
  struct Row {
    std::string point, variant;
    double      median;  // GB/s
  };

  Peers() {
    const char* name = std::getenv("TMA_BENCH_PEERS");
    if (!name) return;
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) {
      std::istringstream in(line);
      std::string        field[6];  // point, mode, variant, kind, unit, median
      for (std::string& f : field) std::getline(in, f, ',');
      if (line[0] != '#' && field[0] != "point") rows_.push_back({field[0], field[2], std::atof(field[5].c_str())});
    }
  }

  const std::vector<Row>& rows() const { return rows_; }

private:
  std::vector<Row> rows_;
};

}  // namespace transpose

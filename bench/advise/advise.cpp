// advise: judges tma::advise by what bench overlap found: at each of its points, what the advised configuration reached of the
// best of all. Needs no GPU: the search has been measured.
#include <CLI/CLI.hpp>
#include <tma/host/advise.hpp>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../overlap/configuration.hpp"

namespace {

struct Row {
  std::string variant;
  double      gb_per_s;
};

// The search's points, "read fma 16", with what was measured of each configuration; and the file's comment lines.
struct Search {
  std::vector<std::string>                head;
  std::vector<std::string>                order;
  std::map<std::string, std::vector<Row>> points;
};

Search read(const std::string& path) {
  Search        search;
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("advise: " + path + ": it cannot be read. Fix: ./dev bench overlap --csv " + path + "\n");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] == '#') {
      search.head.push_back(line);
      continue;
    }
    std::vector<std::string> fields;
    std::stringstream        text(line);
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    if (fields.size() < 6 || fields[4] != "GB/s") continue;
    if (!search.points.count(fields[0])) search.order.push_back(fields[0]);
    search.points[fields[0]].push_back({fields[2], std::stod(fields[5])});
  }
  return search;
}

// The machine that this is, or the one that the model was fitted on.
tma::StreamDevice device() {
  tma::StreamDevice d;
  if (tma::stream_device(d)) return {132, 228 * 1024, 2048, 65536, 32, 1.98, 4814.3};  // an H200
  return d;
}

// The measured configuration that is nearest to the advice: where the compiler gave the kernel more registers than was said,
// fewer blocks fit.
const Row* measured(const std::string& what, const std::vector<Row>& rows, const tma::StreamAdvice& advice) {
  for (int blocks = advice.blocks_per_multiprocessor; blocks > 0; --blocks) {
    const std::string wanted = overlap::configuration_of(what, advice, blocks).name();
    for (const Row& row : rows)
      if (row.variant == wanted) return &row;
  }
  return nullptr;
}

int judge(const std::string& from, const std::string& csv, const std::string& goals, double least) {
  const Search search = read(from);
  const auto   d      = device();
  std::string  text;
  const Row *  worst = nullptr, *worst_best = nullptr;
  for (const std::string& line : search.head)
    if (line.rfind("# gpu:", 0) == 0 || line.rfind("# driver:", 0) == 0 || line.rfind("# toolkit:", 0) == 0 ||
        line.rfind("# commit:", 0) == 0)
      text += line + "\n";
  text += "# command: advise; the commit is that of the "
          "search\npoint,advised,gb_per_s,model_gb_per_s,best,best_gb_per_s,ratio,searched\n";
  for (const std::string& name : search.order) {
    char kind[16];
    int  fma = 0;
    if (std::sscanf(name.c_str(), "%15s fma %d", kind, &fma) != 2 || !overlap::is_searched(kind)) continue;
    const tma::StreamKernel kernel = overlap::kernel_of(kind, fma);
    tma::StreamAdvice       advice;
    if (const tma::Error error = tma::try_advise(kernel, d, advice)) throw error;
    const std::vector<Row>& rows = search.points.at(name);
    const Row*              mine = measured(kind, rows, advice);
    if (!mine) throw std::runtime_error("advise: " + name + ": what was advised is none of the search\n");
    const Row* best = &rows.front();
    for (const Row& row : rows)
      if (row.gb_per_s > best->gb_per_s) best = &row;
    const double ratio = mine->gb_per_s / best->gb_per_s;
    char         line[256];
    std::snprintf(line, sizeof line, "%s,%s,%.5g,%.5g,%s,%.5g,%.4f,%zu\n", name.c_str(), mine->variant.c_str(),
                  mine->gb_per_s, advice.gb_per_s, best->variant.c_str(), best->gb_per_s, ratio, rows.size());
    text += line;
    if (!worst || ratio < worst->gb_per_s / worst_best->gb_per_s) worst = mine, worst_best = best;
  }
  if (!worst) throw std::runtime_error("advise: " + from + ": it has no points of a search\n");
  const auto write = [](const std::string& path, const std::string& what) {
    std::ofstream file(path);
    if (!(file << what))
      throw std::runtime_error("advise: " + path + ": it cannot be written. Fix: name a folder that exists\n");
  };
  if (csv.empty()) std::fputs(text.c_str(), stdout);
  else write(csv, text);
  char row[160];
  std::snprintf(row, sizeof row, "advise,GB/s,%.5g,%.5g,the best of an exhaustive search,%.4f,0.97\n", worst->gb_per_s,
                worst_best->gb_per_s, worst->gb_per_s / worst_best->gb_per_s);
  if (goals.empty()) std::fputs(row, stderr);
  else write(goals, row);
  return worst->gb_per_s >= least * worst_best->gb_per_s ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string from, csv, goals;
  double      least = 0;
  CLI::App    app{"Judges tma::advise by the search that `bench overlap` has measured."};
  app.name("advise");
  app.add_option("search", from, "the CSV of bench overlap")->required();
  app.add_option("--csv", csv, "write the results to FILE, and not to the output");
  app.add_option("--goals", goals, "write the row of the summary to FILE, and not to the messages");
  app.add_option("--least", least, "exit with 1 where the advice reaches less than this share of the best");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return judge(from, csv, goals, least);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s", e.what());
    return 1;
  }
}

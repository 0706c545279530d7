// The comparison of the encode fuzzer, with drivers that are made up.
#include "../gpu/encode_fuzz.hpp"

#include <set>

#include "../support/catch.hpp"

namespace {

using namespace encode_fuzz;

constexpr u64 cases = 40000;

// The machine stands in for the driver: it refuses what the rules that are the driver's refuse, as on capability 10.
int machine(const Parameters& p, void* map) {
  void* const base = reinterpret_cast<void*>(std::uintptr_t(p.base));
  namespace rt     = tma::machine::rt;
  switch (p.function) {
    case Function::tiled:
      return rt::encode_tiled(map, p.type, p.rank, base, p.extents, p.strides, p.box, p.element_strides, p.interleave,
                              p.swizzle, p.promotion, p.fill);
    case Function::im2col:
      return rt::encode_im2col(map, p.type, p.rank, base, p.extents, p.strides, p.lower, p.upper, p.box[0], p.pixels,
                               p.element_strides, p.interleave, p.swizzle, p.promotion, p.fill);
    default:
      return rt::encode_im2col_wide(map, p.type, p.rank, base, p.extents, p.strides, p.lower[0], p.upper[0], p.box[0],
                                    p.pixels, p.element_strides, p.interleave, p.mode, p.swizzle, p.promotion, p.fill);
  }
}

Tally sum(const Tallies& all) {
  Tally t;
  for (const Tally& part : all) t.add(part);
  return t;
}

}  // namespace

TEST_CASE("a driver that follows the rules leaves nothing unexplained, and both verdicts are drawn often") {
  const Tallies all   = run(1, 0, cases, 100, machine);
  u64           count = 0;
  for (const Tally& t : all) {
    for (const auto& [id, d] : t.disagreements) UNSCOPED_INFO(d.text << ": " << d.example);
    CHECK(t.unexplained() == 0);
    CHECK(t.agree_accept > t.count / 5);
    CHECK(t.agree_refuse > t.count / 5);
    u64 others = 0;
    for (const auto& [id, d] : t.disagreements) others += d.count;
    CHECK(t.count == t.agree_accept + t.agree_refuse + others);
    count += t.count;
  }
  CHECK(count == cases);
  // Documented differences are met as well.
  for (const char* id : {"T1", "T20", "M2", "M6", "M13", "M14", "W4", "I10"}) {
    INFO(id);
    CHECK(sum(all).disagreements.count(id) == 1);
  }
}

TEST_CASE("each rule that is the driver's is broken by itself") {
  const Tallies all = run(2, 0, cases, 100, machine);
  for (const char* id :
       {"T2", "T3", "T4", "T5", "T6", "T7", "T9", "T10", "T11", "T12", "T13", "T14", "T16", "T17", "T18", "T19", "T24"}) {
    INFO(id);
    CHECK(all[0].alone.count(id) == 1);
  }
  for (const char* id : {"T2", "I1", "I2", "I3", "I4", "I5", "T4", "T5", "T6", "T7", "T10", "T11", "T12", "T13", "T14",
                         "T18", "T19", "T24"}) {
    INFO(id);
    CHECK(all[1].alone.count(id) == 1);
  }
  for (const char* id : {"I1", "I2", "I3", "I4", "I5", "W2", "W3", "mode"}) {
    INFO(id);
    CHECK(all[2].alone.count(id) == 1);
  }
}

TEST_CASE("what the driver has beyond or beneath our rules is told, with a plain example") {
  // One rule more: no extent of 257.
  const auto more = [](const Parameters& p, void* map) {
    for (unsigned d = 0; d < p.rank && d < 5; ++d)
      if (p.extents[d] == 257) return 1;
    return machine(p, map);
  };
  const Tally refused = sum(run(3, 0, cases, 100, more));
  u64         plain   = 0;
  for (const auto& [id, d] : refused.disagreements) {
    if (d.explained) continue;
    INFO(id << ": " << d.example);
    CHECK(id.rfind("refuses-1 by", 0) == 0);
    CHECK(d.example.find("257") != std::string::npos);
    if (id == "refuses-1 by extents[0]" || id == "refuses-1 by rank=2 extents[1]" || id == "refuses-1 by extents[1]") {
      plain += d.count;
      CHECK(d.example.find("promotion 0") != std::string::npos);
    }
  }
  CHECK(refused.unexplained() > 50);
  CHECK(plain > refused.unexplained() / 4);  // of these the example is nothing but its cause

  // One rule less: base addresses of 8.
  const auto less = [](const Parameters& p, void* map) {
    Parameters q = p;
    q.base       = p.base / 64 * 64;
    return p.base % 16 == 8 ? machine(q, map) : machine(p, map);
  };
  const Tally accepted = sum(run(3, 0, cases, 100, less));
  REQUIRE(accepted.disagreements.count("accepts-T4 by base") == 1);
  CHECK(!accepted.disagreements.at("accepts-T4 by base").explained);
  CHECK(accepted.disagreements.at("accepts-T4 by base").text.find("breaks T4") != std::string::npos);
}

TEST_CASE("drivers that accept all, or refuse all, are found out") {
  const Tally all = sum(run(4, 0, cases, 100, [](const Parameters&, void*) { return 0; }));
  CHECK(all.unexplained() > cases / 8);
  CHECK(all.agree_refuse == 0);
  const Tally none = sum(run(4, 0, cases, 100, [](const Parameters&, void*) { return 1; }));
  CHECK(none.unexplained() > cases / 4);
  CHECK(none.agree_accept == 0);
}

TEST_CASE("on capability 9 the wide function makes maps of no use, by the corners of im2col") {
  const Tallies all = run(5, 0, cases, 90, [](const Parameters& p, void* map) {
    if (p.swizzle > 3 || p.type > 12) return 1;
    if (p.function != Function::im2col_wide) return machine(p, map);
    if (p.mode != 0 && p.mode != 1) return 1;
    Parameters q = p;
    q.function   = Function::im2col;
    for (int i = 1; i < 4; ++i) q.lower[i] = q.upper[i] = 0;
    const int limit = p.rank <= 3 ? 32768 : p.rank == 4 ? 128 : 16;
    for (int corner : {p.lower[0], p.upper[0]})
      if (corner < -limit || corner >= limit) return 1;
    return machine(q, map);
  });
  for (const Tally& t : all) {
    for (const auto& [id, d] : t.disagreements)
      if (!d.explained) UNSCOPED_INFO(id << ": " << d.text << ": " << d.example);
    CHECK(t.unexplained() == 0);
  }
  CHECK(all[2].agree_accept == 0);
  CHECK(all[2].disagreements.count("W1") == 1);
  CHECK(all[2].disagreements.count("I2-w") == 1);
  CHECK(all[2].disagreements.count("I3-w") == 1);
}

TEST_CASE("what is printed fits a screen, and verbose tells each group") {
  const auto lines = [](const Tallies& all, bool verbose) {
    std::FILE* const file = std::tmpfile();
    REQUIRE(file);
    print(file, all, verbose);
    std::rewind(file);
    int n = 0;
    for (int c; (c = std::fgetc(file)) != EOF;) n += c == '\n';
    std::fclose(file);
    return n;
  };
  const Tallies none = run(4, 0, 4000, 100, [](const Parameters&, void*) { return 1; });
  CHECK(lines(none, false) <= 45);
  CHECK(lines(none, true) > 100);
  const Tallies every = run(4, 0, 4000, 90, [](const Parameters&, void*) { return 0; });
  CHECK(lines(every, false) <= 70);
  CHECK(lines(every, true) > 100);
}

TEST_CASE("a case is the same whoever draws it, and parts add up to the whole") {
  for (u64 i = 0; i < 2000; ++i) REQUIRE(draw(7, i).parameters.text() == draw(7, i).parameters.text());
  std::set<std::string> texts;
  for (u64 i = 0; i < 2000; ++i) texts.insert(draw(7, i).parameters.text());
  CHECK(texts.size() > 1990);

  const Tallies whole = run(7, 0, 6000, 100, machine);
  Tallies       parts;
  for (u64 first = 0; first < 6000; first += 1500) {
    const Tallies part = run(7, first, 1500, 100, machine);
    for (std::size_t f = 0; f < 3; ++f) parts[f].add(part[f]);
  }
  for (std::size_t f = 0; f < 3; ++f) {
    CHECK(whole[f].count == parts[f].count);
    CHECK(whole[f].agree_accept == parts[f].agree_accept);
    CHECK(whole[f].agree_refuse == parts[f].agree_refuse);
    CHECK(whole[f].alone == parts[f].alone);
    for (const auto& [id, d] : whole[f].disagreements) {
      CHECK(parts[f].disagreements[id].count == d.count);
      CHECK(parts[f].disagreements[id].example == d.example);
    }
  }
}

TEST_CASE("maps at any address are left out where the driver cannot bear them") {
  for (u64 i = 0; i < 20000; ++i) REQUIRE(draw(8, i, false).parameters.map_offset % 64 == 0);
}

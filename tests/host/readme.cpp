// What the README quotes is what the library says: the compiler's texts and the report of a tensor that breaks three rules.
// An ellipsis in a quotation stands for anything.
#include <tma/tma.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../support/catch.hpp"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  INFO(path.string());
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t              from = 0;
  for (std::size_t to; (to = text.find(at, from)) != std::string::npos; from = to + at.size())
    parts.push_back(text.substr(from, to - from));
  parts.push_back(text.substr(from));
  return parts;
}

std::string trimmed(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// The texts in a program, one a line; neighbours are one text, as they are for the compiler.
std::string literals(const std::string& code) {
  std::string all;
  bool        joins = false;
  for (std::size_t i = 0; i < code.size();) {
    if (code.compare(i, 2, "//") == 0) {
      i = std::min(code.find('\n', i), code.size());
    } else if (code[i] == '"') {
      if (!joins) all += '\n';
      for (++i; i < code.size() && code[i] != '"'; ++i) all += code[i] == '\\' ? code[++i] : code[i];
      ++i;
      joins = true;
    } else if (code.compare(i, 3, "'\"'") == 0) {
      i += 3;
    } else {
      joins &= std::isspace(static_cast<unsigned char>(code[i])) || code[i] == '\\';
      ++i;
    }
  }
  return all;
}

bool matches(const std::string& text, const std::string& quoted) {
  const std::vector<std::string> parts = split(quoted, "...");
  std::size_t                    at    = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t found = i + 1 == parts.size() && i > 0 ? text.rfind(parts[i]) : text.find(parts[i], at);
    if (found == std::string::npos || found < at || (i == 0 && found != 0)) return false;
    at = found + parts[i].size();
  }
  return at == text.size();
}

}  // namespace

TEST_CASE("texts are read as the compiler reads them") {
  CHECK(literals("f(\"one \"\n  \"text\", \"two\");  // \"none\"\ng('\"', \"a \\\"b\\\"\")") == "\none text\ntwo\na \"b\"");
  CHECK(matches("one two three", "one ... three"));
  CHECK(matches("one two three", "one two ..."));
  CHECK(matches("one two three", "one two three"));
  CHECK(!matches("one two three", "one two"));
  CHECK(!matches("one two three", "two ..."));
  CHECK(!matches("one two three", "three ... one"));
}

TEST_CASE("the compiler's texts stand in the headers") {
  std::string texts, code;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TMA_INCLUDE_DIR))
    if (entry.path().extension() == ".hpp") code += read(entry.path());
  texts = literals(code);

  const std::string readme = read(TMA_README);
  const std::string head   = "| you write | the compiler says |\n| --- | --- |\n";
  const std::size_t table  = readme.find(head);
  REQUIRE(table != std::string::npos);
  int                rows = 0;
  std::istringstream lines(readme.substr(table + head.size()));
  for (std::string line; std::getline(lines, line) && line.rfind("| ", 0) == 0; ++rows) {
    const std::vector<std::string> cells = split(line, " | ");
    INFO(line);
    REQUIRE(cells.size() == 2);
    std::size_t quoted = 0;
    for (std::string part : split(cells[1].substr(0, cells[1].rfind('|')), "...")) {
      part = trimmed(part);
      quoted += part.size();
      INFO(part);
      // What is one word is a name, which the compiler prints of a parameter's type.
      CHECK((part.find(' ') == std::string::npos ? code : texts).find(part) != std::string::npos);
    }
    CHECK(quoted > 20);
  }
  CHECK(rows >= 7);
}

TEST_CASE("the report is the one that such a tensor gets") {
  using Tile = tma::Tile<float, tma::Shape<32, 32>>;
  const tma::Driver     nowhere;  // the rules alone: the address is no memory of this process
  const tma::TensorView view{reinterpret_cast<float*>(std::uintptr_t(0x7f32c8000008)), {1000, 1733}};
  const auto            made = tma::try_make_descriptor<Tile>(view, {}, &nowhere);
  REQUIRE(!made);

  const std::string readme = read(TMA_README);
  const std::string open   = "```\ntma: ";
  const std::size_t from   = readme.find(open);
  REQUIRE(from != std::string::npos);
  const std::string              block  = readme.substr(from + 4, readme.find("```", from + 4) - from - 4);
  const std::vector<std::string> quoted = split(block, "\n"), said = split(made.error().what(), "\n");
  REQUIRE(quoted.size() == said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    INFO("the library says\n" << said[i] << "\nthe README\n" << quoted[i]);
    CHECK(matches(said[i], quoted[i]));
  }
}

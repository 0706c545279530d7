// What the README quotes is what the library says: the compiler's texts, the report of a tensor that breaks three rules, and
// the lines of code, which stand in the files that are linked.
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

// Runs of blanks and line ends are one blank.
std::string on_one_line(const std::string& text) {
  std::string all;
  for (char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c));
    if (!blank || (!all.empty() && all.back() != ' ')) all += blank ? ' ' : c;
  }
  return all;
}

// What stands between pairs of `open` and `close`.
std::vector<std::string> between(const std::string& text, const std::string& open, const std::string& close) {
  std::vector<std::string> found;
  for (std::size_t from = 0; (from = text.find(open, from)) != std::string::npos;) {
    from += open.size();
    const std::size_t to = std::min(text.find(close, from), text.size());
    found.push_back(text.substr(from, to - from));
    from = to + close.size();
  }
  return found;
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

TEST_CASE("each capability has its headers, and its line of code stands in the file that is linked") {
  const std::filesystem::path include = TMA_INCLUDE_DIR, root = std::filesystem::path(TMA_README).parent_path();
  const std::string           readme = read(TMA_README);
  const std::string           head   = "| what | header in `tma/` | a line of it | from |\n| --- | --- | --- | --- |\n";
  const std::size_t           table  = readme.find(head);
  REQUIRE(table != std::string::npos);
  int                rows = 0;
  std::istringstream lines(readme.substr(table + head.size()));
  for (std::string line; std::getline(lines, line) && line.rfind("| ", 0) == 0; ++rows) {
    const std::vector<std::string> cells = split(line, " | ");
    INFO(line);
    REQUIRE(cells.size() == 4);
    const auto headers = between(cells[1], "`", "`"), code = between(cells[2], "`", "`"),
               files = between(cells[3], "](", ")");
    CHECK(!headers.empty());
    REQUIRE(code.size() == 1);
    REQUIRE(files.size() == 1);
    const std::string file = read(root / files[0]);
    CHECK(on_one_line(file).find(code[0]) != std::string::npos);
    for (const std::string& header : headers) {
      INFO(header);
      CHECK(std::filesystem::exists(include / header));
    }
  }
  CHECK(rows >= 19);
}

TEST_CASE("what is linked is there") {
  const std::filesystem::path root = std::filesystem::path(TMA_README).parent_path();
  // Every second piece between backticks is code.
  const std::vector<std::string> pieces = split(read(TMA_README), "`");
  std::string                    prose;
  for (std::size_t i = 0; i < pieces.size(); i += 2) prose += pieces[i];
  const auto links = between(prose, "](", ")");
  CHECK(links.size() >= 20);
  for (const std::string& link : links) {
    INFO(link);
    if (link.rfind("http", 0) != 0) CHECK(std::filesystem::exists(root / link.substr(0, link.find('#'))));
  }
}

TEST_CASE("the report is the one that such a tensor gets") {
  using Tile = tma::Tile<float, tma::Shape<32, 32>>;
  const tma::Driver nowhere;  // the rules alone: the address is no memory of this process
// The README's program is not this one.
#line 41 "stream.cu"
  const tma::TensorView view{reinterpret_cast<float*>(std::uintptr_t(0x7f32c8000008)), {1000, 1733}};
#line 184 "readme.cpp"
  const auto made = tma::try_make_descriptor<Tile>(view, {}, &nowhere);
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

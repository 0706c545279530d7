// The name of a kernel, for reports. Included by host_launch.hpp alone: these are definitions.
#pragma once

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tma::machine::detail {

// A function's name in the symbol table of the file it came from: dladdr sees only what is exported, which a kernel of a
// program is not.
std::string symbol_in_file(const char* path, std::uintptr_t offset) {
  std::FILE* const file = std::fopen(path, "rb");
  if (!file) return {};
  const auto read = [file](std::uint64_t at, std::size_t bytes) {
    std::vector<char> data(bytes);
    if (std::fseek(file, long(at), SEEK_SET) != 0 || std::fread(data.data(), 1, bytes, file) != bytes) data.clear();
    return data;
  };
  const auto as = [](const std::vector<char>& data, std::size_t i, auto& out) {
    if ((i + 1) * sizeof out > data.size()) return false;
    std::memcpy(&out, data.data() + i * sizeof out, sizeof out);
    return true;
  };

  std::string name;
  ElfW(Ehdr) head{};
  ElfW(Shdr) section{}, names{};
  ElfW(Sym) symbol{};
  std::vector<char> sections;
  if (as(read(0, sizeof head), 0, head) && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0)
    sections = read(head.e_shoff, std::size_t(head.e_shnum) * sizeof section);
  for (std::size_t s = 0; name.empty() && as(sections, s, section); ++s) {
    if (section.sh_type != SHT_SYMTAB || !as(sections, section.sh_link, names)) continue;
    const std::vector<char> table = read(section.sh_offset, section.sh_size);
    for (std::size_t i = 0; name.empty() && as(table, i, symbol); ++i) {
      if (symbol.st_value != offset || (symbol.st_info & 15) != STT_FUNC || symbol.st_name >= names.sh_size) continue;
      std::vector<char> text = read(names.sh_offset + symbol.st_name, names.sh_size - symbol.st_name);
      text.push_back(0);
      name = text.data();
    }
  }
  std::fclose(file);
  return name;
}

std::string without(std::string text, const char* noise) {
  for (std::size_t at; (at = text.find(noise)) != std::string::npos;) text.erase(at, std::strlen(noise));
  return text;
}

// "tma::v0_1_0_simulator::Tile" -> "tma::Tile".
std::string without_abi(std::string name) {
#define TMA_DETAIL_TEXT(name)  TMA_DETAIL_QUOTE(name)
#define TMA_DETAIL_QUOTE(name) #name
  return without(std::move(name), TMA_DETAIL_TEXT(TMA_ABI) "::");
#undef TMA_DETAIL_TEXT
#undef TMA_DETAIL_QUOTE
}

// "void (anonymous namespace)::scale<4>(float*)" -> "scale<4>".
std::string short_name(std::string name) {
  name      = without(without(without_abi(std::move(name)), "(anonymous namespace)::"), "void ");
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += (name[i] == '<') - (name[i] == '>');
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string kernel_name(const void* kernel) {
  Dl_info     info{};
  link_map*   map = nullptr;
  std::string name;
  if (dladdr1(kernel, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0) {
    if (info.dli_sname && info.dli_saddr == kernel) name = info.dli_sname;
    // The program itself has no name in the list of what is loaded.
    else if (map) name = symbol_in_file(*map->l_name ? map->l_name : "/proc/self/exe", std::uintptr_t(kernel) - map->l_addr);
  }
  if (name.empty()) return "a kernel";
  int         status   = 0;
  char* const readable = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (readable) name = short_name(readable);
  std::free(readable);
  return name;
}

}  // namespace tma::machine::detail

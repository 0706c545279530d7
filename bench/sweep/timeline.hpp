// A simulated run as a picture: the copies, and what a warp does meanwhile.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <tma/machine/machine.hpp>

namespace sweep {

// One run of one block. Warp 0 issues the copies, and warp 1 only uses the tiles, as all others do.
class Timeline {
public:
  explicit Timeline(const std::vector<tma::machine::Span>& spans) {
    bool waited = false;  // what follows is a tile's
    int  tile   = 0;
    for (const auto& s : spans) {
      const char sign = s.name == "compute" ? '#' : '.';
      end_            = std::max(end_, s.end);
      if (ends_with(s.track, " copies")) copies_.push_back({s.start, s.end, '='});
      else if (ends_with(s.track, " warp 0")) issuer_.push_back({s.start, s.end, sign});
      else if (ends_with(s.track, " warp 1")) {
        user_.push_back({s.start, s.end, sign, waited && sign == '#' ? tile++ : -1});
        waited = s.name == "wait";
      }
    }
    std::sort(copies_.begin(), copies_.end(), [](const Bar& a, const Bar& b) { return a.start < b.start; });
    for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i].tile = int(i);
  }

  double end() const { return end_; }

  // How much of the time in which copies are under way is spent computing: 0 to 1.
  double overlap() const {
    double copying = 0, both = 0, seen = 0;
    for (const Bar& c : copies_) {
      const double from = std::max(c.start, seen);
      if (from >= c.end) continue;
      copying += c.end - from;
      for (const Bar& b : user_)
        if (b.sign == '#') both += std::max(0.0, std::min(b.end, c.end) - std::max(b.start, from));
      seen = c.end;
    }
    return copying > 0 ? both / copying : 0;
  }

  // A line for the warp that issues, called `issuer`, one for the warp that uses the tiles, and above them as many as there
  // are copies under way at once. `per_column`: simulated time of one character.
  std::string picture(double per_column, const char* issuer) const {
    std::vector<std::vector<Bar>> rows;
    for (const Bar& c : copies_) {
      auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.back().end <= c.start; });
      if (at == rows.end()) at = rows.insert(rows.end(), std::vector<Bar>());
      at->push_back(c);
    }
    std::string text;
    for (const auto& row : rows) text += line(&row == rows.data() ? "copies" : "", row, per_column);
    return text + line(issuer, issuer_, per_column) + line("warp 1", user_, per_column);
  }

private:
  struct Bar {
    double start, end;
    char   sign;
    int    tile = -1;  // that begins here
  };

  static bool ends_with(const std::string& s, const std::string& end) {
    return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
  }

  std::string line(std::string label, const std::vector<Bar>& bars, double per_column) const {
    const auto  column = [&](double time) { return std::size_t(time / per_column + 0.5); };
    std::string text(column(end_) + 1, ' ');
    for (const Bar& b : bars)
      for (std::size_t i = column(b.start); i < column(b.end); ++i) text[i] = b.sign;
    for (const Bar& b : bars)  // after all signs: a bar may be shorter than a column
      if (b.tile >= 0) text[column(b.start)] = "0123456789abcdefghijklmnopqrstuvwxyz"[b.tile % 36];
    text.erase(text.find_last_not_of(' ') + 1);
    label.resize(11, ' ');
    return "  " + label + text + "\n";
  }

  std::vector<Bar> copies_, issuer_, user_;
  double           end_ = 0;
};

}  // namespace sweep

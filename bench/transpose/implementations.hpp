// What measure.cu asks of the implementations: each prepares the work on two buffers, and the result launches it.
#pragma once

#include <functional>

#include "transpose.hpp"

namespace transpose {

struct Prepared {
  std::function<void()> launch;
  double                in_flight;  // bytes asked for and not arrived, on each multiprocessor
};

// The engine loads and threads store: by this library, and by hand.
template <class T> Prepared ours_one_way(const T* from, T* to, const Work& w);
template <class T> Prepared hand_one_way(const T* from, T* to, const Work& w);
// The engine loads and stores.
template <class T> Prepared ours_both_ways(const T* from, T* to, const Work& w);
// Without the engine.
template <class T> Prepared plain(const T* from, T* to, const Work& w);

// Rows that stay rows: `to_row` is the distance of rows in the output.
template <class T> Prepared ours_rows(const T* from, T* to, const Work& w);
template <class T> Prepared plain_rows(const T* from, T* to, const Work& w);

}  // namespace transpose

// The program around mistakes with loads by threads.
#pragma once

#include "common.hpp"

#include <tma/host/thread_descriptor.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>

template <class Loads> using Pipe = tma::Pipeline<4, Loads, Tile>;
template <class Loads> using From = tma::descriptor_for<Loads, const float, 2, Tile>;

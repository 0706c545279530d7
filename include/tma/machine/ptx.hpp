// The instructions on the machine: stands in for device/ptx*.hpp, function by function.
#pragma once

#include "../core/prologue.hpp"

#include "ptx_async.hpp"
#include "ptx_base.hpp"
#include "ptx_cluster.hpp"
#include "ptx_grid.hpp"
#include "ptx_more.hpp"

#include "../core/epilogue.hpp"

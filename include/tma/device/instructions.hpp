// The instructions of the device this is compiled for: PTX, or the CPU machine's.
#pragma once

#include "../core/prologue.hpp"

#include "../core/config.hpp"
#include "device_code.hpp"

#include TMA_DETAIL_PTX()

#include "../core/epilogue.hpp"

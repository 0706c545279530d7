// The instructions of copies by threads, cp.async, and of the arrivals that complete them.
#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#include TMA_DETAIL_PTX(_async)

#include "../core/epilogue.hpp"

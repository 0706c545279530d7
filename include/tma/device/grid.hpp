// Which block of the grid this is: the instructions for those who divide a grid's work.
#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#include TMA_DETAIL_PTX(_grid)

#include "../core/epilogue.hpp"

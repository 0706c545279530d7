#include "shared_types.hpp"

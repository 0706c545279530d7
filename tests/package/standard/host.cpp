#include <tma/core/tile.hpp>
#include <tma/host/tensor_view.hpp>

static_assert(__cplusplus >= 202002L);
static_assert(tma::Tile<float, tma::Shape<16, 16>>::payload_bytes == 1024);

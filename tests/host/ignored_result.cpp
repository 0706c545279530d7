// Does not compile with -Werror: what tells of a failure is dropped.
#include <tma/host/launch.hpp>
#include <tma/host/make_descriptor.hpp>

#if defined(IGNORE_TRY_MAKE_DESCRIPTOR)
void ignore(float* data) {
  tma::try_make_descriptor<tma::Tile<float, tma::Shape<8, 16>>>(tma::TensorView{data, {128, 1733}});
}
#elif defined(IGNORE_TRY_LAUNCH)
void ignore(void (*kernel)(int)) { tma::try_launch(kernel, {.grid = 1, .block = 32}, 1); }
#endif

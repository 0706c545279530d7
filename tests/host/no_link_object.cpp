// A shared object that makes descriptors, linked to no driver.
#include <tma/host/launch.hpp>
#include <tma/host/make_descriptor.hpp>

#include <cstdio>

namespace {

using Tile = tma::Tile<float, tma::Shape<8, 16>>;

void kernel_stand_in(int) {}

}  // namespace

// The kinds of error that making a descriptor and launching a kernel end with. The text of the first goes to `text`.
extern "C" void tma_try_everything(int* make_kind, int* launch_kind, char* text, int size) {
  const auto made = tma::try_make_descriptor<Tile>(tma::TensorView{reinterpret_cast<float*>(0x7f2a40000000), {128, 64}});
  *make_kind      = int(made.error().kind());
  *launch_kind    = int(tma::try_launch(kernel_stand_in, {.grid = 1, .block = 32}, 1).kind());
  std::snprintf(text, static_cast<std::size_t>(size), "%s", made.error().what());
}

// Compiled with -fno-exceptions: what the library does where it cannot throw.
#include <tma/all.hpp>

#include <cstdio>
#include <cstring>

using Tile = tma::Tile<float, tma::Shape<32, 32>>;

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<float, 2, Tile>) {}

// A driver that is there, on every computer: what is refused is refused by the rules.
static int encode(void*, int, unsigned, void*, const tma::detail::u64*, const tma::detail::u64*, const unsigned*,
                  const unsigned*, int, int, int, int) {
  return 0;
}
static tma::PointerKind kind(const void*) { return tma::PointerKind::device; }

int main(int, char** arguments) {
  const char* const what = arguments[1];
  auto* const       base = reinterpret_cast<float*>(0x100008);  // no multiple of 16
  tma::Driver       driver;
  driver.encode_tiled       = encode;
  driver.pointer_kind       = kind;
  driver.compute_capability = 90;
  driver.version            = 13000;
  if (std::strcmp(what, "try") == 0) {
    const auto result = tma::try_make_descriptor<Tile>(tma::TensorView{base, {64, 64}}, {}, &driver);
    std::puts(result ? "no error" : "the error is returned");
  } else if (std::strcmp(what, "make") == 0) {
    (void)tma::try_make_descriptor<Tile>(tma::TensorView{base, {64, 64}}, {}, &driver).value();
  } else {
    const tma::TmaDescriptor<float, 2, Tile> descriptor{};
    tma::launch(kernel, {.grid = 1, .block = 100000}, descriptor);
  }
}

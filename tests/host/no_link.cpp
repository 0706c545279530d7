// Loads a shared object that makes descriptors: it starts on a machine without a driver and says what is missing.
//
//     host_no_link path/to/object.so
#include <tma/host/launch.hpp>
#include <tma/host/make_descriptor.hpp>

#include <cstdio>
#include <dlfcn.h>

namespace {

using Tile = tma::Tile<float, tma::Shape<8, 16>>;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s object.so\n", argv[0]), 2;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  std::printf("%s\n", driver ? "this machine has a driver" : "this machine has no driver");

  void* const object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!object) return std::fprintf(stderr, "%s\n", dlerror()), 1;
  using Everything      = void (*)(int*, int*, char*, int);
  const auto everything = reinterpret_cast<Everything>(dlsym(object, "tma_try_everything"));
  if (!everything) return std::fprintf(stderr, "%s\n", dlerror()), 1;

  int  make_kind = -1, launch_kind = -1;
  char text[512] = "";
  everything(&make_kind, &launch_kind, text, sizeof text);
  const auto own_kind =
      tma::try_make_descriptor<Tile>(tma::TensorView{reinterpret_cast<float*>(0x7f2a40000000), {128, 64}}).error().kind();
  std::printf("the object: make %d, launch %d; the program: make %d\n%s", make_kind, launch_kind, int(own_kind), text);
  if (make_kind != int(own_kind)) return 1;
  const int no_driver = int(tma::ErrorKind::no_driver);
  if (!driver && (make_kind != no_driver || launch_kind != no_driver)) return 1;
  return 0;
}

// The vendor's: DeviceTransform, which loads by bulk copies on this architecture, and the sum of products of cuBLAS.
#include <cub/device/device_transform.cuh>
#include <cublas_v2.h>
#include <cuda/functional>

#include <memory>

#include "stream.hpp"

namespace stream {

template <class T, class Op> void add_cub(Variants& to, const Arrays<T>& s, const Op& op) {
  to.push_back({"CUB DeviceTransform", harness::Kind::peer, [=](int round) {
                  const long long at = s.at(round);
                  const auto      f  = cuda::proclaim_copyable_arguments(op);
                  if constexpr (Op::inputs == 2)
                    harness::require(
                        cub::DeviceTransform::Transform(cuda::std::make_tuple(s.a + at, s.b + at), s.y + at, s.n, f),
                        "cub::DeviceTransform");
                  else harness::require(cub::DeviceTransform::Transform(s.a + at, s.y + at, s.n, f), "cub::DeviceTransform");
                }});
}

void add_cublas_dot(Variants& to, const Arrays<float>& s, float* result) {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("stream: cublasCreate failed\n");
  const std::shared_ptr<void> owner(handle, [](void* h) { cublasDestroy(static_cast<cublasHandle_t>(h)); });
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  to.push_back({"cublasSdot", harness::Kind::peer, [=](int round) {
                  const long long at = s.at(round);
                  if (cublasSdot_64(static_cast<cublasHandle_t>(owner.get()), s.n, s.a + at, 1, s.b + at, 1, result) !=
                      CUBLAS_STATUS_SUCCESS)
                    throw std::runtime_error("stream: cublasSdot failed\n");
                }});
}

#define STREAM_CUB(T, Op) template void add_cub<T, Op<T>>(Variants&, const Arrays<T>&, const Op<T>&);
STREAM_CUB(float, Copy)
STREAM_CUB(float, Scale)
STREAM_CUB(float, Add)
STREAM_CUB(float, Triad)
STREAM_CUB(char, Copy)
STREAM_CUB(char, Triad)
STREAM_CUB(__half, Copy)
STREAM_CUB(__half, Triad)
STREAM_CUB(double, Copy)
STREAM_CUB(double, Triad)
STREAM_CUB(Wide, Copy)

}  // namespace stream

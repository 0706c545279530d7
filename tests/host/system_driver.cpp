// Which machines are taken, and what is said of the others, through a CUDA runtime that is made up: this program links no other.
#include <tma/host/make_descriptor.hpp>

#include <cstring>
#include <string>

#include "report.hpp"

namespace {

using tma::ErrorKind;

// The machine: what each call answers.
struct Machine {
  int         version    = 13000;
  cudaError_t counted    = cudaSuccess;
  int         devices    = 1;
  cudaError_t current    = cudaSuccess;
  int         capability = 90;
  bool        has_encode = true;
  cudaError_t left       = cudaSuccess;  // the error that somebody has not read yet
  int         encoded    = 0;
};
Machine machine;

cudaError_t answer(cudaError_t e) {
  if (e != cudaSuccess) machine.left = e;
  return e;
}

int encode(void* map, int, unsigned, void*, const tma::detail::u64*, const tma::detail::u64*, const unsigned*,
           const unsigned*, int, int, int, int) {
  std::memset(map, 0x11, 128);
  ++machine.encoded;
  return 0;
}

using Tile = tma::Tile<float, tma::Shape<8, 16>>;

alignas(16) float memory[64 * 64];

tma::Error made_on(const Machine& given) {
  machine         = given;
  const auto made = tma::try_make_descriptor<Tile>(tma::TensorView{memory, {64, 64}});
  return made ? tma::Error() : made.error();
}

bool says(const tma::Error& error, const char* part) {
  INFO(error.what());
  return report::contains(error.what(), part);
}

}  // namespace

extern "C" {
cudaError_t cudaDriverGetVersion(int* version) {
  *version = machine.version;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = machine.counted == cudaSuccess ? machine.devices : 0;
  return answer(machine.counted);
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return answer(machine.current);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = machine.capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *value = machine.capability % 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = 99 * 1024; break;
    case cudaDevAttrPageableMemoryAccess: *value = 1; break;
    default: return answer(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
// A call is asked for at the version that brought it.
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** found, unsigned version, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  const bool has = machine.has_encode && std::strcmp(symbol, "cuTensorMapEncodeTiled") == 0 && version == 12000;
  *found         = has ? reinterpret_cast<void*>(&encode) : nullptr;
  *result        = has ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
  attributes->type = cudaMemoryTypeManaged;
  return cudaSuccess;
}
cudaError_t cudaPeekAtLastError() { return machine.left; }
cudaError_t cudaGetLastError() {
  const cudaError_t e = machine.left;
  machine.left        = cudaSuccess;
  return e;
}
cudaError_t cudaFree(void*) { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t e) { return e == cudaErrorNoDevice ? "cudaErrorNoDevice" : "another"; }
const char* cudaGetErrorString(cudaError_t) { return "made up"; }
}

// First, because the driver's call is looked up once a process.
TEST_CASE("a driver without the call is too old") {
  const tma::Error error = made_on({.has_encode = false});
  CHECK(error.kind() == ErrorKind::driver_too_old);
  CHECK(says(error, "the driver (CUDA 13.0) has no cuTensorMapEncodeTiled"));
  CHECK(machine.encoded == 0);
}

TEST_CASE("without a driver, with an old one, or without a device") {
  CHECK(made_on({.version = 0}).kind() == ErrorKind::no_driver);
  CHECK(says(made_on({.version = 0}), "no NVIDIA driver found"));
  CHECK(made_on({.version = 11080, .counted = cudaErrorInsufficientDriver}).kind() == ErrorKind::driver_too_old);
  CHECK(says(made_on({.version = 11080, .counted = cudaErrorInsufficientDriver}), "the driver speaks CUDA 11.8"));
  CHECK(made_on({.counted = cudaErrorNoDevice}).kind() == ErrorKind::no_device);
  CHECK(says(made_on({.counted = cudaErrorNoDevice}), "finds no GPU (cudaErrorNoDevice)"));
  CHECK(made_on({.devices = 0}).kind() == ErrorKind::no_device);
  CHECK(made_on({.current = cudaErrorInvalidDevice}).kind() == ErrorKind::no_device);
  CHECK(machine.left == cudaSuccess);  // the question was ours, and so was its error
}

TEST_CASE("devices before 9.0 lack the engine, and every one since has it") {
  for (int capability : {50, 61, 70, 75, 80, 86, 87, 89}) {
    const tma::Error error = made_on({.capability = capability});
    CHECK(error.kind() == ErrorKind::device_lacks_tma);
    const std::string number = std::to_string(capability / 10) + "." + std::to_string(capability % 10);
    CHECK(says(error, ("device 0 has compute capability " + number + "; the copy engine came with 9.0").c_str()));
    CHECK(machine.encoded == 0);
  }
  for (int capability : {90, 100, 101, 103, 110, 120, 121}) {
    const tma::Error error = made_on({.capability = capability});
    INFO("capability " << capability << ": " << error.what());
    CHECK_FALSE(bool(error));
    CHECK(machine.encoded == 1);
    tma::Driver driver;
    CHECK_FALSE(bool(tma::system_driver(driver)));
    CHECK(driver.compute_capability == capability);
    CHECK(driver.version == 13000);
    CHECK(driver.shared_limit == 99 * 1024);
    CHECK(driver.reads_pageable);
  }
}

TEST_CASE("a kernel that has failed before is the cause that is named") {
  const tma::Error error = made_on({.left = cudaErrorIllegalAddress});
  CHECK(error.kind() == ErrorKind::context_failed);
  CHECK(says(error, "an earlier kernel has failed"));
  CHECK(machine.left == cudaErrorIllegalAddress);  // it is not ours to clear
  CHECK(made_on({.counted = cudaErrorLaunchFailure}).kind() == ErrorKind::context_failed);
  CHECK(made_on({.current = cudaErrorLaunchFailure}).kind() == ErrorKind::context_failed);
}

TEST_CASE("an error that somebody left is neither a failed context nor cleared") {
  CHECK_FALSE(bool(made_on({.left = cudaErrorInvalidValue})));
  CHECK(machine.left == cudaErrorInvalidValue);
}

TEST_CASE("broken rules are told on every machine, before what it lacks") {
  for (const Machine& given : {Machine{.version = 0}, Machine{.capability = 80}, Machine{}}) {
    machine         = given;
    const auto made = tma::try_make_descriptor<Tile>(tma::TensorView{memory, {60, 60}, {61, 1}});
    REQUIRE_FALSE(bool(made));
    CHECK(made.error().report().has("T7"));
  }
}

// Descriptors in global memory. Not in tma.hpp: a kernel parameter holds thirty of them.
#pragma once

#include "../core/prologue.hpp"

#include <cstdlib>
#include <cuda_runtime_api.h>

#include "../core/descriptor.hpp"
#include "../core/descriptor_slots.hpp"
#include "check_slots.hpp"
#include "status.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

namespace detail {

// What an array asks of the runtime; tests bring their own.
struct SlotMemory {
  cudaError_t (*allocate)(void**, std::size_t);
  cudaError_t (*release)(void*);
  cudaError_t (*copy)(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
  cudaError_t (*capturing)(cudaStream_t, bool*);
  // Whether a copy from ordinary memory may read it after the call has returned: that of a device which reads such memory
  // itself. Elsewhere the runtime has staged it by then. Null: it may not.
  bool (*copies_late)() = nullptr;
  // Frees `host`, which std::malloc gave, when the stream has come this far.
  cudaError_t (*free_after)(void* host, cudaStream_t stream) = nullptr;
};

// Arrays may be made, uploaded to other streams and dropped while this thread captures: none of that becomes part of the graph.
class BesideCaptures {
public:
  BesideCaptures() { swapped_ = cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess; }
  ~BesideCaptures() {
    if (swapped_) cudaThreadExchangeStreamCaptureMode(&mode_);
  }
  BesideCaptures(const BesideCaptures&)            = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool                  swapped_;
};

inline const SlotMemory device_slots = {[](void** p, std::size_t bytes) {
                                          const BesideCaptures beside;
                                          return cudaMalloc(p, bytes);
                                        },
                                        [](void* p) {
                                          const BesideCaptures beside;
                                          return cudaFree(p);
                                        },
                                        [](void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
                                          const BesideCaptures beside;
                                          return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
                                        },
                                        [](cudaStream_t stream, bool* capturing) {
                                          cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
                                          const cudaError_t       e      = cudaStreamIsCapturing(stream, &status);
                                          // The default stream would be drawn into another's capture.
                                          const bool implicit = e == cudaErrorStreamCaptureImplicit;
                                          if (implicit) cudaGetLastError();
                                          *capturing = implicit || status != cudaStreamCaptureStatusNone;
                                          return implicit ? cudaSuccess : e;
                                        },
                                        [] {
                                          int device = 0, reads = 0;
                                          if (cudaGetDevice(&device) == cudaSuccess &&
                                              cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccess, device) ==
                                                  cudaSuccess)
                                            return reads != 0;
                                          cudaGetLastError();  // the copy says it better
                                          return true;
                                        },
                                        [](void* host, cudaStream_t stream) {
                                          const BesideCaptures beside;
                                          return cudaLaunchHostFunc(stream, std::free, host);
                                        }};

// The array without its types: what every kind of descriptor shares.
class SlotArray {
public:
  SlotArray(int count, const SlotMemory& memory) : memory_(&memory), count_(count < 0 ? 0 : count) {
    if (count < 1) {
      Report report;
      report.error("D2", "count|%d|an array has at least one slot|%s", count,
                   count == 0 ? "make none where there is nothing to describe"
                              : "look for a subtraction or a cast that went below zero");
      raise(Error("there is no such array of descriptors", report));
    }
    host_ = static_cast<unsigned char*>(std::calloc(std::size_t(count), 128));
    if (!host_) detail::raise_out_of_memory();
    const cudaError_t e = memory_->allocate(&device_, std::size_t(count) * 128);
    if (e == cudaSuccess) return;
    std::free(host_);
    raise(failed("allocating", e));
  }
  ~SlotArray() {
    if (device_) memory_->release(device_);
    std::free(host_);
  }
  SlotArray(SlotArray&& other) : memory_(other.memory_), count_(other.count_), host_(other.host_), device_(other.device_) {
    other.host_   = nullptr;
    other.device_ = nullptr;
    other.count_  = 0;
  }
  SlotArray& operator=(SlotArray&& other) {
    const SlotArray mine(static_cast<SlotArray&&>(*this));  // goes at the end
    memory_ = other.memory_, count_ = other.count_, host_ = other.host_, device_ = other.device_;
    other.host_   = nullptr;
    other.device_ = nullptr;
    other.count_  = 0;
    return *this;
  }

  int   count() const { return count_; }
  void* device() const { return device_; }

  Error set(int i, const void* map) {
    if (const Error error = check_range(i, 1)) return error;
    std::memcpy(host_ + std::size_t(i) * 128, map, 128);
    return {};
  }

  // The host's copy may change, or go, as soon as this returns. Where the runtime does not take its bytes before that, the copy
  // reads a block of its own, which the stream frees.
  Error upload(int first, int count, cudaStream_t stream) {
    if (const Error error = check_range(first, count)) return error;
    bool              capturing = false;
    const cudaError_t asked     = memory_->capturing(stream, &capturing);
    if (asked != cudaSuccess) return failed("uploading", asked);
    if (capturing) {
      Report report;
      report.error(
          "D4", "stream|capturing|a graph would keep the address of the host's copy, and read whatever lies there at each "
                "launch|upload before the capture begins, or to another stream; a captured kernel takes slots() as it is, "
                "and each launch of the graph reads what was uploaded last");
      return Error("descriptors are not uploaded in a capture", report);
    }
    const std::size_t at = std::size_t(first) * 128, bytes = std::size_t(count) * 128;
    if (bytes == 0) return {};
    const unsigned char* from = host_ + at;
    void*                own  = nullptr;
    if (memory_->copies_late && memory_->copies_late()) {
      own = std::malloc(bytes);
      if (!own) raise_out_of_memory();
      std::memcpy(own, from, bytes);
      from = static_cast<const unsigned char*>(own);
    }
    cudaError_t e = memory_->copy(static_cast<unsigned char*>(device_) + at, from, bytes, stream);
    if (!own) return e == cudaSuccess ? Error() : failed("uploading", e);
    if (e != cudaSuccess) {
      std::free(own);
      return failed("uploading", e);
    }
    e = memory_->free_after(own, stream);
    return e == cudaSuccess ? Error() : failed("freeing the copy of", e);  // which is lost: the device may still read it
  }

private:
  Error check_range(int first, int count) const {
    if (first >= 0 && count >= 0 && first <= count_ && count <= count_ - first) return {};
    Report report;
    report.error("D3", "slots|%d and %d from there|the array has the slots 0 to %d|use an index below the array's size",
                 first, count, count_ - 1);
    return Error("there are no such slots", report);
  }
  Error failed(const char* what, cudaError_t e) const {
    take_back(e);  // the error is reported here
    if (const Error before = failed_before(e)) return before;
    return Error(ErrorKind::call_failed, "tma: %s %d descriptors of 128 bytes failed: %s (%s)\n", what, count_,
                 cudaGetErrorName(e), cudaGetErrorString(e));
  }

  const SlotMemory* memory_;
  int               count_;
  unsigned char*    host_   = nullptr;
  void*             device_ = nullptr;
};

}  // namespace detail

/// Descriptors in device memory, 128 bytes apart: for kernels that choose one among many (grouped products, tensors of many
/// sizes), or that edit their own.
///
///     tma::DescriptorArray<Map> maps(count);
///     for (int i = 0; i < count; ++i) maps.set(i, tma::make_descriptor<Tile>(views[i]));
///     maps.upload(stream);
///     tma::launch(kernel, {...}, maps.slots(), ...);        // there: tma::acquire(slots, i)
///
/// `set` changes the host's copy; `upload` brings it to the device in the order of the stream, and may be followed by `set` at
/// once. Kernels that may still read slots are the caller's to wait for, by the stream's order or otherwise: a slot that is
/// overwritten under a running copy tears. Device memory lives as long as the array. Never set, a slot holds zeros, and a
/// copy through it is an illegal instruction.
///
/// While a stream is captured an array may be made, set, and uploaded to a stream that is not captured. A graph whose kernels
/// take `slots()` reads the array's memory at each launch and does not keep it: the array must outlive the graph.
///
/// Errors: rules D2 to D4 broken; `call_failed`.
template <class Descriptor> class TMA_PUBLIC DescriptorArray {
  static_assert(
      sizeof(Descriptor) == 128,
      "tma::DescriptorArray: a slot is 128 bytes: a descriptor whose type names its tile. One whose box is known at "
      "run time carries sizes beside its map (192 bytes): name the tile, or pass it as a kernel parameter");

public:
  using descriptor_type = Descriptor;

  explicit DescriptorArray(int count, const detail::SlotMemory& memory = detail::device_slots) : array_(count, memory) {}

  int size() const { return array_.count(); }

  /// Slot `i` of the host's copy.
  void set(int i, const Descriptor& descriptor) {
    if (const Error error = array_.set(i, tensor_map(descriptor))) detail::raise(error);
  }

  /// All slots, or `count` from `first` on, to the device. Refused in a stream capture (rule D4).
  void upload(cudaStream_t stream = nullptr) { upload(0, size(), stream); }
  void upload(int first, int count, cudaStream_t stream = nullptr) {
    if (const Error error = try_upload(first, count, stream)) detail::raise(error);
  }
  [[nodiscard]] Error try_upload(cudaStream_t stream = nullptr) { return try_upload(0, size(), stream); }
  [[nodiscard]] Error try_upload(int first, int count, cudaStream_t stream = nullptr) {
    return array_.upload(first, count, stream);
  }

  /// What a kernel takes. Stays as it is when slots are set and uploaded again: a graph that holds it sees the new ones.
  DescriptorSlots<Descriptor> slots() const { return {static_cast<Descriptor*>(array_.device()), size()}; }

private:
  detail::SlotArray array_;
};

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"

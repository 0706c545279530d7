// Descriptors in global memory. Not in tma.hpp: a kernel parameter holds thirty of them.
#pragma once

#include "../core/prologue.hpp"

#include <cstdlib>
#include <cuda_runtime_api.h>

#include "../core/descriptor.hpp"
#include "../core/descriptor_slots.hpp"
#include "error.hpp"
#include "status.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// What keeps `pointer` from being the first slot of descriptors: null (M2), or an address that is no multiple of 64 (D1). An
/// offset into a workspace is one of the ways to get there; what comes of it is a misaligned address at the first copy, or a
/// descriptor of other bytes.
[[nodiscard]] inline Report check_slots(const void* pointer) {
  Report    report;
  const int rest = int(reinterpret_cast<std::size_t>(pointer) % 128);
  if (!pointer) report.error("M2", "slots|null|descriptors lie in device memory|allocate before asking for the pointer");
  else if (rest % 64 != 0)
    report.error("D1",
                 "slots|%p|descriptors lie at multiples of 64 bytes, 128 bytes apart; the remainder is %d|"
                 "start at the next multiple of 128, %d bytes later: round offsets into a workspace up, or use a "
                 "tma::DescriptorArray",
                 pointer, rest % 64, 128 - rest);
  else if (rest != 0)
    report.warning("D1",
                   "slots|%p|copies take descriptors at multiples of 64 bytes, edits on the device want 128|"
                   "start at the next multiple of 128, %d bytes later",
                   pointer, 128 - rest);
  return report;
}

namespace detail {

// What an array asks of the runtime; tests bring their own.
struct SlotMemory {
  cudaError_t (*allocate)(void**, std::size_t);
  cudaError_t (*release)(void*);
  cudaError_t (*copy)(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
  cudaError_t (*capturing)(cudaStream_t, bool*);
};

inline const SlotMemory device_slots = {[](void** p, std::size_t bytes) { return cudaMalloc(p, bytes); },
                                        [](void* p) { return cudaFree(p); },
                                        [](void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
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

  // The staging memory is ordinary: the runtime has taken its bytes when the call returns.
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
    const std::size_t from = std::size_t(first) * 128;
    const cudaError_t e =
        memory_->copy(static_cast<unsigned char*>(device_) + from, host_ + from, std::size_t(count) * 128, stream);
    return e == cudaSuccess ? Error() : failed("uploading", e);
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

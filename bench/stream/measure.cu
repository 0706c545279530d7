// Streaming: copy, scale, add, triad and dot, from 2^16 to 2^30 elements, of 1 to 16 bytes, aligned and not, and in boxes of a
// matrix.
#include "../harness/bench.hpp"
#include "../harness/device_array.hpp"
#include "../harness/kernels.cuh"
#include "stream.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace stream {
namespace {

constexpr double      data_sheet = 4800, asked_2d = 4200;  // GB/s
constexpr std::size_t mebi = std::size_t(1) << 20;

// Values of [-1, 1) in the place of random bits: sums of products stay finite.
__global__ void settle(float* data, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x)
    data[i] = float(__float_as_int(data[i])) * (1.f / 2147483648.f);
}

// The memory of all points.
struct Room {
  static constexpr std::size_t slack = mebi;  // for arrays that do not start at its beginning
  std::size_t                  bytes;
  harness::DeviceArray<char>   a, b, y;
  harness::DeviceArray<float>  result;

  Room(std::size_t n, unsigned seed) : bytes(n), a(n + slack), b(n + slack), y(n + slack), result(1) {
    for (char* data : {a.data, b.data}) {
      harness::randomise<<<4096, 256>>>(reinterpret_cast<unsigned*>(data), (n + slack) / 4, seed++);
      settle<<<4096, 256>>>(reinterpret_cast<float*>(data), (n + slack) / 4);
    }
    harness::require(cudaMemset(y.data, 0xa5, n + slack), "cudaMemset");
  }

  // `n` elements: the same ones at each launch, or others for 1 GiB of launches.
  template <class T> Arrays<T> arrays(long long n, bool cold, int from = 0, int to = 0) const {
    const std::size_t one = std::size_t(n) * sizeof(T);
    return {reinterpret_cast<const T*>(a.data) + from,
            reinterpret_cast<const T*>(b.data) + from,
            reinterpret_cast<T*>(y.data) + to,
            n,
            cold ? int(std::max<std::size_t>(1, std::min(bytes, 1024 * mebi) / one)) : 1,
            n};
  }
};

template <class T, class Op> double bytes_moved(long long n) { return double(n) * sizeof(T) * (Op::inputs + 1); }

// A point of variants of y = op(a, b).
template <class T, class Op>
harness::Point point(const std::string& name, bool cold, const Arrays<T>& s, const Op& op, Variants variants) {
  harness::Point p;
  p.name     = name;
  p.mode     = cold ? "cold" : "l2";
  p.unit     = harness::Unit::gb_per_s;
  p.work     = bytes_moved<T, Op>(s.n);
  p.launches = int(std::clamp(40e-6 / (2e-6 + p.work / 4e12), 1., 16.));
  p.hold_us  = 50 + 6 * p.launches;
  p.limit    = cold ? data_sheet : 0;
  p.variants = std::move(variants);
  for (harness::Variant& v : p.variants)
    v.verify = [=] {
      const long long wrong = count_wrong(s, op);
      return wrong ? std::to_string(wrong) + " elements are wrong" : std::string();
    };
  return p;
}

template <class T> void add_memcpy(Variants& to, const Arrays<T>& s) {
  to.push_back({"cudaMemcpy", harness::Kind::peer, [=](int round) {
                  const long long at = s.at(round);
                  harness::require(
                      cudaMemcpyAsync(s.y + at, s.a + at, std::size_t(s.n) * sizeof(T), cudaMemcpyDeviceToDevice),
                      "cudaMemcpy");
                }});
}

// Everybody's variants of one work.
template <class T, class Op>
std::vector<harness::Result> measure(harness::Bench& bench, const std::string& name, bool cold, const Arrays<T>& s,
                                     const Op& op) {
  Variants all;
  add_ours(all, s, op);
  if constexpr (std::is_same_v<T, float>) add_hand(all, s, op);
  add_plain(all, s, op);
  add_cub(all, s, op);
  if constexpr (Op::moves) add_memcpy(all, s);
  return bench.measure(point(name, cold, s, op, std::move(all)));
}

const harness::Result* best(const std::vector<harness::Result>& all, const std::string& kind,
                            const std::string& begin = "") {
  const harness::Result* found = nullptr;
  for (const auto& r : all)
    if (r.kind == kind && r.variant.starts_with(begin) && (!found || r.median > found->median)) found = &r;
  return found;
}

// `asked`: an absolute value, or 0 for the peer's own.
void goal(harness::Bench& bench, const char* claim, const std::vector<harness::Result>& all, const char* peer,
          double asked = 0) {
  const harness::Result *ours = best(all, "ours"), *other = best(all, "peer", peer);
  if (ours && other)
    bench.goal(claim, "GB/s", ours->median, other->median, other->variant, asked > 0 ? asked / other->median : 1);
}

// From the smallest arrays to the largest, from memory and from the cache.
template <class Op> void measure_sizes(harness::Bench& bench, const Room& room, const char* name, const Op& op) {
  for (int log = 16; log <= 28; log += 2) {
    const long long   n    = 1ll << log;
    const std::string what = std::string(name) + " 2^" + std::to_string(log) + " float";
    if (std::size_t(n) * 4 > room.bytes) break;
    measure(bench, what, true, room.arrays<float>(n, true), op);
    if (bytes_moved<float, Op>(n) <= 32e6) measure(bench, what, false, room.arrays<float>(n, false), op);
  }
}

void measure_dot(harness::Bench& bench, const Room& room, int log, bool cold) {
  const auto s = room.arrays<float>(1ll << log, cold);
  Variants   all;
  add_dot(all, s, room.result.data, bench.machine().multiprocessors);
  add_cublas_dot(all, s, room.result.data);
  auto p = point("dot 2^" + std::to_string(log) + " float", cold, s, Add<float>(), std::move(all));
  p.work = double(s.n) * 8;
  for (harness::Variant& v : p.variants)
    v.verify = [s, result = room.result.data] {
      const double error = dot_error(s, result);
      return error < 1e-5 ? std::string() : "the error is " + std::to_string(error) + " of the sum of absolute values";
    };
  bench.measure(p);
}

template <class T> void measure_type(harness::Bench& bench, const Room& room, const char* type, T factor) {
  const long long n = (long long)(std::min(room.bytes, 1024 * mebi) / sizeof(T));
  measure(bench, std::string("copy 1 GiB ") + type, true, room.arrays<T>(n, false), Copy<T>());
  measure(bench, std::string("triad 1 GiB ") + type, true, room.arrays<T>(n, false), Triad<T>{factor});
}

template <class T> void measure_ragged(harness::Bench& bench, const Room& room, const char* type, int from, int to) {
  const long long n     = (long long)(std::min(room.bytes, 1024 * mebi) / sizeof(T)) - 37;
  const auto      s     = room.arrays<T>(n, false, from, to);
  const bool      alike = (from - to) * int(sizeof(T)) % 16 == 0;
  Variants        all;
  add_ragged(all, s, alike);
  add_memcpy(all, s);
  char name[64];
  std::snprintf(name, sizeof name, "copy 1 GiB %s from +%d to +%d", type, from, to);
  bench.measure(point(name, true, s, Copy<T>(), std::move(all)));
}

// What a copy leaves in the cache for who comes after it: a copy, and then reads of what fits there.
void measure_after(harness::Bench& bench, const Room& room) {
  constexpr std::size_t again = 24 * mebi;
  constexpr int         reads = 8;
  const long long       n     = (long long)(std::min(room.bytes, 256 * mebi) / sizeof(float));
  const auto            s     = room.arrays<float>(n, false);
  Variants              all;
  add_ours(all, s, Copy<float>());
  add_memcpy(all, s);
  for (harness::Variant& v : all)
    v.launch = [copy = v.launch, data = room.b.data, result = room.result.data](int round) {
      copy(round);
      for (int k = 0; k < reads; ++k) read_all(data, again, result);
    };
  auto p     = point("copy 256 MiB and 8 x read 24 MiB", true, s, Copy<float>(), std::move(all));
  p.unit     = harness::Unit::us;
  p.work     = 1;
  p.launches = 1;
  p.hold_us  = 150;
  p.limit    = 0;
  bench.measure(p);
}

}  // namespace
}  // namespace stream

const harness::About harness::about{"stream", "Measures copies and the arithmetic of streams, in every size, beside the "
                                              "vendor's and kernels without the copy engine."};

void harness::run(Bench& bench) {
  using namespace stream;
  const Room room((bench.quick() ? 64 : 4096) * mebi, bench.options().seed);
  const auto large = (long long)(room.bytes / sizeof(float));
  bench.note("GB/s of what is read and written; in_flight_per_sm: bytes asked for by the copy engine");
  bench.note("names: x blocks on a multiprocessor, or x stages x blocks");

  if (bench.wants("copy"))
    goal(bench, "copy", measure(bench, "copy 4 GiB float", true, room.arrays<float>(large, false), Copy<float>()),
         "cudaMemcpy");
  if (bench.wants("copy_2d")) {
    const auto s = room.arrays<float>(large, false);
    Variants   all;
    add_matrix(all, s);
    add_memcpy(all, s);
    goal(bench, "copy_2d", bench.measure(point("copy 4 GiB boxes of a matrix", true, s, Copy<float>(), std::move(all))),
         "cudaMemcpy", asked_2d);
  }
  if (bench.wants("triad"))
    goal(bench, "triad", measure(bench, "triad 4 GiB float", true, room.arrays<float>(large, false), Triad<float>{3}),
         "CUB");
  if (bench.wants("scale")) measure(bench, "scale 4 GiB float", true, room.arrays<float>(large, false), Scale<float>{3});
  if (bench.wants("add")) measure(bench, "add 4 GiB float", true, room.arrays<float>(large, false), Add<float>());

  if (bench.wants("sizes")) {
    measure_sizes(bench, room, "copy", Copy<float>());
    measure_sizes(bench, room, "scale", Scale<float>{3});
    measure_sizes(bench, room, "add", Add<float>());
    measure_sizes(bench, room, "triad", Triad<float>{3});
    for (const int log : {16, 20, 24, 28, 30})
      if (std::size_t(4) << log <= room.bytes) {
        measure_dot(bench, room, log, true);
        if (log <= 20) measure_dot(bench, room, log, false);
      }
  }
  if (bench.wants("types")) {
    measure_type<char>(bench, room, "char", 3);
    measure_type<__half>(bench, room, "half", __half(3.f));
    measure_type<double>(bench, room, "double", 3);
    const long long n = (long long)(std::min(room.bytes, 1024 * mebi) / sizeof(Wide));
    measure(bench, "copy 1 GiB 16-byte elements", true, room.arrays<Wide>(n, false), Copy<Wide>());
  }
  if (bench.wants("after")) measure_after(bench, room);
  if (bench.wants("ragged")) {
    measure_ragged<char>(bench, room, "char", 1, 1);
    measure_ragged<char>(bench, room, "char", 1, 0);
    measure_ragged<__half>(bench, room, "half", 3, 3);
    measure_ragged<__half>(bench, room, "half", 3, 0);
    measure_ragged<float>(bench, room, "float", 1, 1);
    measure_ragged<float>(bench, room, "float", 1, 2);
  }
}

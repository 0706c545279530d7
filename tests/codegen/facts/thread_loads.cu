// Loads by threads on the oldest target that has them: copies past the registers, barriers, and nothing of the engine.
// target: sm_80
//
// Of every kernel here: no trap, nothing of sm_90, nothing in local memory.
// kernel: *
//   reject-ptx: \btrap\b|cp\.async\.bulk|fence\.proxy|fence\.mbarrier|try_wait|elect\.sync|expect_tx
//   reject-ptx: \.local|__local_depot
//   reject-sass: \b(STL|LDL|BPT)\b
//
// A pipeline in which all threads load: cp.async in its three widths, then an arrival that waits for them beside the warp's own.
// kernel: all_load
//   expect-ptx: cp\.async\.cg\.shared::cta\.global \[.*\], \[.*\], 16,
//   expect-ptx: cp\.async\.ca\.shared::cta\.global \[.*\], \[.*\], 8,
//   expect-ptx: cp\.async\.ca\.shared::cta\.global \[.*\], \[.*\], 4,
//   order-ptx: mbarrier\.init ; bar\.sync ; cp\.async\.c ; cp\.async\.mbarrier\.arrive\.shared ; mbarrier\.arrive\. ; mbarrier\.test_wait
//   expect-sass: LDGSTS\.E\.BYPASS\.128
//   expect-sass: ARRIVES\.LDGSTSBAR
//
// Warps that load beside warps that compute. Elements of 8 bytes have two widths.
// kernel: some_load
//   order-ptx: cp\.async\.c ; cp\.async\.mbarrier\.arrive\.shared ; bar\.warp\.sync ; mbarrier\.arrive\.
//   reject-ptx: cp\.async\.ca\.shared::cta\.global \[.*\], \[.*\], 4,
//
// Elements that are rounded on their way go through registers.
// kernel: rounded
//   reject-ptx: cp\.async\.c[ag]
//   order-ptx: ld\.(global\.)?u32|ld\.(global\.)?b32 ; st\.(shared\.)?u32|st\.(shared\.)?b32
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>
#include <tma/tma.hpp>

template <class T> using TileOf = tma::Tile<T, tma::Shape<16, 128 / sizeof(T)>, tma::Swizzle::bytes_128>;
template <class T> using From   = tma::descriptor_for<tma::ThreadLoads, const T, 2, TileOf<T>>;
template <class T> using Pipe   = tma::Pipeline<4, tma::ThreadLoads, TileOf<T>>;

template <class T> __device__ void for_all(const From<T>& from, T* to, int n) {
  Pipe<T> pipe(tma::shared<typename Pipe<T>::Shared>());
  pipe.for_each(
      n, [&](auto load, int i) { load(from, {i * 16, 0}); },
      [&](const TileOf<T>& tile, int i) { to[i * 128 + int(threadIdx.x)] = tile[int(threadIdx.x)]; });
}

extern "C" __global__ void all_load(const __grid_constant__ From<float> from, float* to, int n) { for_all(from, to, n); }
extern "C" __global__ void rounded(const __grid_constant__ From<tma::tf32> from, tma::tf32* to, int n) {
  for_all(from, to, n);
}

extern "C" __global__ void some_load(const __grid_constant__ From<double> from, double* to, int n) {
  tma::specialize(
      tma::shared<Pipe<double>::Shared>(), tma::producer_warps<2>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 16, 0}); });
      },
      tma::consumer_warps<4>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i)
          consumer.next([&](const TileOf<double>& tile) { to[i * 128 + consumer.rank()] = tile[consumer.rank()]; });
      });
}

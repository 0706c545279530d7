// What is computed of a row, whoever brings it: 16 bytes at a time, in float.
#pragma once

#include <cuda_bf16.h>

#include "rows.hpp"

namespace rows {

// 16 bytes of elements. `Top` is a maximum while it is looked for.
template <class T> struct Elements;

template <> struct Elements<float> {
  static constexpr int count = 4;
  using Top                  = float;

  static __device__ void unpack(const uint4& v, float (&x)[4]) {
    x[0] = __uint_as_float(v.x), x[1] = __uint_as_float(v.y), x[2] = __uint_as_float(v.z), x[3] = __uint_as_float(v.w);
  }
  static __device__ uint4 pack(const float (&x)[4]) {
    return {__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]), __float_as_uint(x[3])};
  }
  static __device__ float load(const float* p) { return *p; }
  static __device__ void  store(float* p, float x) { *p = x; }

  static __device__ uint4 all_of(float x) { return pack({x, x, x, x}); }
  static __device__ Top   top_of(float x) { return x; }
  static __device__ void  raise(float& top, const uint4& v) {
    float x[4];
    unpack(v, x);
    top = fmaxf(fmaxf(top, fmaxf(x[0], x[1])), fmaxf(x[2], x[3]));
  }
  static __device__ float highest(float top) { return top; }
};

template <> struct Elements<__nv_bfloat16> {
  static constexpr int count = 8;
  using Top                  = unsigned;  // two maxima

  static __device__ void unpack(const uint4& v, float (&x)[8]) {
    const unsigned word[] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x[2 * i]     = __uint_as_float(word[i] << 16);
      x[2 * i + 1] = __uint_as_float(word[i] & 0xffff0000u);
    }
  }
  static __device__ uint4 pack(const float (&x)[8]) {
    unsigned word[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word[i]) : "f"(x[2 * i + 1]), "f"(x[2 * i]));
    return {word[0], word[1], word[2], word[3]};
  }
  static __device__ float load(const __nv_bfloat16* p) { return __bfloat162float(*p); }
  static __device__ void  store(__nv_bfloat16* p, float x) { *p = __float2bfloat16_rn(x); }

  static __device__ uint4 all_of(float x) {
    const unsigned pair = __float_as_uint(x) >> 16 | (__float_as_uint(x) & 0xffff0000u);
    return {pair, pair, pair, pair};
  }
  static __device__ Top   top_of(float x) { return all_of(x).x; }
  static __device__ void  raise(Top& top, const uint4& v) { top = higher(higher(top, higher(v.x, v.y)), higher(v.z, v.w)); }
  static __device__ float highest(Top top) { return fmaxf(__uint_as_float(top << 16), __uint_as_float(top & 0xffff0000u)); }

private:
  static __device__ Top higher(Top a, Top b) {
    Top higher;
    asm("max.bf16x2 %0, %1, %2;" : "=r"(higher) : "r"(a), "r"(b));
    return higher;
  }
};

// What is known of a part of a row. `top`: its maximum times log2(e); `sum`: of 2^(x log2(e) - top), or of squares.
struct alignas(8) State {
  float top, sum;
};

// What the other blocks of a cluster send to one, as a barrier expects it: a block does not send its state to itself.
template <int Blocks> struct FromOthers {
  static constexpr int payload_bytes = (Blocks - 1) * sizeof(State);
};

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <Op> struct Function;

template <> struct Function<Op::softmax> {
  static constexpr float log2_e  = 1.44269504f;
  static constexpr float outside = -INFINITY;  // stands for an element that is none
  static constexpr bool  has_top = true;

  static __device__ State none() { return {-1e38f, 0}; }
  static __device__ float scaled(float top) { return top * log2_e; }
  static __device__ float term(float x, float top) { return exp2_fast(fmaf(x, log2_e, -top)); }
  static __device__ void  rescale(State& s, float top) {
    s.sum *= exp2_fast(s.top - top);
    s.top = top;
  }

  struct Result {
    static constexpr bool weighted = false;
    float                 top, factor;
    __device__            Result(const State& s, int) : top(s.top), factor(1 / s.sum) {}
    __device__ float      operator()(float x, float) const { return term(x, top) * factor; }
  };
};

template <> struct Function<Op::rms_norm> {
  static constexpr float outside = 0;
  static constexpr bool  has_top = false;

  static __device__ State none() { return {0, 0}; }
  static __device__ float scaled(float) { return 0; }
  static __device__ float term(float x, float) { return x * x; }
  static __device__ void  rescale(State&, float) {}

  struct Result {
    static constexpr bool weighted = true;
    float                 factor;
    __device__            Result(const State& s, int n) : factor(rsqrtf(s.sum / float(n) + epsilon)) {}
    __device__ float      operator()(float x, float weight) const { return x * factor * weight; }
  };
};

// What the states of a warp's lanes say together.
template <class F> __device__ State over_warp(State s) {
  if constexpr (F::has_top) {
    float top = s.top;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    F::rescale(s, top);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) s.sum += __shfl_xor_sync(~0u, s.sum, d);
  return s;
}
// The same of an array in shared memory of at most 32 of them, by each warp for itself.
template <class F, class Array> __device__ State over_array(const Array& all, int count) {
  const int lane = int(threadIdx.x) % 32;
  State     s    = F::none();
  if (lane < count) s = all[lane];
  return over_warp<F>(s);
}
// The same over blocks of a cluster, each of which has the others' in the array, and its own in a register. All threads.
template <class F, class Array> __device__ State over_blocks(const Array& all, int count, int own, State mine) {
  const int lane = int(threadIdx.x) % 32;
  State     s    = lane == own ? mine : F::none();
  if (lane < count && lane != own) s = all[lane];
  return over_warp<F>(s);
}
// What the warps of a block know, where the block has one row. All threads.
template <class F> __device__ State over_block(State s, State (&partial)[32]) {
  s = over_warp<F>(s);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = s;
  __syncthreads();
  return over_array<F>(partial, int(blockDim.x) / 32);
}

// A row, or a part of one, as a group of threads sees it: whole pieces of 16 bytes, of which each thread has every `threads`-th,
// `Pieces` at most; and less than a piece on either side, of which a thread has one element. At least 32 threads.
template <class F, class T, int Pieces, bool Held> class Row {
  using E                = Elements<T>;
  static constexpr int N = E::count, at_once = Held ? Pieces : (Pieces < 4 ? Pieces : 4);

public:
  // In an array that begins at a multiple of 16 bytes the row is the `count` elements after `before`.
  __device__ Row(int rank, int threads, int before, int count) : rank_(rank), threads_(threads) {
    const int head = min((N - before % N) % N, count), tail = (count - head) % N;
    first_  = (before + head) / N;
    pieces_ = (count - head) / N;
    end_    = rank < head ? before + rank : rank < head + tail ? before + count - tail + rank - head : -1;
  }

  __device__ State read(const T* from) {
    State s  = F::none();
    value_   = end_ >= 0 ? E::load(from + end_) : F::outside;
    bool own = true;
    each([&](int first) {
      fetch(from, first);
      if constexpr (F::has_top) {
        typename E::Top top = E::top_of(F::outside);
#pragma unroll
        for (int k = 0; k < at_once; ++k) E::raise(top, held_[k]);
        const float highest = own ? fmaxf(value_, E::highest(top)) : E::highest(top);
        F::rescale(s, fmaxf(s.top, F::scaled(highest)));
      }
      float sum[4] = {s.sum, own ? F::term(value_, s.top) : 0.f};
      for_pieces([&](int, const float (&x)[N]) {
#pragma unroll
        for (int e = 0; e < N; ++e) sum[e % 4] += F::term(x[e], s.top);
      });
      s.sum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      own   = false;
    });
    return s;
  }

  // Writes all to the same places of `to`, and may read what it does not hold from `from` again. `weight` has the same places.
  template <class R> __device__ void write(const T* from, T* to, const R& result, const T* weight) {
    if (end_ >= 0) E::store(to + end_, result(value_, R::weighted ? E::load(weight + end_) : 0.f));
    each([&](int first) {
      if constexpr (!Held) fetch(from, first);
      for_pieces([&](int k, const float (&x)[N]) {
        const int i = first + k * threads_;
        float     w[N], y[N];
        if constexpr (R::weighted) load_weights(weight, i, w);
#pragma unroll
        for (int e = 0; e < N; ++e) y[e] = result(x[e], R::weighted ? w[e] : 0.f);
        if (i < pieces_) reinterpret_cast<uint4*>(to)[first_ + i] = E::pack(y);
      });
    });
  }

private:
  template <class Visit> __device__ void each(Visit visit) {
    if constexpr (Held) visit(rank_);
    else
      for (int first = rank_; first == rank_ || first < pieces_; first += at_once * threads_) visit(first);
  }

  __device__ void fetch(const T* from, int first) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int i = first + k * threads_;
      held_[k]    = E::all_of(F::outside);
      if (i < pieces_) held_[k] = reinterpret_cast<const uint4*>(from)[first_ + i];
    }
  }

  // Where a row does not begin at a multiple of 16 bytes the weights do not lie as it does.
  __device__ void load_weights(const T* weight, int i, float (&w)[N]) const {
    const T* const at = weight + (first_ + i) * N;
    if (i < pieces_ && reinterpret_cast<unsigned long long>(at) % 16 == 0) {
      E::unpack(__ldg(reinterpret_cast<const uint4*>(at)), w);
    } else {
#pragma unroll
      for (int e = 0; e < N; ++e) w[e] = i < pieces_ ? E::load(at + e) : 0.f;
    }
  }

  // What is held, as floats. The compiler is kept from holding these, twice as many registers, from one use to the next.
  template <class Visit> __device__ void for_pieces(Visit visit) {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      asm volatile("" : "+r"(held_[k].x), "+r"(held_[k].y), "+r"(held_[k].z), "+r"(held_[k].w));
      float x[N];
      E::unpack(held_[k], x);
      visit(k, x);
    }
  }

  int   rank_, threads_, first_, pieces_;
  int   end_;    // the element of an end, -1 for none
  float value_;  // it
  uint4 held_[at_once];
};

}  // namespace rows

// One-dimensional copies: of a size known when compiling, and of any length from and to any pointer.
#include <tma/tma.hpp>

#include "raw.hpp"

struct alignas(128) RawShared {
  float              buffer[1024];
  unsigned long long barrier;
};

// --- static size: one instruction ---

extern "C" __global__ void tma_bulk_load(tma::AlignedPointer<const float> in, float* out) {
  struct Shared {
    tma::Buffer<float, 1024> buffer;
    tma::LoadBarrier         barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D<1024> copy;
  if (auto issuer = block.elect()) copy.load(issuer, buffer, in, arrived);
  arrived.wait();
  out[block.rank()] = buffer[block.rank()];
}

extern "C" __global__ void raw_bulk_load(const float* in, float* out) {
  __shared__ RawShared s;
  const unsigned       rank    = raw::start(&s.barrier);
  const int            threads = int(raw::block_threads());
  if (raw::elect_sync() & (rank < 32)) {
    raw::bulk_load(s.buffer, in, 4096, &s.barrier);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  out[int(rank)] = s.buffer[int(rank)];
}

extern "C" __global__ void tma_bulk_store(const float* in, tma::AlignedPointer<float> out) {
  auto& buffer                = tma::shared<tma::Buffer<float, 1024>>();
  auto  block                 = tma::this_block();
  buffer[block.rank()]        = in[block.rank()];
  auto                  ready = block.publish(buffer);
  tma::BulkCopy1D<1024> copy;
  if (auto issuer = block.elect()) copy.store(issuer, out, ready).wait_visible();
}

extern "C" __global__ void raw_bulk_store(const float* in, float* out) {
  __shared__ alignas(128) float buffer[1024];
  const unsigned                rank = raw::thread_rank();
  buffer[int(rank)]                  = in[int(rank)];
  raw::fence_async_shared();
  __syncthreads();
  const int threads = int(raw::block_threads());
  if (raw::elect_sync() & (rank < 32)) {
    raw::bulk_store(out, buffer, 4096);
    raw::commit_group();
    raw::wait_group<0>();
  }
}

// The i-th chunk of an array.
extern "C" __global__ void tma_bulk_chunk(tma::AlignedPointer<const float> in, tma::AlignedPointer<float> out) {
  struct Shared {
    tma::Buffer<float, 1024> buffer;
    tma::LoadBarrier         barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<1024>(blockIdx.x), buffer, arrived);
  arrived.wait();
  for (float& x : block.elements(buffer)) x *= 2;
  auto ready = block.publish(buffer);
  if (auto issuer = block.elect()) issuer.store(out.chunk<1024>(blockIdx.x), ready);
}

extern "C" __global__ void raw_bulk_chunk(const float* in, float* out) {
  __shared__ RawShared s;
  const unsigned       rank    = raw::start(&s.barrier);
  const int            threads = int(raw::block_threads());
  if (raw::elect_sync() & (rank < 32)) {
    raw::bulk_load(s.buffer, in + (long long)(blockIdx.x) * 1024, 4096, &s.barrier);
    raw::arrive_expect_tx(&s.barrier, 4096);
  }
  raw::wait(&s.barrier, 0);
  for (int i = int(rank); i < 1024; i += threads) s.buffer[i] *= 2;
  raw::fence_async_shared();
  __syncthreads();
  if (raw::elect_sync() & (rank < 32)) {
    raw::bulk_store(out + (long long)(blockIdx.x) * 1024, s.buffer, 4096);
    raw::commit_group();
    raw::wait_group_read<0>();
  }
}

// --- any pointer, any length: the aligned body by the engine, its ends by one warp ---

// A range of bytes of global memory, cut at the 16-byte boundaries inside it.
struct RawCut {
  unsigned shift, head, body, tail;
};

__device__ __forceinline__ RawCut raw_cut(const float* pointer, int count) {
  RawCut         c;
  const unsigned bytes = unsigned(count) * 4;
  c.shift              = unsigned((unsigned long long)(pointer)) & 15;
  c.head               = (16 - c.shift) & 15;
  if (c.head > bytes) c.head = bytes;
  c.body = (bytes - c.head) & ~15u;
  c.tail = bytes - c.head - c.body;
  return c;
}

// The calling thread among those of its block.
struct RawThread {
  int rank, block;
};

// The words before and after the body: at most three on either side.
__device__ __forceinline__ void raw_ends(const RawCut& c, unsigned char* to, const unsigned char* from,
                                         const RawThread& me) {
  const unsigned heads = c.head / 4;
  const unsigned lanes = me.block < 32 ? me.block : 32;
  for (unsigned i = me.rank; i < heads + c.tail / 4; i += lanes) {
    const unsigned at                     = i < heads ? i * 4 : c.head + c.body + (i - heads) * 4;
    *reinterpret_cast<unsigned*>(to + at) = *reinterpret_cast<const unsigned*>(from + at);
  }
}

extern "C" __global__ void tma_any_load(const float* in, int count, float* out) {
  struct Shared {
    tma::RaggedBuffer<float, 1024> buffer;
    tma::LoadBarrier               barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, buffer, in, count, arrived);
  arrived.wait();
  out[block.rank()] = data[block.rank()];
}

struct alignas(128) RawRagged {
  unsigned char bytes[4096 + 16];
};
struct RawRaggedShared {
  RawRagged          buffer;
  unsigned long long barrier;
};

// Loads `count` floats and waits for them. Returns where the first of them lies.
__device__ __forceinline__ unsigned char* raw_any(RawRaggedShared& s, const float* in, int count, const RawThread& me) {
  const auto     cut   = raw_cut(in, count);
  unsigned char* first = s.buffer.bytes + cut.shift;
  auto*          bytes = reinterpret_cast<const unsigned char*>(in);
  if (me.rank < 32) {
    raw_ends(cut, first, bytes, me);
    __syncwarp();
    if (raw::elect_sync()) {
      if (cut.body > 0) raw::bulk_load(first + cut.head, bytes + cut.head, cut.body, &s.barrier);
      raw::arrive_expect_tx(&s.barrier, cut.body);
    }
  }
  raw::wait(&s.barrier, 0);
  return first;
}

extern "C" __global__ void raw_any_load(const float* in, int count, float* out) {
  __shared__ RawRaggedShared s;
  const unsigned             rank = raw::start(&s.barrier);
  const RawThread            me{int(rank), int(raw::block_threads())};
  unsigned char*             first = raw_any(s, in, count, me);
  out[int(rank)]                   = reinterpret_cast<const float*>(first)[int(rank)];
}

extern "C" __global__ void tma_any_scale(const float* in, float* out, int count) {
  struct Shared {
    tma::RaggedBuffer<float, 1024> buffer;
    tma::LoadBarrier               barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, buffer, in, count, arrived);
  arrived.wait();
  for (float& x : block.elements(data)) x *= 2;
  auto ready = block.publish(data);
  copy.store(block, out, ready).wait_source_free();
}

extern "C" __global__ void raw_any_scale(const float* in, float* out, int count) {
  __shared__ RawRaggedShared s;
  const unsigned             rank = raw::start(&s.barrier);
  const RawThread            me{int(rank), int(raw::block_threads())};
  unsigned char*             first = raw_any(s, in, count, me);
  auto*                      data  = reinterpret_cast<float*>(first);
  for (int i = int(rank); i < count; i += me.block) data[i] *= 2;
  raw::fence_async_shared();
  __syncthreads();

  const auto to       = raw_cut(out, count);
  auto*      to_bytes = reinterpret_cast<unsigned char*>(out);
  const bool issuer   = raw::elect_sync() & (rank < 32);
  if ((raw::smem(first) & 15) == to.shift) {
    if (int(rank) < 32) raw_ends(to, to_bytes, first, me);
    if (issuer && to.body > 0) {
      raw::bulk_store(to_bytes + to.head, first + to.head, to.body);
      raw::commit_group();
    }
  } else {
    for (int i = int(rank); i < count; i += me.block) out[i] = data[i];
  }
  if (issuer) raw::wait_group_read<0>();
}

// Loads by threads: what a pipeline's producers do in the copy engine's place. Included where a pipeline has
// `tma::ThreadLoads`, or loads a `ByThreads` part through a descriptor.
#pragma once

#include "../core/prologue.hpp"

#include "../core/aligned_chunk.hpp"
#include "../core/buffer.hpp"
#include "../core/thread_descriptor.hpp"
#include "../core/transfer.hpp"
#include "../device/barrier_forms.hpp"
#include "../device/thread_copies.hpp"

namespace tma::inline TMA_ABI::detail {

// The tile `T`s of `descriptor` at `at`, row by row.
template <class T, int Rank, class TileT> struct ThreadSource {
  const ThreadDescriptor<const T, Rank, TileT>& descriptor;
  const Coord<Rank>&                            at;

  // A row of the tile. `offset`, from the base, means nothing where the row lies outside the tensor.
  struct Row {
    bool inside;
    i64  offset;
  };
  TMA_DEVICE Row row(u32 i) const {
    Row r{true, 0};
    if constexpr (Rank > 1) step<Rank - 2>(i, r);
    return r;
  }
  template <int D> TMA_DEVICE void step(u32 i, Row& r) const {
    constexpr u32 extent = u32(TileT::shape::extents[D]);
    const u32     index  = u32(at[D]) + (D == 0 ? i : i % extent);  // a negative one is above every extent
    r.inside             = r.inside & (index < ThreadDescriptorAccess::extent(descriptor, D));
    r.offset += i64(index) * ThreadDescriptorAccess::stride(descriptor, D);
    if constexpr (D > 0) step<D - 1>(i / extent, r);
  }
  // Of `most` elements, from the `column`-th of the tile's row on, how many lie in the tensor's; and where they begin.
  TMA_DEVICE u32 elements(u32 column, u32 most) const {
    const u32 extent = ThreadDescriptorAccess::extent(descriptor, Rank - 1), index = u32(at[Rank - 1]) + column;
    const u32 left = index < extent ? extent - index : 0;
    return left < most ? left : most;
  }
  // Whether all of the tile lies in the tensor.
  TMA_DEVICE bool                  is_whole() const { return is_whole<Rank - 1>(); }
  template <int D> TMA_DEVICE bool is_whole() const {
    constexpr u32 extent = u32(TileT::shape::extents[D]);
    const u32     all    = ThreadDescriptorAccess::extent(descriptor, D);
    const bool    whole  = (all >= extent) & (u32(at[D]) <= all - extent);
    if constexpr (D > 0) return whole & is_whole<D - 1>();
    else return whole;
  }
  TMA_DEVICE i64 column_offset(u32 column) const { return i64(u32(at[Rank - 1]) + column) * i64(sizeof(T)); }
  TMA_DEVICE const unsigned char* base() const { return ThreadDescriptorAccess::base(descriptor); }

  // Where a byte of a row lies in the tile, whose first byte is a multiple of the swizzle's repeat.
  static TMA_DEVICE u32 place(u32 row, u32 byte) {
    const u32 start = row * u32(TileT::pitch_bytes);
    if constexpr (TileT::swizzle == Swizzle::bytes_96) return swizzle_address(TileT::swizzle, start + byte);
    else return start + (byte ^ swizzle_mask(TileT::swizzle, row));
  }
};

// A thread's share of a tile's pieces, `Pieces` to a row: neighbouring threads have neighbouring pieces. Row and column are
// carried along: where the compiler knows the group's size and whole rows are stepped over, the column is the same in all steps,
// and what depends on it is computed once.
template <u32 Pieces, u32 Rows, class Visit> TMA_DEVICE void for_each_piece(u32 rank, u32 threads, Visit visit) {
  const u32 rows = threads / Pieces, columns = threads % Pieces;
  u32       row = rank / Pieces, column = rank % Pieces;
#pragma unroll 4
  for (u32 done = 0; done < Rows * Pieces; done += threads) {
    if (Rows * Pieces % threads == 0 || row < Rows) visit(row, column);
    row += rows;
    column += columns;
    if (columns != 0 && column >= Pieces) {  // the first is known where the group's size is
      column -= Pieces;
      ++row;
    }
  }
}

// What is read and written as an integer of so many bytes, whatever its type.
template <int Bytes> struct PlainBytes {
  using type = unsigned char;
};
template <> struct PlainBytes<2> {
  typedef u16 __attribute__((may_alias)) type;
};
template <> struct PlainBytes<4> {
  typedef u32 __attribute__((may_alias)) type;
};

// A group's loads of elements `T`: the bytes that the engine's load would leave, whatever the coordinates. Padding between rows
// is not written.
//
// All `threads` threads call, each with its rank. Nothing waits. True where the calling thread may have issued cp.async, which
// a barrier has to be told of (ptx::cp_async_mbarrier_arrive); what is plainly written is ordered by an ordinary arrival.
template <class T> struct ThreadLoad {
  // Pieces are as wide as base, strides and the innermost coordinate together allow. None of them then begins before the
  // tensor and ends in it: only the end of a row cuts one.
  template <int Rank, class TileT>
  static TMA_DEVICE bool tile(u32 rank, u32 threads, const ThreadDescriptor<const T, Rank, TileT>& from,
                              const Coord<Rank>& at, TileT& to) {
    const ThreadSource<T, Rank, TileT> source{from, at};
    if constexpr (element_type<T> == ElementType::tf32 || element_type<T> == ElementType::tf32_ftz) {
      by_words<4>(rank, threads, source, to);  // rounded on its way
      return false;
    } else {
      const u32 low = u32(from.granule()) | u32(at[Rank - 1]) * u32(sizeof(T));  // its lowest bit says how wide
      if (widest<TileT> == 16 && low % 16 == 0) by_copies<widest<TileT>>(rank, threads, source, to);
      else if (sizeof(T) == 8 || low % 8 == 0) by_copies<8>(rank, threads, source, to);
      else if constexpr (sizeof(T) < 8) {
        if (sizeof(T) == 4 || low % 4 == 0) by_copies<4>(rank, threads, source, to);
        else if constexpr (sizeof(T) < 4) {
          if (sizeof(T) == 2 || low % 2 == 0) by_words<2>(rank, threads, source, to);
          else if constexpr (sizeof(T) == 1) by_words<1>(rank, threads, source, to);
          return false;
        }
      }
      return true;
    }
  }

  // The same of a chunk, which always begins at a multiple of 16.
  template <int Count>
  static TMA_DEVICE bool chunk(u32 rank, u32 threads, const AlignedChunk<T, Count>& from,
                               Buffer<remove_cv_t<T>, Count>& to) {
    const auto* source      = reinterpret_cast<const unsigned char*>(from.get());
    const u32   destination = ptx::shared_address(&to);
#pragma unroll 8
    for (u32 i = rank * 16; i < u32(AlignedChunk<T, Count>::payload_bytes); i += threads * 16)
      ptx::cp_async<16>(destination + i, source + i, 16);
    return true;
  }

private:
  // What moves undivided in a tile: a swizzle that flips halves leaves 8 bytes whole.
  template <class TileT> static constexpr int widest = TileT::swizzle == Swizzle::bytes_128_atom_32_flip_8 ? 8 : 16;

  // Where the tensor's rows are whole pieces, none is cut, and the loop does not ask.
  template <int Bytes, int Rank, class TileT>
  static TMA_DEVICE void by_copies(u32 rank, u32 threads, const ThreadSource<T, Rank, TileT>& source, TileT& to) {
    constexpr u32 elements = u32(Bytes) / u32(sizeof(T));
    if (Bytes == widest<TileT> && source.is_whole()) whole<Bytes>(rank, threads, source, to);
    else if (elements == 1 || ThreadDescriptorAccess::extent(source.descriptor, Rank - 1) % elements == 0)
      copies<Bytes, false>(rank, threads, source, to);
    else copies<Bytes, true>(rank, threads, source, to);
  }
  // A tile that lies in the tensor: nothing is asked of a piece. Of a matrix, a thread's pieces are a fixed way apart where all
  // have the same column: an addition each, which is what a warp that does nothing else is bounded by.
  template <int Bytes, int Rank, class TileT>
  static TMA_DEVICE void whole(u32 rank, u32 threads, const ThreadSource<T, Rank, TileT>& source, TileT& to) {
    constexpr u32        pieces = u32(TileT::row_bytes / Bytes), all = u32(TileT::rows);
    const u32            shared = ptx::shared_address(to.storage());
    const unsigned char* base   = source.base();
    if (Rank == 2 && threads % pieces == 0) {
      const u32            first = rank / pieces, byte = rank % pieces * u32(Bytes), apart = threads / pieces;
      const i64            step = ThreadDescriptorAccess::stride(source.descriptor, 0) * apart;
      const unsigned char* from = base + source.row(first).offset + source.column_offset(byte / u32(sizeof(T)));
#pragma unroll 8
      for (u32 i = 0; i < all; i += apart) {
        if (all % apart == 0 || first + i < all) ptx::cp_async<Bytes>(shared + source.place(first + i, byte), from, Bytes);
        from += step;
      }
    } else {
      for_each_piece<pieces, all>(rank, threads, [&](u32 i, u32 piece) {
        ptx::cp_async<Bytes>(shared + source.place(i, piece * u32(Bytes)),
                             base + source.row(i).offset + source.column_offset(piece * u32(Bytes / sizeof(T))), Bytes);
      });
    }
  }
  template <int Bytes, bool Cuts, int Rank, class TileT>
  static TMA_DEVICE void copies(u32 rank, u32 threads, const ThreadSource<T, Rank, TileT>& source, TileT& to) {
    constexpr u32 elements = u32(Bytes) / u32(sizeof(T));
    auto* const   tile     = static_cast<unsigned char*>(to.storage());
    const u32     shared   = ptx::shared_address(tile);
    for_each_piece<u32(TileT::row_bytes / Bytes), u32(TileT::rows)>(rank, threads, [&](u32 i, u32 piece) {
      const u32  column = piece * elements, inside = source.elements(column, elements);
      const auto row   = source.row(i);
      const u32  place = source.place(i, piece * u32(Bytes));
      const bool any   = row.inside & (inside != 0);
      // Outside nothing is read, and the address is one that could be.
      const unsigned char* from = source.base() + (any ? row.offset + source.column_offset(column) : 0);
      if (Cuts && any && inside < elements) cut<Bytes>(tile + place, from, inside * u32(sizeof(T)));
      else ptx::cp_async<Bytes>(shared + place, from, any ? u32(Bytes) : 0);
    });
  }

  // The piece that the end of a row cuts: `bytes` of it are the tensor's, and zeros follow. cp.async has a form for this, of
  // which memory checkers say that it reads the piece to its end.
  template <int Bytes> static TMA_DEVICE void cut(unsigned char* to, const unsigned char* from, u32 bytes) {
    constexpr u32 step = sizeof(T) == 8 ? 8 : 4;
    for (u32 k = 0; k < u32(Bytes); k += step) {
      const u32 left = k < bytes ? bytes - k : 0;
      if (left >= step || left == 0) {
        ptx::cp_async<step>(ptx::shared_address(to + k), from + (left ? k : 0), left ? step : 0);
      } else if constexpr (step == 4) {
        u32 word = 0;
        for (u32 b = 0; b < left; ++b) word |= u32(from[k + b]) << 8 * b;
        *reinterpret_cast<typename PlainBytes<4>::type*>(to + k) = word;
      }
    }
  }

  // Four bytes of the tile at once, of parts of `Bytes`: what cp.async cannot move.
  template <int Bytes, int Rank, class TileT>
  static TMA_DEVICE void by_words(u32 rank, u32 threads, const ThreadSource<T, Rank, TileT>& source, TileT& to) {
    constexpr u32 parts = 4 / Bytes, elements = u32(Bytes) / u32(sizeof(T));
    auto* const   tile = static_cast<unsigned char*>(to.storage());
    for_each_piece<u32(TileT::row_bytes / 4), u32(TileT::rows)>(rank, threads, [&](u32 i, u32 piece) {
      const auto row  = source.row(i);
      u32        word = 0;
      for (u32 k = 0; k < parts; ++k) {
        const u32 column = (piece * parts + k) * elements;
        const u32 inside = row.inside ? source.elements(column, elements) : 0;
        if (inside == 0) continue;
        const unsigned char* from = source.base() + (row.offset + source.column_offset(column));
        // Of two bytes the tensor may end after the first.
        word |= u32(inside == elements ? *reinterpret_cast<const typename PlainBytes<Bytes>::type*>(from) : *from)
                << 8 * Bytes * k;
      }
      if constexpr (Bytes == 4) word = round_to_tf32(word);
      *reinterpret_cast<typename PlainBytes<4>::type*>(tile + source.place(i, piece * 4)) = word;
    });
  }
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"

#pragma once

#include "prologue.hpp"

#include "box_kind.hpp"
#include "config.hpp"
#include "element.hpp"
#include "meta.hpp"
#include "tile.hpp"

namespace tma::inline TMA_ABI {

template <class T, int Rank, class TileT = void> class TmaDescriptor;

namespace detail {

// What the tensor of a descriptor has in common with its box.
template <class T, int Rank, class Box> TMA_HOST_DEVICE constexpr bool check_tensor() {
  using Kind = BoxKind<Box>;
  static_assert(Kind::known, "tma::TmaDescriptor: the third argument is a tma::Tile: tma::TmaDescriptor<float, 2, "
                             "Tile>. Leave it out where the box is known at run time only");
  if constexpr (Kind::known) {
    static_assert(Kind::check());
    using TileT = typename Kind::tile_type;
    static_assert(is_same_v<T, typename TileT::value_type>,
                  "tma::TmaDescriptor: tensor and tile have the same element type. tf32 and ftz are asked for by viewing "
                  "the tensor as tma::tf32 or tma::f32_ftz");
    static_assert(Kind::traversal != Traversal::tiled || Rank == TileT::rank,
                  "tma::TmaDescriptor: tensor and tile have the same rank. Give the tile an extent "
                  "of 1 where it is one element thick");
    static_assert(Kind::traversal != Traversal::rows4 || Rank == 2,
                  "tma::TmaDescriptor: four rows are gathered from, or scattered to, a tensor of rank 2. View the outer "
                  "dimensions as one");
    static_assert(Kind::traversal < Traversal::im2col || (Rank >= Kind::lowest_rank && Rank <= Kind::highest_rank),
                  "tma::TmaDescriptor: an im2col tensor has rank 3 to 5: [n][w][c], [n][h][w][c] or [n][d][h][w][c]");
  }
  return true;
}

struct DescriptorAccess;  // the host room writes maps through it, the device room reads them

// The 128 opaque bytes of a tensor map.
//
// 64-byte aligned, as the driver asks: CUDA 13 declares its own type with 128, which some host compilers refuse
// for a by-value parameter, and 12 with 64, so that a struct that holds one would change its layout with the toolkit.
struct alignas(64) TensorMap {
  u64 opaque[16];
};

struct a_descriptor_is_not_copied_in_device_code__take_it_as_const___grid_constant___and_pass_it_on_by_const_reference {};

// In device code a descriptor has no copy: a copy lies in local memory, where the engine cannot read it. There the
// copy constructor is a host function, and its second parameter is what the compiler prints; an assignment takes its
// argument by value, so that it is the copy that is refused. On the host both are the trivial ones.
#if defined(__CUDACC_RTC__)
// NVRTC has no host functions.
#  define TMA_DETAIL_HOST_COPY_ONLY(Class)   \
    Class(const Class&)            = delete; \
    Class& operator=(const Class&) = delete;
#elif defined(__CUDA_ARCH__)
#  define TMA_DETAIL_HOST_COPY_ONLY(Class)                                                                                    \
    __host__ Class(                                                                                                           \
        const Class&,                                                                                                         \
        ::tma::detail::                                                                                                       \
            a_descriptor_is_not_copied_in_device_code__take_it_as_const___grid_constant___and_pass_it_on_by_const_reference = \
                {});                                                                                                          \
    __host__ __device__ Class& operator=(Class);
#else
#  define TMA_DETAIL_HOST_COPY_ONLY(Class)
#endif

}  // namespace detail

/// A tensor in global memory as the copy engine sees it, cut into tiles of one type.
///
/// Made once on the host by `tma::make_descriptor`, passed to the kernel by value, as
/// `const __grid_constant__ tma::TmaDescriptor<T, Rank, Tile>`. The type remembers element, rank, box and swizzle,
/// so that a copy with another tile does not compile. 128 bytes, 64-byte aligned, trivially copyable on the host;
/// not copyable in device code.
///
/// In the tile's place may stand another kind of box: `Im2col<Tile>`, `Im2colW<Tile>`, `Im2colW128<Tile>` (core/im2col.hpp)
/// or `Rows4<Tile>` (core/gather.hpp). `box_type` is what stands there, `tile_type` the tile in shared memory.
///
/// `TmaDescriptor<T, Rank>`, without a tile, is the form whose box is known at run time only. Copies through it take
/// a tile that has room, the box's swizzle and its inner extents, which a checked build looks at; a tile of another rank, or of
/// one row, is room for any box, whose elements lie there in C order. How many bytes a copy moves is kept beside the map, so
/// that barriers still arm themselves. 192 bytes.
///
/// A descriptor of `const T` can only be loaded from. One of `T` is one of `const T` as well.
template <class T, int Rank, class TileT> class TmaDescriptor : public TmaDescriptor<const T, Rank, TileT> {
public:
  using value_type = T;

  /// Empty; using it is an illegal instruction. `make_descriptor` returns a real one.
  TmaDescriptor() = default;
  TMA_DETAIL_HOST_COPY_ONLY(TmaDescriptor)
};

template <class T, int Rank, class TileT> class TmaDescriptor<const T, Rank, TileT> {
public:
  using value_type = const T;
  using box_type   = TileT;
  using tile_type  = detail::box_tile_t<TileT>;

  static constexpr int rank = Rank;

  static_assert(detail::check_tensor<T, Rank, TileT>());

  TmaDescriptor() = default;
  TMA_DETAIL_HOST_COPY_ONLY(TmaDescriptor)

private:
  friend struct detail::DescriptorAccess;
  detail::TensorMap map_;
};

template <class T, int Rank> class TmaDescriptor<const T, Rank, void> {
public:
  using value_type = const T;
  using tile_type  = void;

  static constexpr int         rank = Rank;
  static constexpr ElementType type = element_type<T>;

  static_assert(int(type) >= 0);  // asks for the element type, which refuses what the engine has none for
  static_assert(!is_packed(type),
                "tma::TmaDescriptor: packed elements come in tiles that are known when compiling: name the "
                "tile");
  static_assert(Rank >= 1 && Rank <= 5, "tma::TmaDescriptor: a tensor map has rank 1 to 5");

  TmaDescriptor() = default;
  TMA_DETAIL_HOST_COPY_ONLY(TmaDescriptor)

  /// Bytes that one copy moves.
  TMA_HOST_DEVICE int payload_bytes() const { return payload_bytes_; }
  /// Bytes of shared memory that one copy occupies.
  TMA_HOST_DEVICE int footprint_bytes() const { return footprint_bytes_; }
  /// The box in shared memory, slowest dimension first.
  TMA_HOST_DEVICE int     box(int dimension) const { return box_[dimension]; }
  TMA_HOST_DEVICE Swizzle swizzle() const { return Swizzle(swizzle_); }

private:
  friend struct detail::DescriptorAccess;
  detail::TensorMap map_;
  int               payload_bytes_;
  int               footprint_bytes_;
  short             box_[5];
  short             swizzle_;
};

#undef TMA_DETAIL_HOST_COPY_ONLY

namespace detail {

struct DescriptorAccess {
  template <class T, int R, class Tile>
  static TMA_HOST_DEVICE const TensorMap& map(const TmaDescriptor<const T, R, Tile>& d) {
    return d.map_;
  }
  template <class T, int R, class Tile> static TMA_HOST_DEVICE TensorMap& map(TmaDescriptor<const T, R, Tile>& d) {
    return d.map_;
  }
  template <class T, int R>
  static TMA_HOST_DEVICE void set_box(TmaDescriptor<const T, R, void>& d, const int* box, int payload, int footprint,
                                      Swizzle swizzle) {
    d.payload_bytes_   = payload;
    d.footprint_bytes_ = footprint;
    d.swizzle_         = short(swizzle);
    for (int i = 0; i < 5; ++i) d.box_[i] = i < R ? short(box[i]) : short(1);
  }
};

}  // namespace detail

/// The 128 bytes of the tensor map, for code that speaks to the driver or to another library.
template <class T, int R, class Tile> TMA_HOST_DEVICE const void* tensor_map(const TmaDescriptor<const T, R, Tile>& d) {
  return &detail::DescriptorAccess::map(d);
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"

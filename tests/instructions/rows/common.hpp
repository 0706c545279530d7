// What the rows share: the shapes of the things that are copied.
#pragma once

#include <tma/all.hpp>

template <int Rank> struct ShapeOfRank;
template <> struct ShapeOfRank<1> {
  using type = tma::Shape<32>;
};
template <> struct ShapeOfRank<2> {
  using type = tma::Shape<8, 32>;
};
template <> struct ShapeOfRank<3> {
  using type = tma::Shape<2, 4, 32>;
};
template <> struct ShapeOfRank<4> {
  using type = tma::Shape<2, 2, 2, 32>;
};
template <> struct ShapeOfRank<5> {
  using type = tma::Shape<2, 2, 2, 2, 32>;
};

template <class T, int Rank> using TileOf = tma::Tile<T, typename ShapeOfRank<Rank>::type>;
template <class T, int Rank> using MapOf  = tma::TmaDescriptor<T, Rank, TileOf<T, Rank>>;

template <class T> struct Maps {
  MapOf<T, 1> r1;
  MapOf<T, 2> r2;
  MapOf<T, 3> r3;
  MapOf<T, 4> r4;
  MapOf<T, 5> r5;
};

template <class T> struct SharedOf {
  TileOf<T, 1>       t1;
  TileOf<T, 2>       t2;
  TileOf<T, 3>       t3;
  TileOf<T, 4>       t4;
  TileOf<T, 5>       t5;
  tma::Buffer<T, 64> buffer;
  tma::LoadBarrier   barrier;
};
using Shared = SharedOf<float>;

// `f(descriptor, place, tile)` for each rank.
template <class T, class F> __device__ void each_rank(const Maps<T>& maps, SharedOf<T>& shared, F&& f) {
  f(maps.r1, tma::Coord<1>{0}, shared.t1);
  f(maps.r2, tma::Coord<2>{0, 0}, shared.t2);
  f(maps.r3, tma::Coord<3>{0, 0, 0}, shared.t3);
  f(maps.r4, tma::Coord<4>{0, 0, 0, 0}, shared.t4);
  f(maps.r5, tma::Coord<5>{0, 0, 0, 0, 0}, shared.t5);
}

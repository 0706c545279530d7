// The shapes that a pipeline can have, each with the checks, cases and delays of the matrix: several producers, threads that
// write parts of a stage, values beside tiles, groups of consumers that share the stages, take turns, or leave; stages that
// are held by name.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <tma/device/barrier_forms.hpp>
#include <tma/device/register_budget.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/turns.hpp>

#include "pipeline_matrix.hpp"

namespace shapes {

using namespace matrix;

using Two   = Parts_<Wide, Line>;
using Three = Parts_<Wide, Line, Bytes>;

#define SHAPE(name, ...)                                                                  \
  template <int Stages>                                                                   \
  __global__ __VA_ARGS__ void name([[maybe_unused]] const __grid_constant__ WideMap wide, \
                                   [[maybe_unused]] const __grid_constant__ ThinMap thin, const Arguments a)

// The steps of one producer.
template <class Parts, class Producer>
TMA_DEVICE void produce(Producer& producer, const WideMap& wide, const ThinMap& thin, const Arguments& a, int only = -1) {
#pragma unroll 1
  for (int g = 0; g < a.c.all_steps(); ++g) {
    delay(a.c, Role::producer, g);
    producer.next([&](const auto& stage) { load_step(Parts(), stage, wide, thin, a, g, only); });
  }
}

// The steps of a consumer, all of them.
template <int Stages, class Parts, class Consumer> TMA_DEVICE void consume(Consumer& consumer, const Arguments& a) {
  Checker<Stages, Parts> check(a, consumer.rank(), consumer.size(), consumer.group() == 0);
#pragma unroll 1
  for (int g = 0; g < a.c.all_steps(); ++g) consumer.next(check);
  check.end();
}

// Each of two producers loads a part of the stage.
SHAPE(two_producers) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producers<2>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a, producer.index()); }, tma::consumer_warps<2>,
      [&](auto& consumer) { consume<Stages, Two>(consumer, a); });
}

// Two warps fill a stage together: one thread of theirs asks the engine, all of them write, and some copy by cp.async.
template <class Stage>
TMA_DEVICE void fill_mixed(const Stage& stage, const WideMap& wide, const Arguments& a, int g, int rank, int size) {
  const int tile = a.c.tile(a.cluster(), g);
  if (a.c.loads(0, g)) stage.load(wide, {tile * 4, 0});
  if (a.c.loads(1, g))
    for (int k = rank; k < Line::size; k += size) stage[tma::slot<1>][k] = a.line.get()[tile * Line::size + k];
  if (a.c.loads(2, g) && rank < 3) {
    __pipeline_memcpy_async(&stage[tma::slot<2>][rank * 16], a.bytes.get() + tile * 48 + rank * 16, 16);
    stage.wait_also_for_cp_async();
  }
}
template <int Stages> using Mixed = tma::Pipeline<Stages, Wide, tma::ByThreads<Line>, tma::ByThreads<Bytes>>;

SHAPE(written_by_warps) {
  tma::specialize(
      tma::shared<typename Mixed<Stages>::Shared>(), tma::producer_warps<2>,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) { fill_mixed(stage, wide, a, g, producer.rank(), producer.size()); });
        }
      },
      tma::consumer_warps<3>, [&](auto& consumer) { consume<Stages, Three>(consumer, a); });
}

// The same by one thread.
SHAPE(written_by_one) {
  tma::specialize(
      tma::shared<typename Mixed<Stages>::Shared>(), tma::producer_warp<1>,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) {
            fill_mixed(stage, wide, a, g, 0, 1);
            // The rest of what three threads would have copied.
            const int tile = a.c.tile(a.cluster(), g);
            if (a.c.loads(2, g))
              for (int k = 16; k < 48; ++k) stage[tma::slot<2>][k] = a.bytes.get()[tile * 48 + k];
          });
        }
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consume<Stages, Three>(consumer, a); });
}

// The same by all threads, who also use it.
SHAPE(written_by_all) {
  tma::Pipeline<Stages, Wide, tma::ByThreads<Line>, tma::ByThreads<Bytes>> pipe(
      tma::shared<typename Mixed<Stages>::Shared>());
  Checker<Stages, Three> check(a, int(threadIdx.x), int(blockDim.x));
  int                    before = 0;
#pragma unroll 1
  for (int l = 0; l < a.c.loops; ++l) {
    pipe.for_each(
        a.c.trips(l),
        [&](const auto& stage, int i) {
          delay(a.c, Role::producer, before + i);
          fill_mixed(stage, wide, a, before + i, int(threadIdx.x), int(blockDim.x));
        },
        check);
    before += a.c.trips(l);
  }
  check.end();
}

// How many of the steps a run takes that ends early.
TMA_HOST_DEVICE int early_end(const Case& c) {
  const int n = c.all_steps();
  return n - n / 3;
}

struct Note {
  int tile, step;
  int last;
};

// Each stage says which tile it is, and whether it is the last: the consumers know no number of steps.
SHAPE(values) {
  using Pipe = tma::Pipeline<Stages, Wide, tma::Meta<Note>, Line>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        const int steps = early_end(a.c);
#pragma unroll 1
        for (int g = 0; g <= steps; ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) {
            stage.meta() = Note{a.c.tile(a.cluster(), g), g, g == steps};
            if (g < steps) load_step(Two(), stage, wide, thin, a, g);
          });
        }
      },
      tma::consumer_warps<3>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(a, consumer.rank(), consumer.size());
        bool                 more = true;
        while (more)
          consumer.next([&](const Wide& w, const Note& note, const Line& l) {
            check.is(note.step == check.step() && note.tile == a.c.tile(a.cluster(), note.step));
            more = !note.last;
            if (more) check(w, l);
          });
        check.end();
      });
}

// Values alone, from a warp whose threads all take part.
SHAPE(values_alone) {
  using Pipe = tma::Pipeline<Stages, tma::Meta<Note>, tma::Meta<double>>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warps<1>,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          producer.next([&](const auto& stage) {
            stage.meta(tma::slot<0>) = Note{g * 3, g, 0};
            stage.meta(tma::slot<1>) = g * 0.5;
          });
        }
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        int right = 0;
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g)
          consumer.next([&](const Note& note, const double& half) {
            delay(a.c, Role::consumer, g);
            right += note.tile == g * 3 && note.step == g && half == g * 0.5;
          });
        if (right != a.c.all_steps()) atomicAdd(&a.seen->wrong, 1);
      });
}

// Two groups use every stage, each warp frees it for itself; or one thread of each group does.
SHAPE(groups) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producer_warp<2>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a); }, tma::consumer_groups<2, 2>,
      [&](auto& consumer) { consume<Stages, Two>(consumer, a); });
}
SHAPE(groups_that_meet) {
  tma::specialize(
      tma::named("met", tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>()), tma::producer_warp<0>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a); }, tma::consumer_groups<3, 2, 0, tma::ReleaseBy::group>,
      [&](auto& consumer) { consume<Stages, Two>(consumer, a); });
}

// Group 1 leaves after two thirds of the steps, group 2 before the first.
TMA_HOST_DEVICE int stays(const Case& c, int group) { return group == 0 ? c.all_steps() : group == 1 ? early_end(c) : 0; }

template <int Stages, tma::ReleaseBy By, int Warps>
TMA_DEVICE void leaving_groups(const WideMap& wide, const ThinMap& thin, const Arguments& a) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a); }, tma::consumer_groups<3, Warps, 0, By>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(a, consumer.rank(), consumer.size(), consumer.group() == 0);
        const int            steps = stays(a.c, consumer.group());
#pragma unroll 1
        for (int g = 0; g < steps; ++g) consumer.next(check);
        if (consumer.group() > 0) consumer.leave();
        check.end();
      });
}
SHAPE(groups_leave) { leaving_groups<Stages, tma::ReleaseBy::warp, 2>(wide, thin, a); }
SHAPE(groups_leave_as_one) { leaving_groups<Stages, tma::ReleaseBy::group, 2>(wide, thin, a); }

// Each stage is used by one group: the steps are cut into pieces, which the groups take in turn.
template <int Stages, int Groups, int Warps, tma::ReleaseBy By>
TMA_DEVICE void in_turn(const WideMap& wide, const ThinMap& thin, const Arguments& a) {
  struct Shared {
    typename tma::Pipeline<Stages, Wide, Line>::Shared ring;
    typename tma::Turns<Groups, Warps>::Shared         order;
  };
  auto&                     s = tma::shared<Shared>();
  tma::Turns<Groups, Warps> turns(s.order);
  tma::specialize(
      s.ring, tma::producer_warp<0>, [&](auto& producer) { produce<Two>(producer, wide, thin, a); },
      tma::taking_turns<Groups, Warps, 0, By>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(a, consumer.rank(), consumer.size());
        const int            piece = 1 + a.c.seed % 4, steps = a.c.all_steps();
        int                  turn = 0;
#pragma unroll 1
        for (int g = 0; g < steps; g += piece, turn = turn + 1 == Groups ? 0 : turn + 1) {
          const int n = g + piece < steps ? piece : steps - g;
          if (turn == consumer.group()) {
            turns.take(consumer, [&] {
              for (int i = 0; i < n; ++i) consumer.next(check);
            });
            delay(a.c, Role::consumer, g + 1000);  // results are written beside the others' turns
          } else {
            consumer.skip(n);
            check.skip(n);
          }
        }
        check.end();
      });
}
SHAPE(turns_of_two) { in_turn<Stages, 2, 2, tma::ReleaseBy::warp>(wide, thin, a); }
SHAPE(turns_of_three) { in_turn<Stages, 3, 1, tma::ReleaseBy::group>(wide, thin, a); }

// Stages by name. A consumer keeps each over the next step, where there are stages enough, and asks before it waits.
SHAPE(handles) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producer_warp<1>,
      [&](auto& producer) {
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          delay(a.c, Role::producer, g);
          for (int tries = 0; tries < 3 && !producer.is_free(); ++tries) __nanosleep(100);
          auto stage = producer.acquire();
          load_step(Two(), stage, wide, thin, a, g);
          if (g % 2) stage.commit();
        }
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(a, consumer.rank(), consumer.size());
        auto                 previous = consumer.none();
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) {
          for (int tries = 0; tries < 3 && !consumer.is_ready(); ++tries) __nanosleep(100);
          auto stage = consumer.wait();
          check(stage[tma::slot<0>], stage.template get<1>());
          if constexpr (Stages > 1) previous = static_cast<decltype(previous)&&>(stage);
          else if (g % 2) stage.release();
        }
        check.end();
      });
}

// Two stages open at once, and filled in turns.
SHAPE(two_open) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages + 1, Wide, Line>::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        const int steps = a.c.all_steps();
        int       g     = 0;
#pragma unroll 1
        for (; g + 1 < steps; g += 2) {
          delay(a.c, Role::producer, g);
          auto first = producer.acquire(), second = producer.acquire();
          load_step(Two(), second, wide, thin, a, g + 1, 0);
          load_step(Two(), first, wide, thin, a, g);
          load_step(Two(), second, wide, thin, a, g + 1, 1);
        }
        if (g < steps) producer.next([&](const auto& stage) { load_step(Two(), stage, wide, thin, a, g); });
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consume<Stages + 1, Two>(consumer, a); });
}

// Released before the step is over, sometimes.
SHAPE(early_release) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producer_warp<4>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a); }, tma::consumer_warps<4>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(a, consumer.rank(), consumer.size());
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g)
          consumer.next([&](const Wide& w, const Line& l, auto& stage) {
            check(w, l);
            if (g % 3) stage.release();
            delay(a.c, Role::consumer, g);
          });
        check.end();
      });
}

// Some of the steps are passed by the consumers as well as by the producer: who plans for more than there is.
SHAPE(skipped) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a); }, tma::consumer_groups<2, 1>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(a, consumer.rank(), consumer.size(), consumer.group() == 0);
        const int            used = early_end(a.c);
#pragma unroll 1
        for (int g = 0; g < used; ++g) consumer.next(check);
        consumer.skip(a.c.all_steps() - used);
        check.end();
      });
}

// Registers move from the producer's warpgroup to the consumers'.
SHAPE(registers, __launch_bounds__(256, 2)) {
  tma::specialize(
      tma::shared<typename tma::Pipeline<Stages, Wide, Line>::Shared>(), tma::producer_warp<0, 40>,
      [&](auto& producer) { produce<Two>(producer, wide, thin, a); }, tma::consumer_warps<4, 216>,
      [&](auto& consumer) { consume<Stages, Two>(consumer, a); });
}

// Three rings one after the other, with other roles: the first warp loads, the last does, and all do both.
SHAPE(one_after_the_other) {
  using Pipe = tma::Pipeline<Stages, Wide, Line>;
  struct Rings {
    typename Pipe::Shared first, second, third;
  };
  auto&     rings = tma::shared<Rings>();
  Arguments once  = a;
  tma::specialize(
      rings.first, tma::producer_warp<0>, [&](auto& producer) { produce<Two>(producer, wide, thin, a); },
      tma::consumer_warps<2>, [&](auto& consumer) { consume<Stages, Two>(consumer, a); });
  once.blocks = 1 << 30;  // what is not written out
  tma::specialize(
      rings.second, tma::producer_warp<2>, [&](auto& producer) { produce<Two>(producer, wide, thin, once); },
      tma::consumer_groups<2, 1>,
      [&](auto& consumer) {
        Checker<Stages, Two> check(once, consumer.rank(), consumer.size(), false);
#pragma unroll 1
        for (int g = 0; g < a.c.all_steps(); ++g) consumer.next(check);
        check.end();
      });
  Pipe                 pipe(rings.third);
  Checker<Stages, Two> check(a, int(threadIdx.x), int(blockDim.x), false);
  pipe.for_each(a.c.all_steps(), [&](const auto& load, int i) { load_step(Two(), load, wide, thin, a, i); }, check);
  check.end();
}

// --- on the host ---------------------------------------------------------------------------------------------------

// In a short run, which many orders on the machine follow, a few cases.
inline std::vector<Case> cases_of(int stages) {
  if (!gpu::small_runs()) return cases(stages);
  return {{stages + 2, 1, 1, 5}, {1, 3, 0, 2}, {0, 1, 0, 1}};
}

inline int twice(const Case&, int) { return 2; }
inline int thrice(const Case&, int) { return 3; }
inline int four_times(const Case&, int) { return 4; }
inline int until_early_end(const Case& c, int g) { return g < early_end(c); }
inline int twice_until_early_end(const Case& c, int g) { return 2 * (g < early_end(c)); }
inline int never(const Case&, int) { return 0; }
inline int by_who_stays(const Case& c, int g) { return (g < stays(c, 0)) + (g < stays(c, 1)) + (g < stays(c, 2)); }

// Calls `visit` with a stage count as std::integral_constant, for each.
template <class Visit> void for_all_stages(Visit visit) {
  visit(std::integral_constant<int, 1>());
  visit(std::integral_constant<int, 2>());
  visit(std::integral_constant<int, 3>());
  if (!gpu::small_runs()) visit(std::integral_constant<int, 4>());
}

}  // namespace shapes

// A shape, in blocks of so many threads. `uses` says how often a step's elements are seen.
#define CHECK_SHAPE(kernel, parts, threads, uses)                                                      \
  shapes::for_all_stages([](auto n) {                                                                  \
    shapes::Sources in;                                                                                \
    shapes::run<parts>(in, shapes::kernel<n()>, {#kernel, n(), threads, shapes::cases_of(n())}, uses); \
  })

#pragma once

#include "../core/prologue.hpp"

#include "../core/role_registers.hpp"
#include "consumer.hpp"
#include "named_barriers.hpp"
#include "producer.hpp"

namespace tma::inline TMA_ABI {

/// Names warp `Warp` of the block as the producer: one elected thread of it. `Registers`, of which the consumers name theirs
/// as well, is what each thread of the producer's warpgroup keeps (setmaxnreg): 24 to 240 in steps of 8.
template <int Warp, int Registers = 0> struct ProducerWarp {};
template <int Warp, int Registers = 0> inline constexpr ProducerWarp<Warp, Registers> producer_warp{};

/// `Count` producers, an elected thread of each of the block's first `Count` warps: `producer.index()` tells which. Each
/// fills its share of every stage, and takes as many steps as the others.
template <int Count, int Registers = 0> struct Producers {};
template <int Count, int Registers = 0> inline constexpr Producers<Count, Registers> producers{};

/// All threads of the block's first `Count` warps, as one producer (`ProducerGroup`): for parts that threads write
/// (`ByThreads`), and for loads by threads. Needs <tma/pipeline/producer_group.hpp>.
template <int Count, int Registers = 0> struct ProducerWarps {};
template <int Count, int Registers = 0> inline constexpr ProducerWarps<Count, Registers> producer_warps{};

/// Names the first `Count` warps of the block that are not the producers' as the consumers. `Registers` as for a producer:
/// what each of their threads takes; they are then whole warpgroups, and begin after the producers' warpgroup.
template <int Count, int Registers = 0> struct ConsumerWarps {};
template <int Count, int Registers = 0> inline constexpr ConsumerWarps<Count, Registers> consumer_warps{};

/// `Groups` groups of `Warps` warps, which all use every stage: `consumer.group()` tells which this is.
template <int Groups, int Warps, int Registers = 0, ReleaseBy By = ReleaseBy::warp> struct ConsumerGroups {};
template <int Groups, int Warps, int Registers = 0, ReleaseBy By = ReleaseBy::warp>
inline constexpr ConsumerGroups<Groups, Warps, Registers, By> consumer_groups{};

/// The same where each stage is used by one group, and the others go past it: `consumer.skip(n)`. For groups that work on
/// tiles of their own (ping-pong). A group waits for stages in its turn alone, which `tma::Turns` gives it: a hardware barrier
/// tells only the current phase from the one before, and without the order a group could take a phase of the others, which it
/// has not seen, for its own.
template <int Groups, int Warps, int Registers = 0, ReleaseBy By = ReleaseBy::warp> struct TakingTurns {};
template <int Groups, int Warps, int Registers = 0, ReleaseBy By = ReleaseBy::warp>
inline constexpr TakingTurns<Groups, Warps, Registers, By> taking_turns{};

namespace detail {

template <class Ring> struct PipelineOf {};
template <class Ring>
  requires requires { typename Ring::pipeline; }
struct PipelineOf<Ring> {
  using pipeline = typename Ring::pipeline;
};
template <class Ring>
  requires requires { typename Ring::in_place_pipeline; }
struct PipelineOf<Ring> {
  using in_place_pipeline = typename Ring::in_place_pipeline;
};

}  // namespace detail

/// A ring's shared memory with the name that checks call its pipeline: `tma::specialize(tma::named("mainloop", ring), ...)`.
template <class Ring> struct Named : detail::PipelineOf<Ring> {
  Ring&       ring;
  const char* name;
};
template <class Ring> TMA_DEVICE Named<Ring> named(const char* name, Ring& ring) { return {{}, ring, name}; }

namespace detail {

template <int Registers> struct RegisterBudget;                                    // device/register_budget.hpp
template <class PipelineT, int Warps, int NamedBarrier> struct MakeProducerGroup;  // producer_group.hpp

// Warps `first` to `first` + `warps` - 1 are the producers'.
template <int First, int Count, int Registers, bool Group> struct ProducerLayout {
  static constexpr bool known = true, group = Group;
  static constexpr int  first = First, warps = Count, registers = Registers;
};
template <class T> struct ProducersOf {
  static constexpr bool known = false;
};
template <int Warp, int R> struct ProducersOf<ProducerWarp<Warp, R>> : ProducerLayout<Warp, 1, R, false> {};
template <int Count, int R> struct ProducersOf<Producers<Count, R>> : ProducerLayout<0, Count, R, false> {};
template <int Count, int R> struct ProducersOf<ProducerWarps<Count, R>> : ProducerLayout<0, Count, R, true> {};

template <class T, int NamedBarrier = 1> struct ConsumersOf {
  static constexpr bool known = false;
};
template <int Count, int R, int NamedBarrier> struct ConsumersOf<ConsumerWarps<Count, R>, NamedBarrier> {
  static constexpr bool known = true;
  using layout                = ConsumerLayout<1, Count, false, ReleaseBy::warp, R, NamedBarrier>;
};
template <int G, int W, int R, ReleaseBy By, int NamedBarrier>
struct ConsumersOf<ConsumerGroups<G, W, R, By>, NamedBarrier> {
  static constexpr bool known = true;
  using layout                = ConsumerLayout<G, W, false, By, R, NamedBarrier>;
};
template <int G, int W, int R, ReleaseBy By, int NamedBarrier> struct ConsumersOf<TakingTurns<G, W, R, By>, NamedBarrier> {
  static constexpr bool known = true;
  using layout                = ConsumerLayout<G, W, true, By, R, NamedBarrier>;
};

}  // namespace detail

/// The type of a role's argument, where a function names it instead of `auto&`: `tma::consumer_of<Pipe, tma::ConsumerWarps<8>>&`.
/// (A producer's is `tma::Producer<Pipe>&`.) NVRTC takes no generic lambda. `FirstNamedBarrier`: what
/// `tma::first_named_barrier` says there.
template <class PipelineT, class ConsumersT, int FirstNamedBarrier = 1>
using consumer_of = Consumer<PipelineT, typename detail::ConsumersOf<ConsumersT, FirstNamedBarrier>::layout>;

namespace detail {

struct PipelineAccess {
  template <class PipelineT>
  static TMA_DEVICE PipelineT make(typename PipelineT::Shared& shared, const char* name, u32 rank, u32 uses, u32 fills) {
    return PipelineT(shared, name, rank, uses, fills);
  }
  template <class PipelineT> static TMA_DEVICE Producer<PipelineT, OneThread> producer(PipelineT& pipeline, int index) {
    return Producer<PipelineT, OneThread>(pipeline, OneThread(), index);
  }
  template <class Group, class PipelineT> static TMA_DEVICE Group group(PipelineT& pipeline, u32 rank, bool leads) {
    return Group(pipeline, rank, leads);
  }
  template <class Layout, class PipelineT>
  static TMA_DEVICE Consumer<PipelineT, Layout> consumer(PipelineT& pipeline, u32 rank, int group) {
    return Consumer<PipelineT, Layout>(pipeline, rank, group);
  }

  template <class Ring> static TMA_DEVICE auto& ring(Ring& ring) {
    if constexpr (requires { ring.ring; }) return ring.ring;
    else return ring;
  }
  template <class Ring> static TMA_DEVICE const char* name(const Ring& ring) {
    if constexpr (requires { ring.name; }) return ring.name;
    else return nullptr;
  }
};

// Registers move between whole warpgroups, all of whose warps say so.
template <bool Grow, int Registers> TMA_DEVICE void move_registers() {
  if constexpr (Registers > 0) {
    static_assert(is_complete_v<RegisterBudget<Registers>>,
                  "tma::specialize: to move registers between the roles #include <tma/device/register_budget.hpp>");
    if constexpr (is_complete_v<RegisterBudget<Registers>>) RegisterBudget<Registers>::template move<Grow>();
  }
}

// What the roles of a block with registers have together, and the warps they are.
template <class P, class Layout> TMA_HOST_DEVICE constexpr RoleRegisters registers_of_roles() {
  if constexpr (Layout::registers == 0) return {};
  else {
    constexpr int consumers = Layout::groups * Layout::warps;
    return {4 + consumers, 32 * (4 * P::registers + consumers * Layout::registers)};
  }
}

// What a thread has at most at the launch of a block of so many threads: an even share of 65536 registers, in steps of 8.
TMA_HOST_DEVICE constexpr int even_share(int threads) {
  const int share = 65536 / threads / 8 * 8;
  return share < 256 ? share : 256;
}

template <class P, class Layout> TMA_HOST_DEVICE constexpr bool check_roles() {
  constexpr int consumers = Layout::groups * Layout::warps;
  static_assert(P::first >= 0 && P::warps >= 1 && P::first + P::warps <= 32 && Layout::groups >= 1 && Layout::warps >= 1 &&
                    consumers + P::warps <= 32,
                "tma::specialize: a block has at most 32 warps: one producer and 1 to 31 consumers, or several "
                "producers and fewer of these");
  static_assert(Layout::groups <= 14,
                "tma::specialize: at most 14 groups of consumers: each has a named barrier of its own");
  static_assert(Layout::named_barrier >= 1 &&
                    Layout::named_barrier + (Layout::groups <= 14 ? Layout::groups : 0) + (P::group && P::warps > 1) <= 16,
                "tma::first_named_barrier: the named barriers of the roles must be among 1 to 15 (0 is __syncthreads): one "
                "for each group of consumers from the first on, and one for tma::producer_warps. Begin with a smaller one");
  static_assert((P::registers == 0) == (Layout::registers == 0),
                "tma::specialize: registers move from producers to consumers: both sides name how many they are to have, or "
                "neither does");
  static_assert(
      Layout::registers == 0 || (consumers % 4 == 0 && P::first % 4 + P::warps <= 4),
      "tma::specialize: registers belong to warpgroups of 4 warps: the consumers are whole ones, and the producers "
      "in one of their own");
  static_assert(Layout::registers == 0 || P::first / 4 * 4 <= consumers,
                "tma::specialize: where registers move the block is the roles' warpgroups and no others: the producer's is "
                "one of them, at most right behind the consumers'. Name a smaller warp: tma::producer_warp<W, R>");
  // Of exactly these warpgroups, alone on their SM. What the kernel is compiled for and launched with may be less: the launch
  // (host/rules/registers.hpp) and checked builds look.
  constexpr RoleRegisters all = registers_of_roles<P, Layout>();
  static_assert(all.registers <= all.warps * 32 * even_share(all.warps > 0 ? all.warps * 32 : 32),
                "tma::specialize: there are not as many registers: the consumers would wait for them forever. A block has "
                "65536, in even shares of 8 at its launch; 3 warpgroups have 3 x 168: 40 + 2 x 232");
  return true;
}

// That a block of so many threads can have what the roles take. More warps than the roles have make all shares smaller.
template <class P, class Layout> TMA_DEVICE void check_register_share([[maybe_unused]] u32 threads) {
  if constexpr (checked) {
    constexpr RoleRegisters all = registers_of_roles<P, Layout>();
    check(all.registers <= all.warps * 32 * even_share(int(threads)),
          "the block has more threads than the roles, and so fewer registers for each than the roles take: the consumers "
          "would wait for them forever (setmaxnreg.inc). Fix: launch exactly the warps of the roles, 128 threads for the "
          "producers, or give the roles fewer registers; threads",
          threads);
  }
}

}  // namespace detail

/// What the roles of a kernel move of registers, for the launch, which then refuses a kernel or a block that cannot have them:
///
///     constexpr auto filling = tma::producer_warp<0, 40>;  constexpr auto computing = tma::consumer_groups<2, 4, 232>;
///     tma::launch(kernel, {.grid = blocks, .block = 384, .registers = tma::registers_of(filling, computing)}, ...);
template <class ProducersT, class ConsumersT> TMA_HOST_DEVICE constexpr RoleRegisters registers_of(ProducersT, ConsumersT) {
  using P              = detail::ProducersOf<ProducersT>;
  using C              = detail::ConsumersOf<ConsumersT>;
  constexpr bool known = P::known && C::known;
  static_assert(known, "tma::registers_of: takes the roles that tma::specialize is given: tma::producer_warp<W, R> and "
                       "tma::consumer_warps<N, R>, or others of the kind");
  if constexpr (known) {
    static_assert(detail::check_roles<P, typename C::layout>());
#if defined(__CUDACC_DEBUG__)  // nvcc -G: the assembler moves none
    return {};
#else
    return detail::registers_of_roles<P, typename C::layout>();
#endif
  } else {
    return {};
  }
}

/// Splits the block into warps that only fill stages and warps that only use them.
///
///     auto& ring = tma::shared<Pipe::Shared>();
///     tma::specialize(ring, tma::producer_warp<0>, [&](auto& producer) {
///       for (int k = 0; k < steps; ++k) producer.next([&](auto& stage) { stage.load(a, {m, k * 64}); });
///     }, tma::consumer_warps<8>, [&](auto& consumer) {
///       for (int k = 0; k < steps; ++k) consumer.next([&](const Tile& tile) { ... });
///     });
///
/// All threads of the block, once for each `ring`, which may be `tma::named("mainloop", ring)`. `produce(producer)` runs in
/// one thread of the producer's warp (of each, or in all threads of `producer_warps`); `consume(consumer)` in every thread of
/// the consumer warps; other warps go past. Both sides take the same number of steps, any number. The roles do not meet
/// inside: no block-wide barrier may stand in them. Named barriers 1 to G are those of the G groups of consumers, the next is
/// the producers'; a last argument begins elsewhere: `tma::first_named_barrier<8>`. Other code of the kernel that runs at the
/// same time takes none of these. The block has at least as many whole warps as there are roles; where registers are moved,
/// exactly those.
template <class Ring, class ProducersT, class Produce, class ConsumersT, class Consume,
          class NamedBarriers = FirstNamedBarrier<1>>
TMA_DEVICE void specialize(Ring&& ring, ProducersT, Produce&& produce, ConsumersT, Consume&& consume, NamedBarriers = {}) {
  using P                = detail::ProducersOf<ProducersT>;
  using C                = detail::ConsumersOf<ConsumersT, detail::first_named_barrier_of<NamedBarriers>()>;
  constexpr bool is_ring = requires { typename detail::remove_cvref_t<Ring>::pipeline; };
  static_assert(is_ring, "tma::specialize: the first argument is the pipeline's shared memory: auto& ring = "
                         "tma::shared<Pipe::Shared>()");
  static_assert(P::known && C::known,
                "tma::specialize: the roles are tma::producer_warp<W>, tma::producers<N> or tma::producer_warps<N>, and "
                "tma::consumer_warps<N>, tma::consumer_groups<G, W> or tma::taking_turns<G, W>");
  if constexpr (is_ring && P::known && C::known) {
    using PipelineT          = typename detail::remove_cvref_t<Ring>::pipeline;
    using Layout             = typename C::layout;
    using Traits             = typename PipelineT::traits;
    using Access             = detail::PipelineAccess;
    constexpr int  consumers = Layout::groups * Layout::warps;
    constexpr bool registers = Layout::registers > 0;
    // The warps that are kept for the producers: a warpgroup where registers are moved.
    constexpr detail::u32 kept_from = registers ? P::first / 4 * 4 : P::first, kept = registers ? 4 : P::warps;
    static_assert(detail::check_roles<P, Layout>());
    static_assert(!Traits::by_threads || P::group, "tma::specialize: tiles that threads load are loaded by whole warps: "
                                                   "tma::producer_warps<N>");
    const detail::u32 rank = ptx::thread_rank();
    const detail::u32 warp = ptx::uniform(rank / 32);
    detail::check(ptx::block_threads() >= 32 * (consumers + kept) && ptx::block_threads() > 32 * kept_from,
                  "the block has fewer warps than the roles need. Fix: launch 32 for each warp of each role, 128 for the "
                  "producers where registers move; threads",
                  ptx::block_threads());

    constexpr detail::u32 fills = !P::group         ? P::warps
                                  : Traits::threads ? P::warps * detail::GroupArrival::parts + int(Traits::engine)
                                                    : 1;
    if constexpr (registers) detail::check_register_share<P, Layout>(ptx::block_threads());
    PipelineT pipeline = Access::make<PipelineT>(Access::ring(ring), Access::name(ring), rank, Layout::releases, fills);
    if (warp - kept_from < kept) {
      detail::move_registers<false, P::registers>();
      ptx::enter_role("producer");
      if constexpr (P::group) {
        using Make = detail::MakeProducerGroup<PipelineT, P::warps, Layout::named_barrier + Layout::groups>;
        static_assert(detail::is_complete_v<Make>, "tma::specialize: for tma::producer_warps #include "
                                                   "<tma/pipeline/producer_group.hpp>");
        if constexpr (detail::is_complete_v<Make>) {
          const detail::u32 mine = rank - P::first * 32;
          const bool        one  = ptx::elect_sync();
          if (mine < P::warps * 32) {
            auto producer = Access::group<typename Make::type>(pipeline, mine, one & (mine < 32));
            produce(producer);
          }
        }
      } else if (warp - P::first < P::warps && ptx::elect_sync()) {
        auto producer = Access::producer(pipeline, int(warp) - P::first);
        produce(producer);
      }
    } else {
      const detail::u32 consuming = kept_from == 0 || warp > kept_from ? warp - kept : warp;
      if (int(consuming) < consumers) {
        detail::move_registers<true, Layout::registers>();
        ptx::enter_role("consumer");
        const detail::u32 group = Layout::groups == 1 ? 0 : consuming / Layout::warps;
        auto              consumer =
            Access::consumer<Layout>(pipeline, rank - (warp - consuming + group * Layout::warps) * 32, int(group));
        consume(consumer);
      }
    }
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"

// The machine itself: compiled once, by the host compiler, without the instrumentation that kernels are compiled with.
#define TMA_MACHINE_SOURCE 1  // before any header: core/config.hpp asks

#include "detail/grid.hpp"
#include "detail/tensor_copies.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

// The C library's other entries to what memmove and memset do: those two are defined below, as the kernel's.
extern "C" void* __memmove_chk(void* to, const void* from, std::size_t bytes, std::size_t room) noexcept;
extern "C" void* __memset_chk(void* to, int value, std::size_t bytes, std::size_t room) noexcept;

namespace {
// Room for anything. A number that the compiler knows would let it turn the call into one of memmove: of itself.
volatile std::size_t any_room = ~std::size_t(0);
}  // namespace

namespace tma::machine {

const char* name_of(Kind kind) {
  static const char* const names[] = {"unwaited_load",
                                      "unwaited_cp_async",
                                      "unfenced_store",
                                      "unordered_store",
                                      "store_of_unwaited_load",
                                      "overwritten_source",
                                      "early_reuse",
                                      "unfenced_reuse",
                                      "load_over_load",
                                      "invisible_store",
                                      "reduction_race",
                                      "unfenced_global",
                                      "data_race",
                                      "uninitialised",
                                      "outside_tile",
                                      "out_of_bounds",
                                      "bad_address",
                                      "barrier_uninitialised",
                                      "barrier_initialised_twice",
                                      "barrier_overwritten",
                                      "arrivals_over",
                                      "bytes_short",
                                      "bytes_over",
                                      "transaction_overflow",
                                      "phase_missed",
                                      "phase_unordered",
                                      "deadlock",
                                      "livelock",
                                      "exit_with_load",
                                      "exit_with_store",
                                      "peer_ended",
                                      "uncommitted_store",
                                      "illegal_instruction",
                                      "misaligned_address",
                                      "undefined_copy",
                                      "different_tiles",
                                      "bad_descriptor",
                                      "stale_descriptor",
                                      "descriptor_in_use",
                                      "diverged",
                                      "rule",
                                      "trap",
                                      "nondeterministic"};
  const auto               i       = static_cast<std::size_t>(kind);
  return i < sizeof names / sizeof *names ? names[i] : "?";
}

namespace model {
namespace {

const char* const strategies[] = {"mixed", "late", "early", "random", "victims", "reverse", "timed", "exhaustive"};

// A variable that means nothing would let a test pass that was never run: the program ends before its first launch.
[[noreturn]] void refuse(const char* variable, const char* value, const char* rule, const char* fix) {
  std::fprintf(stderr, "tma machine: %s = %s: %s. Fix: %s.\n", variable, value, rule, fix);
  std::fflush(nullptr);
  std::_Exit(2);
}

std::uint64_t number_in(const char* variable, const char* value, std::uint64_t least, std::uint64_t most) {
  char* end    = nullptr;
  errno        = 0;
  const auto n = std::strtoull(value, &end, 0);
  if (end == value || *end || *value == '-' || errno || n < least || n > most)
    refuse(variable, value, least ? "a number from 1 to 2147483647" : "a number from 0 to 2^64 - 1",
           "set it to one, or unset it");
  return n;
}

Settings from_environment() {
  Settings s;
  if (const char* e = std::getenv("TMA_MACHINE_SCHEDULES"))
    s.schedules = int(number_in("TMA_MACHINE_SCHEDULES", e, 1, 0x7fffffff));
  if (const char* e = std::getenv("TMA_MACHINE_SEED")) s.seed = number_in("TMA_MACHINE_SEED", e, 0, ~std::uint64_t(0));
  if (const char* e = std::getenv("TMA_MACHINE_TIMELINE")) s.timeline = e;
  if (const char* e = std::getenv("TMA_MACHINE_STRATEGY")) {
    bool known = false;
    for (int i = 0; i < 8; ++i)
      if (std::strcmp(e, strategies[i]) == 0) s.strategy = Strategy(i), known = true;
    if (!known)
      refuse("TMA_MACHINE_STRATEGY", e, "one of mixed, late, early, random, victims, reverse, timed, exhaustive",
             "set it to one of them, or unset it");
  }
  return s;
}

Result*           collector = nullptr;  // of explore
Settings*         active    = nullptr;
Result            all;
std::vector<Span> last_timeline;

Order order_of(const Settings& s, int schedule) {
  switch (s.strategy) {
    case Strategy::late: return Order::late;
    case Strategy::early: return Order::early;
    case Strategy::random: return Order::random;
    case Strategy::victims: return Order::victims;
    case Strategy::reverse: return Order::reverse;
    case Strategy::timed: return Order::timed;
    case Strategy::exhaustive: return Order::exhaustive;
    default: break;
  }
  static constexpr Order rounds[] = {Order::late, Order::early, Order::reverse, Order::random, Order::victims};
  return schedule < 3 ? rounds[schedule] : rounds[3 + schedule % 2];
}

std::string json_text(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void write_timeline(const std::string& file, const std::vector<Span>& spans) {
  FILE* f = file == "-" ? nullptr : std::fopen(file.c_str(), "w");
  if (!f) {
    if (file != "-") std::fprintf(stderr, "tma machine: timeline = %s: %s\n", file.c_str(), std::strerror(errno));
    return;
  }
  std::vector<std::string> tracks;
  std::fprintf(f, "{\"traceEvents\":[\n");
  for (const Span& s : spans) {
    auto found = std::find(tracks.begin(), tracks.end(), s.track);
    if (found == tracks.end()) {
      tracks.push_back(s.track);
      found = tracks.end() - 1;
      std::fprintf(f, "{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_name\",\"args\":{\"name\":%s}},\n",
                   tracks.size(), json_text(s.track).c_str());
    }
    std::fprintf(f, "{\"ph\":\"X\",\"pid\":1,\"tid\":%zu,\"ts\":%.3f,\"dur\":%.3f,\"name\":%s},\n",
                 std::size_t(found - tracks.begin()) + 1, s.start, s.end - s.start, json_text(s.name).c_str());
  }
  std::fprintf(f, "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"tma machine, simulated "
                  "microseconds\"}}\n]}\n");
  std::fclose(f);
}

void keep(Result& to, Launch& l) {
  ++to.schedules;
  to.steps += l.steps;
  to.switches += l.switches;
  to.copies += l.copies;
  for (const Report& r : l.reports) to.reports.push_back(r);
}

// A program that has drawn reports does not end as if nothing had happened.
void fail_at_exit() {
  std::fprintf(stderr, "tma machine: %zu reports\n", all.reports.size());
  std::fflush(nullptr);
  std::_Exit(70);
}

}  // namespace

int run_launch(const rt::LaunchShape& shape, const char* kernel, void (*call)(void*), void* context) {
  const Settings s          = settings();
  const bool     exhaustive = s.strategy == Strategy::exhaustive;
  Explorer       explorer;
  explorer.most = s.most_states;
  MemorySnapshot before, complete;
  if (s.schedules > 1 || exhaustive) before.save();
  int           error = 0;
  std::uint64_t hash  = 0;
  ++all.launches;
  if (collector) ++collector->launches;
  rt::block_size = shape.block;
  rt::grid_size  = shape.grid;
  for (int i = 0; exhaustive || i < s.schedules; ++i) {
    if (i > 0) before.restore();
    Launch l;
    l.shape        = shape;
    l.kernel       = kernel;
    l.call         = call;
    l.context      = context;
    l.order        = order_of(s, i);
    l.schedule     = u64(i);
    l.seed         = s.seed;
    l.random       = (s.seed + u64(i) * 0x9e3779b97f4a7c15ull) | 1;
    l.most_reports = s.most_reports;
    l.explorer     = &explorer;
    l.record       = !s.timeline.empty() && i == 0;
    for (int k = 0; k < 8; ++k) next_random(l.random);
    l.engine_share = 1u << (1 + below(l.random, 8));
    run_grid(l);
    rt::Allocation broken{};
    if (l.reports.empty() && !l.pruned && !guards_intact(broken)) {
      Report r;
      r.kind = Kind::out_of_bounds;
      r.text = format("something was written beside the allocation at %p of %zu bytes", static_cast<void*>(broken.data),
                      broken.bytes);
      add_report(l, std::move(r));
    }
    if (l.reports.empty() && !l.pruned && (s.schedules > 1 || exhaustive)) {
      const std::uint64_t now = before.hash();
      if (i == 0 || hash == 0) hash = now;
      else if (hash != now) {
        Report r;
        r.kind = Kind::nondeterministic;
        r.text = "this schedule leaves other bytes in device memory than the first one";
        add_report(l, std::move(r));
      }
    }
    // The walk may end with a run that was cut short: what a whole one has left is what the launch leaves.
    if (exhaustive && !l.pruned && complete.empty()) complete.save();
    if (l.record) {
      for (Span& span : l.spans) span.start /= 1755, span.end /= 1755;  // cycles to microseconds
      last_timeline = std::move(l.spans);
      write_timeline(s.timeline, last_timeline);
    }
    keep(collector ? *collector : all, l);
    if (collector) {
      all.steps += l.steps;
      all.schedules += 1;
      all.switches += l.switches;
      all.copies += l.copies;
    }
    if (!l.reports.empty()) {
      error = l.error ? l.error : 719;
      if (!collector) {
        static const bool registered = std::atexit(fail_at_exit) == 0;
        (void)registered;
        for (const Report& r : l.reports) std::fprintf(stderr, "%s\n", r.text.c_str());
      }
      break;
    }
    if (exhaustive && !explorer.next()) break;
  }
  if (error == 0 && !complete.empty()) complete.restore();
  if (collector) {
    collector->states += i64(explorer.seen.size());
    collector->exhausted = collector->exhausted && explorer.exhausted;
    return 0;
  }
  return error;
}

}  // namespace model

Settings& settings() {
  static Settings from_outside = model::from_environment();
  return model::active ? *model::active : from_outside;
}

Result explore(const Settings& s, const std::function<void()>& program) {
  Settings   mine = s;
  Result     result;
  Result*    outer_collector = std::exchange(model::collector, &result);
  Settings*  outer_active    = std::exchange(model::active, &mine);
  const auto back            = [&] {
    model::collector = outer_collector;
    model::active    = outer_active;
  };
  try {
    program();
  } catch (...) {
    back();
    throw;
  }
  back();
  return result;
}

const Result&            total() { return model::all; }
const std::vector<Span>& timeline() { return model::last_timeline; }

namespace model {
static void access(const void* place, std::size_t bytes, bool write, const void* pc, bool atomic = false,
                   bool aligned = false);

// What stops a kernel before the access: an address that is no multiple of the size, a null pointer.
[[noreturn, gnu::noinline]] static void bad_address(Thread& t, const char* p, std::size_t bytes, bool write) {
  const auto at      = reinterpret_cast<std::uintptr_t>(p);
  const bool is_null = at < 4096;
  say(t, is_null ? Kind::bad_address : Kind::misaligned_address, caller_site(),
      words(t) + (write ? " writes " : " reads ") +
          (is_null ? format("through a null pointer (address 0x%zx)", std::size_t(at))
                   : format("%zu bytes at %p, which is no multiple of %zu", bytes, static_cast<const void*>(p), bytes)));
  t.cluster->launch->error = is_null ? 700 : 716;
  stop(t);
}
static void check_address(Thread& t, const char* p, std::size_t bytes, bool write) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  if (at % std::min<std::size_t>(bytes, 8) != 0 || at < 4096) bad_address(t, p, bytes, write);
}

}  // namespace model

namespace rt {

using namespace model;

Index3 thread_index, block_index, block_size, grid_size;

unsigned thread_rank() { return current->rank; }
bool     in_kernel() { return current != nullptr; }

bool is_local(const void* pointer) {
  const Thread* t = current;
  const auto*   p = static_cast<const char*>(pointer);
  return t && p >= t->stack && p < (t->parameters ? t->parameters : t->stack);
}

// Where in the cluster's shared memory; false where it is not.
static bool find_shared(const void* pointer, u32& address) {
  const Cluster& cl = *current->cluster;
  const auto*    p  = static_cast<const char*>(pointer);
  if (u64(p - cl.window) < cl.span) address = u32(p - cl.window);
  else if (p >= cl.variables && p < cl.variables_end)
    address = current->block->rank << rank_shift | (variables_address + u32(p - cl.variables));
  else return false;
  return true;
}

unsigned shared_address(const void* pointer) {
  u32 address = 0;
  if (find_shared(pointer, address)) return address;
  say(*current, Kind::bad_address, caller_site(),
      words(*current) + format(" uses %p as shared memory, which it is not", pointer));
  stop(*current);
}

// An address where the instruction takes the cluster's.
static u32 in_cluster(unsigned address) {
  const Thread& t = *current;
  if (address >> rank_shift < t.cluster->blocks.size()) return address;
  say(*current, Kind::bad_address, caller_site(),
      words(t) + format(" uses 0x%x, which is shared memory of block %u of its cluster; that has %zu", address,
                        address >> rank_shift, t.cluster->blocks.size()));
  stop(*current);
}

// One where it takes its own block's.
static u32 own(unsigned address) {
  const Thread& t = *current;
  if (address >> rank_shift == t.block->rank) return address;
  if (in_cluster(address) != address) return 0;
  say(*current, Kind::bad_address, caller_site(),
      words(t) + format(" uses 0x%x, which is shared memory of block %u of its cluster, where only its own can be: this is "
                        "block %u",
                        address, address >> rank_shift, t.block->rank));
  stop(*current);
}

static u32 barrier_at(unsigned address, bool peer) { return peer ? in_cluster(address) : own(address); }

void* shared_pointer(unsigned address) {
  Cluster& cl = *current->cluster;
  address     = in_cluster(address);
  // A place in the windows, and not in what is swapped, for a variable of another block.
  return cl.at(address);
}

bool is_shared(const void* pointer) {
  u32 address = 0;
  return find_shared(pointer, address);
}

Index3   cluster_shape() { return current->cluster->launch->shape.cluster; }
unsigned cluster_rank() { return current->block->rank; }

unsigned map_shared(unsigned address, unsigned rank) { return in_cluster(rank << rank_shift | (address & offset_mask)); }

void* map_generic(const void* shared, unsigned rank) {
  Cluster&  cl      = *current->cluster;
  const u32 address = map_shared(shared_address(shared), rank), offset = address & offset_mask;
  if (offset >= variables_address) use_variables(cl, offset - variables_address, 1);
  return cl.at(address);
}

// Allocated, or a variable of the program: which of those are __device__ nothing tells.
bool is_global(const void* pointer) {
  const auto* p = static_cast<const char*>(pointer);
  return is_device_memory(pointer) ||
         (!is_shared(pointer) && !(current && p >= current->stack && p < current->stack + Stacks::bytes));
}

static void check_used(const Site& site) {
  Cluster& cl = *current->cluster;
  if (cl.used <= first_address + most_shared) return;
  say(*current, Kind::out_of_bounds, site,
      format("the block uses %u bytes of shared memory: at most %u", cl.used - first_address, most_shared));
  stop(*current);
}

// "Shared", of "const char* ...type_name() [with T = (anonymous namespace)::kernel<int>(int*)::Shared]": the type without the
// function and the nameless space it stands in.
static std::string type_in(std::string name) {
  name = detail::without_abi(std::move(name));
  if (const auto from = name.find("T = "); from != std::string::npos)
    name = name.substr(from + 4, name.rfind(']') - from - 4);
  std::size_t begin = 0;
  int         depth = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    depth += (name[i] == '<' || name[i] == '(' || name[i] == '{') - (name[i] == '>' || name[i] == ')' || name[i] == '}');
    if (depth == 0 && i > 0 && (name[i - 1] == ')' || name[i - 1] == '}') && name[i] == ':') begin = i + 2;
  }
  return name.substr(begin);
}

void* static_shared(const void* key, std::size_t bytes, std::size_t alignment, const char* name) {
  Cluster& cl         = *current->cluster;
  const auto [at, is] = cl.statics.try_emplace(key, 0u);
  if (is) {
    cl.used    = (cl.used + u32(alignment) - 1) / u32(alignment) * u32(alignment);
    at->second = cl.used;
    cl.used += u32(bytes);
    cl.regions.push_back({at->second, u32(bytes), type_in(name)});
    check_used(caller_site());
  }
  return cl.window + (current->block->rank << rank_shift) + at->second;
}

void* dynamic_shared() {
  const Cluster& cl = *current->cluster;
  return cl.window + (current->block->rank << rank_shift) + cl.dynamic_first;
}

void describe(const void* place, std::size_t bytes, const char* text, int a, int n, const char* owner) {
  Cluster&  cl      = *current->cluster;
  const u32 address = shared_address(place) & offset_mask;
  for (const Region& r : cl.regions)
    if (r.first == address && r.bytes == u32(bytes)) return;
  char      name[128];
  const int length = std::snprintf(name, sizeof name, text, a, n);
  if (owner) std::snprintf(name + length, sizeof name - std::size_t(length), " of \"%s\"", owner);
  cl.regions.push_back({address, u32(bytes), name});
}

void enter_role(const char* role) { current->role = role; }

bool elect_sync() {
  const u32 lanes = meet_warp(*current, ~0u, 0, elect_name);
  return current->lane == u32(__builtin_ctz(lanes));
}

void     sync_block() { meet(*current, 0, current->cluster->launch->block_threads(), true); }
unsigned sync_block_count(int value) {
  meet(*current, 0, current->cluster->launch->block_threads(), true, value);
  return current->meeting_result;
}
void     sync_warp(unsigned mask) { meet_warp(*current, mask, 0, sync_warp_name); }
void     sync_threads(int id, int threads) { meet(*current, u32(id), u32(threads), true); }
void     arrive_threads(int id, int threads) { meet(*current, u32(id), u32(threads), false); }
unsigned active_mask() { return live_lanes(*current->block, current->warp); }

const std::uint64_t* exchange(unsigned mask, std::uint64_t value, const char* what) {
  meet_warp(*current, mask, value, what);
  return reinterpret_cast<const std::uint64_t*>(current->warp_values);
}

void fail(const char* rule, long long value) {
  say(*current, Kind::rule, caller_site(), words(*current) + ": " + rule + format(" (found %lld)", value));
  stop(*current);
}

void trap(const char* what) {
  say(*current, Kind::trap, caller_site(), words(*current) + " stops the kernel: " + what);
  stop(*current);
}

void index_in(long long index, long long size) {
  if (index >= 0 && index < size) return;
  if (!current) return;
  say(*current, Kind::outside_tile, caller_site(),
      words(*current) + format(" uses index %lld of a tile whose extent there is %lld", index, size));
}

void thread_fence(int scope) {
  Thread& t = *current;
  ++t.accesses;
  if (t.seen_by_atomics) {
    t.clock.learn(t.seen_by_atomics);
    t.seen_by_atomics = SnapshotRef();
  }
  if (t.seen_of_peers && scope > 0) {
    t.clock.learn(t.seen_of_peers);
    t.seen_of_peers = SnapshotRef();
  }
  Accumulator sum;
  t.released = t.clock.now;
  sum.add(t.clock);
  t.release_fence = sum.freeze();
  if (scope > 0) t.wide_fence = t.release_fence;
}

void atomic(const volatile void* place, std::size_t bytes) {
  Thread&  t  = *current;
  Cluster& cl = *t.cluster;
  ++t.accesses;
  // A thread that finds what it found before is waiting for somebody.
  check_address(t, static_cast<const char*>(const_cast<const void*>(place)), bytes, true);
  const u64 value           = bytes == 8   ? *static_cast<const volatile u64*>(place)
                              : bytes == 4 ? *static_cast<const volatile u32*>(place)
                                           : *static_cast<const volatile u16*>(place);
  const auto [seen, is_new] = t.found.try_emplace(place, value);
  if (!is_new && seen->second == value) {
    poll(t);
  } else {
    seen->second = value;
    progress(cl);
    interleave(t);
  }
  remember(t, value);
  t.time += 100;
  model::access(const_cast<const void*>(place), bytes, true, caller_site().pc[0], true);
  SnapshotRef& known = cl.atomics[place];
  if (known) t.seen_by_atomics = t.seen_by_atomics ? joined(t.seen_by_atomics, known) : known;
  if (t.release_fence) known = known ? joined(known, t.release_fence) : t.release_fence;
}

inline constexpr u64 sleeps_to_idle = 64;

void nanosleep(unsigned ns) {
  Thread& t = *current;
  t.time += ns * 1.755;
  // A pause is no question: only a loop of many is taken for one that waits.
  poll(t, ++t.accesses % sleeps_to_idle == 0);
}

std::int64_t clock() { return std::int64_t(current->time); }

static void copy_by_thread(Thread& t, const Site& site, u32 to, void* shared, const void* global, std::size_t bytes,
                           std::size_t zero_fill) {
  ++t.accesses;
  touch(t, 0, static_cast<const char*>(global), bytes - zero_fill, true, false, site.pc[0]);
  touch(t, to, nullptr, bytes, false, true, site.pc[0]);
  // The bytes are there at once; that nobody may look before the wait is what the shadow keeps.
  Copy& c         = new_copy(t, Copy::cp_async, site);
  c.done          = true;
  c.shared_first  = to;
  const u32 group = t.cp_committed + 1, ag = actor(*t.cluster, t.cp_actor);
  for (std::size_t i = 0; i < bytes;) {
    const u32 first = u32((to + i) % granule_bytes), n = u32(std::min<std::size_t>(granule_bytes - first, bytes - i));
    Granule&  g = t.cluster->shadow.shared(u32(to + i));
    g.writes.forget(mask_of(first, n));
    g.writes.push(t.cluster->shadow.arena, {site.pc[0], group, c.number, u16(ag), mask_of(first, n), AccessKind::cp_async});
    i += n;
  }
  // memcpy and memset are the kernel's, and checked: see below
  __memmove_chk(shared, global, bytes - zero_fill, any_room);
  __memset_chk(static_cast<char*>(shared) + bytes - zero_fill, 0, zero_fill, any_room);
}
void cp_async(void* shared, const void* global, std::size_t bytes, std::size_t zero_fill) {
  copy_by_thread(*current, caller_site(), own(shared_address(shared)), shared, global, bytes, zero_fill);
}
void cp_async_at(unsigned shared, const void* global, unsigned bytes, unsigned source_bytes) {
  Thread&     t    = *current;
  const auto  site = caller_site();
  const auto* from = static_cast<const char*>(global);
  if (shared % bytes != 0) {
    say(t, Kind::misaligned_address, site,
        words(t) + format(" copies %u bytes to 0x%x of shared memory, which is no multiple of %u", bytes, shared, bytes));
    t.cluster->launch->error = 716;
    stop(t);
  }
  if (reinterpret_cast<std::uintptr_t>(from) % bytes != 0 || (source_bytes > 0 && !from)) bad_address(t, from, bytes, false);
  copy_by_thread(t, site, own(shared), t.cluster->at(own(shared)), global, bytes, bytes - std::min(source_bytes, bytes));
}
void cp_async_commit() { ++current->cp_committed; }
void cp_async_wait(int newer) {
  Thread& t = *current;
  if (t.cp_actor && i64(t.cp_committed) - newer > 0) t.clock.learn(t.cp_actor, u32(t.cp_committed - u32(newer)));
  ++t.clock.now;
}

void          mbarrier_init(unsigned barrier, unsigned arrivals) { init_barrier(*current, own(barrier), arrivals); }
void          mbarrier_inval(unsigned barrier) { inval_barrier(*current, own(barrier)); }
std::uint64_t mbarrier_arrive(unsigned barrier, unsigned count, unsigned bytes, unsigned how) {
  return arrive(*current, barrier_at(barrier, how & how::peer), {count, bytes, how}, caller_site());
}
void mbarrier_expect_tx(unsigned barrier, unsigned bytes, bool peer) {
  expect_tx(*current, barrier_at(barrier, peer), bytes, caller_site());
}
void mbarrier_complete_tx(unsigned barrier, unsigned bytes, bool peer) {
  complete_tx(*current, barrier_at(barrier, peer), bytes, caller_site());
}
bool mbarrier_wait(unsigned barrier, std::uint64_t which, unsigned how) {
  return wait(*current, own(barrier), which, how, caller_site());
}
void cp_async_arrive(unsigned barrier, bool counted) { arrive_for_copies(*current, own(barrier), counted, caller_site()); }

void cluster_arrive(bool relaxed, bool together) {
  if (together) meet_warp(*current, ~0u, 0, "barrier.cluster.arrive");
  arrive_cluster(*current, relaxed);
}
void cluster_wait(bool together) {
  if (together) meet_warp(*current, ~0u, 0, "barrier.cluster.wait");
  wait_cluster(*current);
}

void fence_mbarrier_init() {
  ++current->accesses;
  current->clock.inits_fenced = current->clock.now;
}
void fence_proxy_async(bool shared_only) {
  ++current->accesses;
  current->time += 10;
  current->clock.fence();
  if (!shared_only) current->clock.fence_global();
}
void fence_release_shared() {
  fence_proxy_async(true);
  current->shared_fence = current->clock;
  ++current->clock.now;  // what follows is not in it
}
void fence_proxy_async_global() {
  ++current->accesses;
  current->time += 10;
  current->clock.fence_global();
}

// A load into this block, into one of the cluster, or into several: a copy each, which its barrier counts.
template <class Chunks>
static void load(unsigned destination, unsigned barrier, LoadTarget to, const Site& site, Chunks chunks) {
  Thread&   s   = *current;
  const u32 all = (1u << s.cluster->blocks.size()) - 1;
  destination   = to.cluster || to.multicast ? in_cluster(destination) : own(destination);
  barrier       = to.cluster || to.multicast ? in_cluster(barrier) : own(barrier);
  if (to.multicast && (to.mask & ~all)) {
    say(s, Kind::bad_address, site,
        words(s) + format(" issues a load into the blocks 0x%x of its cluster, which has 0x%x", to.mask, all));
    stop(s);
  }
  interleave(s);
  for (u32 rank = 0; rank < s.cluster->blocks.size(); ++rank) {
    const bool here = to.multicast ? to.mask >> rank & 1 : rank == destination >> rank_shift;
    if (!here) continue;
    const auto at  = [&](u32 address) { return to.multicast ? rank << rank_shift | (address & offset_mask) : address; };
    Copy&      c   = new_copy(s, Copy::load, site);
    c.shared_first = at(destination);
    chunks(c, c.shared_first);
    issue_load(s, c, at(barrier));
  }
}

void bulk_load(unsigned destination, const void* source, unsigned bytes, unsigned barrier, LoadTarget to) {
  load(destination, barrier, to, caller_site(), [&](Copy& c, u32 at) {
    check_bulk(*current, c.site, source, at, bytes, "load");
    c.base = static_cast<char*>(const_cast<void*>(source));
    bulk_chunks(c, at, bytes);
  });
}

void tensor_load(unsigned destination, const TensorPlace& place, unsigned barrier, LoadTarget to) {
  load(destination, barrier, to, caller_site(),
       [&](Copy& c, u32 at) { tensor_chunks(*current, c, place, at, CopyUse::load); });
}

void shared_tile(unsigned barrier, unsigned tile, unsigned mask, const void* map, int rank, const int* at) {
  Thread&        t       = *current;
  Cluster&       cl      = *t.cluster;
  const u32      own_bit = 1u << t.block->rank;
  const auto     found   = cl.barriers.find(own(barrier));
  SharedTile     now;
  TensorBox      box;
  void*          base  = nullptr;
  const MapBytes bytes = MapBytes::of(map);
  if (found == cl.barriers.end() || !decode(&bytes, box, base) || box.rank != rank) return;  // the load will say so
  now.phase  = found->second.phase;
  now.ranks  = own_bit;
  now.thread = t.actor;
  now.site   = caller_site();
  now.first  = static_cast<const char*>(base);
  now.at     = "{";
  for (int d = 0; d < rank; ++d) {
    const i64 stride = d == rank - 1 ? element_bytes(box.type) : box.stride[d];
    now.first += at[d] * stride;
    now.strides.push_back(stride);
    now.at += format(d ? ", %d" : "%d", at[d]);
  }
  now.at += "}";
  SharedTile& first = cl.shared_tiles[{tile & offset_mask, mask}];
  // A block that asks again: its barrier has begun a new life.
  if (first.phase != now.phase || (first.ranks & own_bit)) {
    first = std::move(now);
    return;
  }
  first.ranks |= own_bit;
  if (first.first == now.first && first.strides == now.strides) return;
  const Thread& other = *cl.thread(first.thread);
  say(t, Kind::different_tiles, now.site,
      words(t) + " asks for " + object_of(cl, own(tile)) + " at " + now.at +
          format(" in phase %lld of ", static_cast<long long>(now.phase)) + name_of(cl, own(barrier)) + ", and " +
          words(other) + " at " + first.at + in_brackets(place_of(other, first.site)) +
          (first.at == now.at ? ", through descriptors of different tensors" : "") +
          ": blocks that share a part of a stage must ask for the same tile in the same step, of which each loads its "
          "slice. "
          "Fix: give all of them the place where the whole tile begins, and take the steps in one order",
      object_of(cl, own(tile)));
}

// A store or a reduction of this block's shared memory into global memory.
template <class Chunks> static void store(unsigned source, Chunks chunks) {
  Thread& s = *current;
  source    = own(source);
  interleave(s);
  Copy& c        = new_copy(s, Copy::store, caller_site());
  c.shared_first = source;
  chunks(c, source);
  issue_store(s, c);
}

void bulk_store(void* destination, unsigned source, unsigned bytes, unsigned bytes_of_16) {
  store(source, [&](Copy& c, u32 at) {
    check_bulk(*current, c.site, destination, at, bytes, "store");
    c.base      = static_cast<char*>(destination);
    c.byte_mask = bytes_of_16;
    bulk_chunks(c, at, bytes);
  });
}

void bulk_reduce(Reduction operation, ElementType type, void* destination, unsigned source, unsigned bytes) {
  store(source, [&](Copy& c, u32 at) {
    set_reduction(*current, c, operation, type, tma::detail::ReducedPlace::global);
    check_bulk(*current, c.site, destination, at, bytes, "reduction");
    c.base = static_cast<char*>(destination);
    bulk_chunks(c, at, bytes);
  });
}

void tensor_store(const TensorPlace& place, unsigned source) {
  store(source, [&](Copy& c, u32 at) { tensor_chunks(*current, c, place, at, CopyUse::store); });
}

void tensor_reduce(Reduction operation, const TensorPlace& place, unsigned source) {
  store(source, [&](Copy& c, u32 at) {
    tensor_chunks(*current, c, place, at, CopyUse::reduce);
    set_reduction(*current, c, operation, c.box.type, tma::detail::ReducedPlace::tensor);
  });
}

// Nothing moves; what a device would refuse is refused.
void tensor_prefetch(const TensorPlace& place) {
  interleave(*current);
  Copy c;
  c.issuer = current->actor;
  c.site   = caller_site();
  tensor_chunks(*current, c, place, 0, CopyUse::prefetch);
}
void bulk_prefetch(const void* source, unsigned) {
  interleave(*current);
  if (reinterpret_cast<std::uintptr_t>(source) % 16 != 0)
    fault(*current, Kind::misaligned_address, caller_site(),
          words(*current) + format(" prefetches from %p: a multiple of 16", source));
}
void prefetch_map(const void*) { ++current->accesses; }

// --- tensor maps in memory ---

void tensormap_replace(MapField field, int dimension, unsigned long long value, unsigned shared_map) {
  Thread&    t    = *current;
  const Site site = caller_site();
  const u32  at   = own(shared_map);
  interleave(t);
  check_map_address(t, site, at, false);
  touch(t, at, nullptr, 128, false, true, site.pc[0]);
  edit_map(t, site, t.cluster->at(at), field, dimension, value);
}
void tensormap_replace(MapField field, int dimension, unsigned long long value, void* map) {
  Thread&    t    = *current;
  const Site site = caller_site();
  interleave(t);
  check_map_address(t, site, reinterpret_cast<u64>(map), true);
  touch(t, 0, static_cast<const char*>(map), 128, true, true, site.pc[0]);
  edit_map(t, site, map, field, dimension, value);
  remember_edit(t, map, site);
}
void tensormap_publish(void* map, unsigned shared_map) {
  Thread&    t     = *current;
  const Site site  = caller_site();
  const u32  at    = own(shared_map);
  const u32  lanes = meet_warp(t, ~0u, 0, "tensormap.cp_fenceproxy");
  if (t.lane == u32(__builtin_ctz(lanes))) {  // one of them copies
    check_map_address(t, site, at, false);
    check_map_address(t, site, reinterpret_cast<u64>(map), true);
    touch(t, at, nullptr, 128, false, false, site.pc[0]);
    touch(t, 0, static_cast<const char*>(map), 128, true, true, site.pc[0]);
    __memmove_chk(map, t.cluster->at(at), 128, any_room);
    remember_edit(t, map, site);
    release_maps(t);
  }
}
void tensormap_release() { release_maps(*current); }
void tensormap_acquire(const void* map) { acquire_map(*current, map); }

// --- the launch ---

void launch_try_cancel(unsigned result, unsigned barrier, bool cluster) {
  const u32 all = (1u << current->cluster->blocks.size()) - 1;
  load(result, barrier, {cluster, cluster, all}, caller_site(), [&](Copy& c, u32 at) {
    c.tensor = true;  // 16 bytes outside of any: zeros
    c.bytes  = 16;
    c.chunks.push_back({at, 0, 0, false});
  });
}

void bulk_reduce_peer(Reduction operation, ElementType type, unsigned destination, unsigned source, unsigned bytes,
                      unsigned barrier) {
  Thread& s = *current;
  source    = own(source);
  barrier   = in_cluster(barrier);
  interleave(s);
  Copy& c        = new_copy(s, Copy::send, caller_site());
  c.shared_first = in_cluster(destination);
  c.source       = source;
  set_reduction(s, c, operation, type, tma::detail::ReducedPlace::peer);
  check_send(s, c, bytes);
  issue_send(s, c, barrier);
}

void bulk_send(unsigned destination, unsigned source, unsigned bytes, unsigned barrier,
               void (*combine)(void* place, const void* value)) {
  Thread& s = *current;
  source    = own(source);
  barrier   = in_cluster(barrier);
  interleave(s);
  Copy& c        = new_copy(s, Copy::send, caller_site());
  c.shared_first = in_cluster(destination);
  c.source       = source;
  c.combine      = combine;
  c.reduces      = combine != nullptr;
  check_send(s, c, bytes);
  issue_send(s, c, barrier);
}

void store_async(unsigned destination, const void* value, unsigned bytes, unsigned barrier,
                 void (*combine)(void* place, const void* value)) {
  Thread& s = *current;
  barrier   = in_cluster(barrier);
  interleave(s);
  Copy& c        = new_copy(s, Copy::async_store, caller_site());
  c.shared_first = in_cluster(destination);
  c.bytes        = bytes;
  c.combine      = combine;
  c.reduces      = combine != nullptr;
  issue_async_store(s, c, value, barrier);
}

void bulk_commit_group() {
  ++current->accesses;
  commit_group(*current);
}
void bulk_wait_group(int newer, bool read_only) { wait_group(*current, newer, read_only); }

int launch(const LaunchShape& shape, const char* kernel, void (*call)(void*), void* context) {
  if (current) return 801;  // cudaErrorNotSupported: no launch from a kernel
  return run_launch(shape, kernel, call, context);
}

}  // namespace rt

// --- what the compiler's instrumentation calls -----------------------------------------------------------------------

namespace model {

// A thread that reads the same few places so often, and writes nothing, is waiting for somebody.
inline constexpr u32 reads_to_poll = 64, places_of_a_poll = 8;
// Or it is a long computation: one poll in so many counts as one.
inline constexpr u32 reads_to_idle = 256 * reads_to_poll;

// Simulated cycles, of an access to shared or global memory, of what one to another block's takes more, and of a stretch of code without a branch.
inline constexpr double access_cycles = 2, peer_cycles = 180, stretch_cycles = 2;

// What is not simply the block's own shared memory: another block's, or none.
[[gnu::noinline]] static bool may_use(Thread& t, u32 address, u32 bytes, bool write, const void* pc) {
  Cluster&    cl     = *t.cluster;
  const u32   offset = address & offset_mask;
  const char* verb   = write ? "writes" : "reads";
  // Above the window lie the `__shared__` variables of blocks that do not run.
  const u32  first = offset < variables_address ? first_address : variables_address;
  const u32  end   = offset < variables_address ? cl.used : variables_address + u32(cl.variables_end - cl.variables);
  const Site site  = site_at(pc);
  if (offset < first || offset + bytes > end) {
    say(t, Kind::out_of_bounds, site, words(t) + format(" %s shared memory at 0x%x, which the block has not", verb, offset));
    return false;
  }
  if (address >> rank_shift == t.block->rank) return true;
  if (offset >= variables_address) use_variables(cl, offset - variables_address, bytes);
  use_peer(t, address, verb, site);
  t.time += peer_cycles;
  return true;
}

[[noreturn, gnu::noinline]] static void in_no_allocation(Thread& t, const void* place, bool write, const void* pc) {
  say(t, Kind::out_of_bounds, site_at(pc),
      words(t) + (write ? " writes" : " reads") + format(" global memory at %p, which is in no allocation", place));
  t.cluster->launch->error = 700;
  stop(t);
}

[[gnu::noinline]] static void poll_again(Thread& t) { poll(t, t.idle % reads_to_idle == 0); }

static void access(const void* place, std::size_t bytes, bool write, const void* pc, bool atomic, bool aligned) {
  Thread* t = current;
  if (!t) return;
  Cluster&   cl = *t->cluster;
  const auto p  = static_cast<const char*>(place);
  if (p >= t->stack && p < t->stack + Stacks::bytes) return;
  if (u64(p - cl.window) < cl.span) {
    t->time += access_cycles;
    const u32 address = u32(p - cl.window);
    const u32 into    = address - t->first_own;  // the first byte that it may use
    if ((into >= cl.used - first_address || into + bytes > cl.used - first_address) &&
        !may_use(*t, address, u32(bytes), write, pc))
      return;
    if (aligned) check_address(*t, p, bytes, write);
    touch(*t, address, nullptr, bytes, false, write, pc, atomic);
  } else if (rt::is_device_memory(p)) {
    t->time += access_cycles;
    rt::Allocation a{};
    if (!rt::find_allocation(p, a) || p + bytes > a.data + a.bytes) in_no_allocation(*t, place, write, pc);
    if (aligned) check_address(*t, p, bytes, write);
    touch(*t, 0, p, bytes, true, write, pc, atomic);
  } else if (p >= cl.variables && p < cl.variables_end) {
    t->time += access_cycles;
    const u32 offset = u32(p - cl.variables);
    use_variables(cl, offset, u32(bytes));
    touch(*t, t->block->rank << rank_shift | (variables_address + offset), nullptr, bytes, false, write, pc, atomic);
  } else {
    // The program's own variables; or memory of the host, which is not told apart from what the machine itself uses.
    if (std::uintptr_t(p) < 4096) check_address(*t, p, bytes, write);
    return;
  }
  ++t->accesses;
  if (atomic) return;
  if (write) t->idle = 0;
  else if (place == t->polled) {
    t->elsewhere = 0;
    if (++t->idle % reads_to_poll == 0) poll_again(*t);
  } else if (++t->elsewhere > places_of_a_poll) {
    t->polled = place;
    t->idle = t->elsewhere = 0;
  }
}

}  // namespace model

namespace rt {
void annotate(const void* place, std::size_t bytes, bool write) {
  model::access(place, bytes, write, __builtin_return_address(0));
}
}  // namespace rt
}  // namespace tma::machine

#define TMA_ACCESS(name, bytes, write) \
  void name(void* p) { tma::machine::model::access(p, bytes, write, __builtin_return_address(0)); }
#define TMA_ALIGNED_ACCESS(name, bytes, write) \
  void name(void* p) { tma::machine::model::access(p, bytes, write, __builtin_return_address(0), false, true); }

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {
  tma::machine::model::Thread* t = tma::machine::model::current;
  // The kernel's own frame: above it lie its parameters.
  if (t && !t->parameters) t->parameters = static_cast<const char*>(*static_cast<void**>(__builtin_frame_address(0))) + 16;
}
void __tsan_func_exit(void*) {}
// -fsanitize-coverage=trace-pc calls it where code branches to: what is computed takes time too.
void __sanitizer_cov_trace_pc() {
  if (tma::machine::model::Thread* t = tma::machine::model::current) t->time += tma::machine::model::stretch_cycles;
}
TMA_ALIGNED_ACCESS(__tsan_read1, 1, false)
TMA_ALIGNED_ACCESS(__tsan_read2, 2, false)
TMA_ALIGNED_ACCESS(__tsan_read4, 4, false)
TMA_ALIGNED_ACCESS(__tsan_read8, 8, false)
TMA_ALIGNED_ACCESS(__tsan_read16, 16, false)
TMA_ALIGNED_ACCESS(__tsan_write1, 1, true)
TMA_ALIGNED_ACCESS(__tsan_write2, 2, true)
TMA_ALIGNED_ACCESS(__tsan_write4, 4, true)
TMA_ALIGNED_ACCESS(__tsan_write8, 8, true)
TMA_ALIGNED_ACCESS(__tsan_write16, 16, true)
TMA_ACCESS(__tsan_unaligned_read2, 2, false)
TMA_ACCESS(__tsan_unaligned_read4, 4, false)
TMA_ACCESS(__tsan_unaligned_read8, 8, false)
TMA_ACCESS(__tsan_unaligned_read16, 16, false)
TMA_ACCESS(__tsan_unaligned_write2, 2, true)
TMA_ACCESS(__tsan_unaligned_write4, 4, true)
TMA_ACCESS(__tsan_unaligned_write8, 8, true)
TMA_ACCESS(__tsan_unaligned_write16, 16, true)
TMA_ACCESS(__tsan_vptr_read, sizeof(void*), false)
TMA_ALIGNED_ACCESS(__tsan_volatile_read1, 1, false)
TMA_ALIGNED_ACCESS(__tsan_volatile_read2, 2, false)
TMA_ALIGNED_ACCESS(__tsan_volatile_read4, 4, false)
TMA_ALIGNED_ACCESS(__tsan_volatile_read8, 8, false)
TMA_ALIGNED_ACCESS(__tsan_volatile_write1, 1, true)
TMA_ALIGNED_ACCESS(__tsan_volatile_write2, 2, true)
TMA_ALIGNED_ACCESS(__tsan_volatile_write4, 4, true)
TMA_ALIGNED_ACCESS(__tsan_volatile_write8, 8, true)
// Both at once, for `x += 1`, as newer compilers write it.
TMA_ALIGNED_ACCESS(__tsan_read_write1, 1, true)
TMA_ALIGNED_ACCESS(__tsan_read_write2, 2, true)
TMA_ALIGNED_ACCESS(__tsan_read_write4, 4, true)
TMA_ALIGNED_ACCESS(__tsan_read_write8, 8, true)
TMA_ALIGNED_ACCESS(__tsan_read_write16, 16, true)
void __tsan_vptr_update(void* p, void*) { tma::machine::model::access(p, sizeof(void*), true, __builtin_return_address(0)); }
void __tsan_read_range(void* p, unsigned long n) { tma::machine::model::access(p, n, false, __builtin_return_address(0)); }
void __tsan_write_range(void* p, unsigned long n) { tma::machine::model::access(p, n, true, __builtin_return_address(0)); }

// Block copies: clang calls the first three, gcc the library's own (with -fno-builtin-memcpy and the like: it would expand
// them, unseen). What is defined here stands in for both.
static void see_copy(void* to, const void* from, std::size_t n, const void* pc) {
  if (!tma::machine::model::current || n == 0) return;
  if (from) tma::machine::model::access(from, n, false, pc);
  tma::machine::model::access(to, n, true, pc);
}
#define TMA_COPY(name)                                      \
  void* name(void* to, const void* from, unsigned long n) { \
    see_copy(to, from, n, __builtin_return_address(0));     \
    return __memmove_chk(to, from, n, any_room);            \
  }
#define TMA_SET(name)                                      \
  void* name(void* to, int value, unsigned long n) {       \
    see_copy(to, nullptr, n, __builtin_return_address(0)); \
    return __memset_chk(to, value, n, any_room);           \
  }
TMA_COPY(__tsan_memcpy)
TMA_COPY(__tsan_memmove)
TMA_COPY(memcpy)
TMA_COPY(memmove)
TMA_SET(__tsan_memset)
TMA_SET(memset)

// Atomics of the host's own code (reference counts, once-flags): the plain operations.
#define TMA_ATOMIC(bits, T)                                                                                              \
  T    __tsan_atomic##bits##_load(const volatile T* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }             \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int) { __atomic_store_n(a, v, __ATOMIC_SEQ_CST); }                \
  T    __tsan_atomic##bits##_exchange(volatile T* a, T v, int) { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); }   \
  T    __tsan_atomic##bits##_fetch_add(volatile T* a, T v, int) { return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST); }   \
  T    __tsan_atomic##bits##_fetch_sub(volatile T* a, T v, int) { return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); }   \
  T    __tsan_atomic##bits##_fetch_and(volatile T* a, T v, int) { return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST); }   \
  T    __tsan_atomic##bits##_fetch_or(volatile T* a, T v, int) { return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST); }     \
  T    __tsan_atomic##bits##_fetch_xor(volatile T* a, T v, int) { return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST); }   \
  T    __tsan_atomic##bits##_fetch_nand(volatile T* a, T v, int) { return __atomic_fetch_nand(a, v, __ATOMIC_SEQ_CST); } \
  int  __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T v, int, int) {                               \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                              \
  }                                                                                                                      \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T v, int, int) {                                  \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                              \
  }                                                                                                                      \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T c, T v, int, int) {                                      \
    __atomic_compare_exchange_n(a, &c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                    \
    return c;                                                                                                            \
  }
TMA_ATOMIC(8, unsigned char)
TMA_ATOMIC(16, unsigned short)
TMA_ATOMIC(32, unsigned)
TMA_ATOMIC(64, unsigned long long)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}

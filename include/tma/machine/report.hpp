// What the machine says of a kernel that does something wrong.
#pragma once

#include "../core/prologue.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tma::machine {

/// What is wrong. The text of a report says the rest.
enum class Kind {
  unwaited_load,           // a thread uses bytes of a load whose phase it has not waited for
  unwaited_cp_async,       // the same of a cp.async
  unfenced_store,          // a store reads what a thread wrote without a proxy fence before they met
  unordered_store,         // a store reads what another thread may still be writing
  store_of_unwaited_load,  // a store reads bytes of a load that the issuer has not waited for
  overwritten_source,      // the source of a store is overwritten before the engine is known to have read it
  early_reuse,             // a load overwrites what a thread may still be using
  unfenced_reuse,          // the same, ordered, but without a proxy fence
  load_over_load,          // two loads write the same bytes
  invisible_store,         // a thread or load reads global memory that a store has not visibly written
  reduction_race,          // a store and a reduction of the same global memory, in no order
  unfenced_global,         // the engine reads global memory that a thread wrote without a proxy fence
  data_race,               // two threads, one of them writing, in no order
  uninitialised,           // shared memory is read that nobody wrote
  outside_tile,            // an index beyond a tile
  out_of_bounds,           // an address beyond its allocation, or beyond the block's shared memory
  bad_address,             // memory of the wrong kind
  barrier_uninitialised,   // a barrier is used that nobody initialised, or whose initialisation this thread cannot see
  barrier_initialised_twice,
  barrier_overwritten,   // the bytes of a live barrier are accessed as data
  arrivals_over,         // more arrivals than a phase counts
  bytes_short,           // a phase completes while a copy that belongs to it is under way: too few bytes were armed
  bytes_over,            // bytes arrive that no phase expects
  transaction_overflow,  // more than 2^20 - 1 bytes outstanding
  phase_missed,          // a thread waits for a phase that has been overtaken: its parity means another one
  phase_unordered,       // nothing keeps the next phase from completing before this wait is over
  deadlock,
  livelock,
  exit_with_load,     // a block ends with a load that nobody has waited for
  exit_with_store,    // a block ends with a store, or a send to another block, that may still read its memory
  peer_ended,         // the shared memory of another block is used that has ended, or that nothing keeps from ending
  uncommitted_store,  // a store that no group was committed for
  illegal_instruction,
  misaligned_address,
  undefined_copy,  // what PTX leaves undefined: a length that is cut, an offset that its bits do not hold, a store to itself
  different_tiles,    // blocks of a cluster ask for different tiles where they load one for all of them
  bad_descriptor,     // no tensor map, or one that is not where the engine can read it
  stale_descriptor,   // a map in global memory is used that was written, and not released or acquired since
  descriptor_in_use,  // a map is written that a copy under way may still read
  diverged,           // threads meet in different operations, or in different numbers
  rule,               // a check of the library's own
  trap,
  nondeterministic,  // two schedules leave different results
};

/// The enumerator as text: "unwaited_load".
const char* name_of(Kind kind);

/// A place in a program: who, and which line.
struct Place {
  int         block  = -1;  // linear index in the grid; -1: nobody
  int         thread = -1;  // rank in the block
  std::string role;         // "producer", "consumer", or empty
  std::string source;       // "kernel.cu:41", or empty where there is no debug information
};

/// One fault of a kernel.
struct Report {
  Kind          kind = Kind::deadlock;
  std::string   text;           // the whole of it, for people
  Place         where, other;   // who did it, and who it collides with or waits for
  std::string   object;         // what it is about: "tile 0 of stage 2", "full[2]"
  long long     phase    = -1;  // of the barrier concerned
  int           schedule = 0;   // the first schedule that showed it, from 0
  std::uint64_t seed     = 0;
};

}  // namespace tma::machine

#include "../core/epilogue.hpp"

// Registers that warps give back and take (setmaxnreg). The block is taken to be alone on its SM, and compiled for exactly its
// threads: what it has is an even share of 65536 for each. A kernel that takes fewer than that by its first move was compiled
// for more blocks to an SM (__launch_bounds__, which is not seen here): of its block nothing more is judged.
#pragma once

#include "meet.hpp"

namespace tma::machine::model {

inline u32 registers_at_launch(const Block& b) {
  const u32 warps = (b.size + 31) / 32, share = 65536 / (warps * 32) / 8 * 8;
  return share < 256 ? share : 256;
}

// One warp of a warpgroup, of which every thread calls: the first does it for all.
inline void move_registers(Thread& t, u32 wanted, bool grow) {
  ++t.accesses;
  Block&     b    = *t.block;
  u32&       mine = b.registers[t.warp];
  const Site site = caller_site();
  if (b.shares_its_sm) return;
  if (grow && mine == 0 && wanted < registers_at_launch(b)) {
    b.shares_its_sm = true;
    for (Thread* o : b.takers) make_ready(*o);
    b.takers.clear();
    progress(*b.cluster);
    return;
  }
  if (mine == 0) mine = registers_at_launch(b);
  if (grow ? wanted < mine : wanted > mine) {
    say(t, Kind::rule, site,
        words(t) + format(" calls setmaxnreg.%s for %u registers and has %u: it must name %s. Fix: the other of "
                          "tma::grow_registers and tma::shrink_registers",
                          grow ? "inc" : "dec", wanted, mine, grow ? "as many or more" : "as many or fewer"));
    stop(t);
  }
  while (mine != wanted && grow && b.spare < wanted - mine) {
    b.takers.push_back(&t);
    park(t, Waiting::registers, wanted, 0, site);
    if (b.shares_its_sm) return;
  }
  if (mine == wanted) return;
  b.spare += mine - wanted;  // modulo 2^32
  mine = wanted;
  for (Thread* o : b.takers) make_ready(*o);
  b.takers.clear();
  progress(*b.cluster);
}

}  // namespace tma::machine::model

// What is chased: nodes in memory, each of which says where the next one is, in every form that a hop may want.
#pragma once

namespace latency {

inline constexpr int node_bytes = 16 * 1024, node_words = node_bytes / 4;
inline constexpr int slots = 8;  // places in shared memory: a group of hops never writes where it has read

// The first words of a node. The rest of it is what larger hops bring as well.
struct Node {
  const Node* next;
  int         plane;   // the next node's index: a coordinate of tensors of rank 3 to 5
  int         row;     // of the matrix with 256 columns: rank 2
  int         column;  // of the one row of all words: rank 1
};

// A walk over the chain: `warm` hops, then `groups` groups of `group` hops, each timed as one: of none, what the timing itself
// takes. `pages` of 2 MiB are touched before, far from what the hops read.
struct Walk {
  const Node* base;
  int         warm, groups, group, pages;
};

inline constexpr int most_groups = 2048;

struct Trace {
  unsigned           cycles[most_groups];  // of a group
  int                last;                 // the index of the node that the walk ended at
  unsigned long long all_cycles, all_ns;
};

}  // namespace latency

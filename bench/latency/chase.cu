#include "chase.hpp"

#include <algorithm>
#include <cstring>

#include "../harness/require.hpp"
#include "hand_hops.cuh"
#include "ours.cuh"

namespace latency {

namespace {

using harness::Kind;
using harness::require;

// What is brought at a time.
std::string bytes_text(int bytes) {
  return bytes < 1024 ? std::to_string(bytes) + " B" : std::to_string(bytes / 1024) + " KiB";
}

template <class... P, class... A> void launch(void (*kernel)(P...), int threads, int shared, const A&... arguments) {
  tma::launch(kernel, {.grid = 1, .block = threads, .shared = tma::detail::u64(shared)}, arguments...);
}

// By threads: 16 bytes each, and four times as many where 256 threads are too few.
template <bool Async> Chase by_threads(int bytes) {
  const int vectors = bytes / 16, threads = std::clamp(vectors, 32, 256);
  return {bytes_text(bytes), Async ? "cp.async" : "ld and st.shared", Kind::plain, [=](const Walk& w, Trace* out) {
            if (vectors > threads) launch(load_tile<Async, 4>, threads, slots * bytes, w, out, bytes);
            else launch(load_tile<Async, 1>, threads, slots * bytes, w, out, bytes);
          }};
}

// Behind the name of a variant.
template <Address A> std::string text(const char* who) {
  return std::string(who) + (A == Address::kept ? ": address kept" : "");
}

template <int Bytes, Address A = Address::made_again> void add_bulk(std::vector<Chase>& to) {
  constexpr int count = Bytes / 4;
  to.push_back({bytes_text(Bytes), text<A>("bulk: ours"), Kind::ours, [](const Walk& w, Trace* out) {
                  launch(bulk<count, A>, 32, int(tma::shared_bytes<BulkRoom<count>>), w, out);
                }});
  to.push_back({bytes_text(Bytes), text<A>("bulk: hand"), Kind::hand,
                [](const Walk& w, Trace* out) { launch(hand::bulk<A>, 32, slots * Bytes + 128, w, out, Bytes); }});
  if constexpr (A == Address::made_again) add_bulk<Bytes, Address::kept>(to);
}

// The memory as a tensor of that rank: the slowest dimension first, and 256 words the fastest but of rank 1.
template <int Rank> tma::TensorView<const int, Rank> view_of(const int* data, int nodes) {
  if constexpr (Rank == 1) return {data, {nodes * node_words}};
  else if constexpr (Rank == 2) return {data, {nodes * (node_words / 256), 256}};
  else if constexpr (Rank == 3) return {data, {nodes, 16, 256}};
  else if constexpr (Rank == 4) return {data, {nodes, 4, 4, 256}};
  else return {data, {nodes, 2, 2, 4, 256}};
}

template <int Rank> Tensor<Rank> descriptor(const int* data, int nodes, int bytes) {
  const auto view  = view_of<Rank>(data, nodes);
  const int  inner = std::min(bytes / 4, 256), rows = bytes / 4 / inner;
  if constexpr (Rank == 1) return tma::make_descriptor(view, {inner});
  else if constexpr (Rank == 2) return tma::make_descriptor(view, {rows, inner});
  else if constexpr (Rank == 3) return tma::make_descriptor(view, {1, rows, inner});
  else if constexpr (Rank == 4) return tma::make_descriptor(view, {1, (rows + 3) / 4, std::min(rows, 4), inner});
  else return tma::make_descriptor(view, {1, (rows + 7) / 8, std::min((rows + 3) / 4, 2), std::min(rows, 4), inner});
}

template <int Rank, Address A = Address::made_again>
void add_tensor(std::vector<Chase>& to, const Node* base, int nodes, int bytes) {
  const auto        in   = descriptor<Rank>(reinterpret_cast<const int*>(base), nodes, bytes);
  const std::string name = "tensor " + std::to_string(Rank) + "-D: ";
  hand::Map         map;
  std::memcpy(&map, tma::tensor_map(in), sizeof map);
  to.push_back({bytes_text(bytes), name + text<A>("ours"), Kind::ours, [=](const Walk& w, Trace* out) {
                  launch(tensor<Rank, A>, 32, int(tma::shared_bytes<TensorRoom>), in, w, out);
                }});
  to.push_back({bytes_text(bytes), name + text<A>("hand"), Kind::hand, [=](const Walk& w, Trace* out) {
                  launch(hand::tensor<Rank, A>, 32, slots * node_bytes + 128, map, w, out, bytes);
                }});
  if constexpr (A == Address::made_again) add_tensor<Rank, Address::kept>(to, base, nodes, bytes);
}

}  // namespace

std::vector<Chase> chases(const Node* base, int nodes) {
  std::vector<Chase> all;
  all.push_back({"8 B", "ld", Kind::plain, [](const Walk& w, Trace* out) { launch(load_words<Cache::l2>, 32, 0, w, out); }});
  all.push_back(
      {"8 B", "ld", Kind::plain, [](const Walk& w, Trace* out) { launch(load_words<Cache::l1>, 32, 0, w, out); }, true});
  add_bulk<16>(all);
  add_bulk<128>(all);
  add_bulk<1024>(all);
  add_bulk<4096>(all);
  add_bulk<16384>(all);
  for (const int bytes : {16, 128, 1024, 4096, 16384}) {
    all.push_back(by_threads<false>(bytes));
    all.push_back(by_threads<true>(bytes));
    if (bytes < 128) continue;
    add_tensor<2>(all, base, nodes, bytes);
    if (bytes <= 1024) add_tensor<1>(all, base, nodes, bytes);
    if (bytes == 1024) continue;
    add_tensor<3>(all, base, nodes, bytes);
    add_tensor<4>(all, base, nodes, bytes);
    add_tensor<5>(all, base, nodes, bytes);
  }
  return all;
}

}  // namespace latency

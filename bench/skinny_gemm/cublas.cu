// The vendor's matrix product, as fast as it can be asked for: every algorithm that its heuristic proposes is timed on the
// problem itself, and the fastest is the peer.
#include <cublasLt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "../harness/kernels.cuh"
#include "../harness/timing.hpp"
#include "ways.hpp"

namespace skinny {
namespace {

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, cublasLtGetStatusString(status));
  std::exit(1);
}

constexpr std::size_t room_bytes = 32 << 20;

constexpr int most_proposals = 64;
struct Proposals {
  int                             count = 0;
  cublasLtMatmulHeuristicResult_t of[most_proposals];  // no vector: its type has no name, which this nvcc stumbles over
};

// What is the same for all launches of one problem.
struct Product {
  cublasLtHandle_t       handle;
  cublasLtMatmulDesc_t   what;
  cublasLtMatrixLayout_t w, x, y;
  void*                  room;

  // Y^T = W X^T: its matrices are column by column.
  explicit Product(const Problem& p) {
    require(cublasLtCreate(&handle), "cublasLtCreate");
    require(cublasLtMatmulDescCreate(&what, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    require(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed), "TRANSA");
    const auto layout = [](cublasLtMatrixLayout_t& to, int rows, int columns) {
      require(cublasLtMatrixLayoutCreate(&to, CUDA_R_16BF, unsigned(rows), unsigned(columns), rows),
              "cublasLtMatrixLayoutCreate");
    };
    layout(w, p.k, p.n);
    layout(x, p.k, p.m);
    layout(y, p.n, p.m);
    harness::require(cudaMalloc(&room, room_bytes), "cudaMalloc");
  }
  ~Product() {
    cudaFree(room);
    for (const auto layout : {w, x, y}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(what);
    cublasLtDestroy(handle);
  }
  Product(const Product&)            = delete;
  Product& operator=(const Product&) = delete;

  Proposals proposals() const {
    cublasLtMatmulPreference_t preference;
    require(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room_bytes,
                                                 sizeof room_bytes),
            "MAX_WORKSPACE_BYTES");
    Proposals all;
    require(cublasLtMatmulAlgoGetHeuristic(handle, what, w, x, y, y, preference, most_proposals, all.of, &all.count),
            "cublasLtMatmulAlgoGetHeuristic");
    cublasLtMatmulPreferenceDestroy(preference);
    return all;
  }

  cublasStatus_t run(const Problem& p, const cublasLtMatmulAlgo_t& algorithm) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle, what, &one, p.w, w, p.x, x, &zero, p.y, y, p.y, y, &algorithm, room, room_bytes, nullptr);
  }
};

// The fastest: of all that run, a few launches each; of the best of them, many.
cublasLtMatmulAlgo_t choose(const Product& product, const Problems& problems) {
  struct Tried {
    cublasLtMatmulAlgo_t algorithm;
    double               ms;
  };
  harness::Timer timer;
  std::size_t    round = 0;
  const auto     time  = [&](const cublasLtMatmulAlgo_t& algorithm, int launches) {
    harness::Samples times;
    bool             runs = true;
    for (int i = 0; i < launches && runs; ++i)
      times.ms.push_back(
          timer([] { harness::hold_device<<<1, 1>>>(20000); },
                [&] { runs = product.run(problems[round++ % problems.size()], algorithm) == CUBLAS_STATUS_SUCCESS; }));
    if (!runs) cudaGetLastError();
    return runs ? times.median() : 1e9;
  };
  const Proposals proposals = product.proposals();
  Tried           tried[most_proposals];
  for (int i = 0; i < proposals.count; ++i) tried[i] = {proposals.of[i].algo, time(proposals.of[i].algo, 5)};
  const auto faster = [](const Tried& a, const Tried& b) { return a.ms < b.ms; };
  std::sort(tried, tried + proposals.count, faster);
  const int best = std::min(proposals.count, 6);
  for (int i = 0; i < best; ++i) tried[i].ms = time(tried[i].algorithm, 25);
  return std::min_element(tried, tried + best, faster)->algorithm;
}

}  // namespace

Prepared by_cublas(const Problems& problems) {
  const auto product   = std::make_shared<Product>(problems.front());
  const auto algorithm = choose(*product, problems);
  return {each_in_turn(problems,
                       [=](const Problem& p) { return [=] { require(product->run(p, algorithm), "cublasLtMatmul"); }; })};
}

}  // namespace skinny

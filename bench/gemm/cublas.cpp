// cuBLAS, both ways in.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "../harness/device_array.hpp"
#include "../harness/timing.hpp"
#include "peers.hpp"

namespace peers {
namespace {

void require(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status) + "\n");
}

template <class T> constexpr cudaDataType type_of = __is_same(T, __half) ? CUDA_R_16F : CUDA_R_16BF;

constexpr std::size_t workspace_bytes = 64 << 20;

// The library's matrices are column-major: what it computes is the transpose, C' = B A'.
template <class T> struct LtProblem {
  cublasLtMatmulDesc_t   operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t   algorithm{};
  gemm::Problem<T>       problem;

  explicit LtProblem(const gemm::Problem<T>& p) : problem(p) {
    const cublasOperation_t transposed = CUBLAS_OP_T;
    require(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    require(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)),
            "cublasLtMatmulDescSetAttribute");
    require(cublasLtMatrixLayoutCreate(&b, type_of<T>, p.k, p.n, p.pitch_b), "cublasLtMatrixLayoutCreate");
    require(cublasLtMatrixLayoutCreate(&a, type_of<T>, p.k, p.m, p.pitch_a), "cublasLtMatrixLayoutCreate");
    require(cublasLtMatrixLayoutCreate(&c, type_of<T>, p.n, p.m, p.pitch_c), "cublasLtMatrixLayoutCreate");
  }
  ~LtProblem() {
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(c);
    cublasLtMatmulDescDestroy(operation);
  }
  LtProblem(const LtProblem&)            = delete;
  LtProblem& operator=(const LtProblem&) = delete;

  cublasStatus_t run(cublasLtHandle_t handle, void* workspace, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle, operation, &one, problem.b, b, problem.a, a, &zero, problem.c, c, problem.c, c, &algorithm,
                          workspace, workspace_bytes, stream);
  }
};

}  // namespace

double short_time(const gemm::Run& run) {
  harness::Timer timer;
  double         ms = 1e30;
  run(nullptr);
  for (int i = 0; i < 4; ++i) ms = std::min(ms, timer([] {}, [&] { run(nullptr); }));
  return ms;
}

struct Cublas::State {
  cublasHandle_t                      handle = nullptr;
  cublasLtHandle_t                    lt     = nullptr;
  harness::DeviceArray<unsigned char> workspace{workspace_bytes};

  State() {
    require(cublasCreate(&handle), "cublasCreate");
    require(cublasLtCreate(&lt), "cublasLtCreate");
    require(cublasSetWorkspace(handle, workspace.data, workspace_bytes), "cublasSetWorkspace");
  }
  ~State() {
    cublasDestroy(handle);
    cublasLtDestroy(lt);
  }
};

Cublas::Cublas() : state_(std::make_shared<State>()) {}
Cublas::~Cublas() = default;

template <class T> gemm::Run Cublas::chosen(const gemm::Problem<T>& p) {
  return [p, state = state_](cudaStream_t) {  // the default one
    const float one = 1, zero = 0;
    require(cublasGemmEx(state->handle, CUBLAS_OP_T, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.b, type_of<T>, p.pitch_b, p.a,
                         type_of<T>, p.pitch_a, &zero, p.c, type_of<T>, p.pitch_c, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            "cublasGemmEx");
  };
}

template <class T> gemm::Run Cublas::fastest(const gemm::Problem<T>& p) {
  const auto                 problem    = std::make_shared<LtProblem<T>>(p);
  cublasLtMatmulPreference_t preference = nullptr;
  require(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
                                               sizeof(workspace_bytes)),
          "cublasLtMatmulPreferenceSetAttribute");
  std::vector<cublasLtMatmulHeuristicResult_t> named(32);
  int                                          count = 0;
  require(cublasLtMatmulAlgoGetHeuristic(state_->lt, problem->operation, problem->b, problem->a, problem->c, problem->c,
                                         preference, int(named.size()), named.data(), &count),
          "cublasLtMatmulAlgoGetHeuristic");
  cublasLtMatmulPreferenceDestroy(preference);

  const gemm::Run run = [problem, state = state_](cudaStream_t stream) {
    require(problem->run(state->lt, state->workspace.data, stream), "cublasLtMatmul");
  };
  double least = 1e30;
  int    best  = -1;
  for (int i = 0; i < count; ++i) {
    problem->algorithm = named[i].algo;
    if (named[i].state != CUBLAS_STATUS_SUCCESS ||
        problem->run(state_->lt, state_->workspace.data, nullptr) != CUBLAS_STATUS_SUCCESS)
      continue;
    if (const double ms = short_time(run); ms < least) {
      least = ms;
      best  = i;
    }
  }
  if (best < 0) throw std::runtime_error("cublasLt knows no algorithm\n");
  problem->algorithm = named[best].algo;
  return run;
}

#define PEERS_INSTANTIATE(T)                                     \
  template gemm::Run Cublas::chosen<T>(const gemm::Problem<T>&); \
  template gemm::Run Cublas::fastest<T>(const gemm::Problem<T>&)
PEERS_INSTANTIATE(__nv_bfloat16);
PEERS_INSTANTIATE(__half);

}  // namespace peers

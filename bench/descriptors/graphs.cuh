// A graph of one kernel.
#pragma once

#include "../harness/require.hpp"

namespace descriptors {

class Graph {
public:
  // What `launch` queues on the stream that it is given is captured.
  template <class Launch> explicit Graph(Launch&& launch) {
    using harness::require;
    cudaStream_t stream;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    launch(stream);
    require(cudaStreamEndCapture(stream, &graph_), "capture");
    require(cudaStreamDestroy(stream), "a stream");
    std::size_t nodes = 1;
    require(cudaGraphGetNodes(graph_, &node_, &nodes), "a graph's node");
    require(cudaGraphInstantiate(&executable_, graph_, 0), "a graph");
  }
  ~Graph() {
    cudaGraphExecDestroy(executable_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&)            = delete;
  Graph& operator=(const Graph&) = delete;

  void replay() { harness::require(cudaGraphLaunch(executable_, nullptr), "a graph's launch"); }

  // Gives the kernel other arguments from the next replay on.
  void update(void** arguments) {
    cudaKernelNodeParams parameters{};
    harness::require(cudaGraphKernelNodeGetParams(node_, &parameters), "a node's parameters");
    parameters.kernelParams = arguments;
    harness::require(cudaGraphExecKernelNodeSetParams(executable_, node_, &parameters), "a graph's update");
  }

private:
  cudaGraph_t     graph_      = nullptr;
  cudaGraphNode_t node_       = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace descriptors

// expect: tma::ClusterShape: a cluster has at most 8 blocks, 16 where the device allows it
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

#ifndef FIXED
using Shape = tma::ClusterShape<0, 2>;
#else
using Shape = tma::ClusterShape<1, 2>;
#endif

int blocks() { return Shape::size; }

// The matrix of rings: stages of one-dimensional copies.
#include "pipeline_matrix.hpp"

TEST_CASE("one-dimensional copies: the whole block uses every stage, whatever the stages, steps and loops") {
  matrix::run_all_whole_block<matrix::Kind::bulk>();
}

TEST_CASE("one-dimensional copies: warps use what another warp loads, whatever the stages, steps, loops and consumers") {
  matrix::run_all_roles<matrix::Kind::bulk>();
}

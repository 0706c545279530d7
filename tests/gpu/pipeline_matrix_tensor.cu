// The matrix of rings: stages of tiles.
#include "pipeline_matrix.hpp"

TEST_CASE("tiles: the whole block uses every stage, whatever the stages, steps and loops") {
  matrix::run_all_whole_block<matrix::Kind::tensor>();
}

TEST_CASE("tiles: warps use what another warp loads, whatever the stages, steps, loops and consumers") {
  matrix::run_all_roles<matrix::Kind::tensor>();
}

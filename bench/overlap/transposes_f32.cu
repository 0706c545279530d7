#include "transposes.cuh"

template std::vector<overlap::Candidate> overlap::transposes(const float*, float*, const transpose::Work&, int);

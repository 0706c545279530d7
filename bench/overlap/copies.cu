#include "search.cuh"

std::vector<overlap::Candidate> overlap::copies(const Job& job) { return movers<1>(job); }

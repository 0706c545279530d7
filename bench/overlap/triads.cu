#include "search.cuh"

std::vector<overlap::Candidate> overlap::triads(const Job& job) { return movers<2>(job); }

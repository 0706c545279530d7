#include "transposes.cuh"

template std::vector<overlap::Candidate> overlap::transposes(const transpose::Half*, transpose::Half*,
                                                             const transpose::Work&, int);

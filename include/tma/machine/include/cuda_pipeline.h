// Stand-in for CUDA's header of this name: the functions of cuda_pipeline_primitives.h, which CUDA's own includes. Its
// classes of nvcuda::experimental are not there.
#pragma once

#include "cuda_pipeline_primitives.h"

# find_package(CUDAToolkit) for a toolkit without nvcc, the folder TMA_TOOLKIT. CMake's own goes by nvcc, and would find
# another toolkit, or its libraries. The runtime is the shared one: 12.8 has no other on PyPI.
file(STRINGS ${TMA_TOOLKIT}/include/cuda.h version REGEX "^#define CUDA_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+$" version "${version}")
math(EXPR CUDAToolkit_VERSION_MAJOR "${version} / 1000")
math(EXPR CUDAToolkit_VERSION_MINOR "${version} % 1000 / 10")
set(CUDAToolkit_VERSION ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR})
set(CUDAToolkit_INCLUDE_DIRS ${TMA_TOOLKIT}/include)
set(CUDAToolkit_BIN_DIR ${TMA_TOOLKIT}/bin)

function(tma_toolkit_library name file)
  if(NOT TARGET CUDA::${name})
    add_library(CUDA::${name} SHARED IMPORTED GLOBAL)
    set_target_properties(CUDA::${name} PROPERTIES IMPORTED_LOCATION ${TMA_TOOLKIT}/lib/${file}
                                                   INTERFACE_INCLUDE_DIRECTORIES ${CUDAToolkit_INCLUDE_DIRS})
  endif()
endfunction()
tma_toolkit_library(cudart libcudart.so)
tma_toolkit_library(cudart_static libcudart.so)
tma_toolkit_library(nvrtc libnvrtc.so)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CUDAToolkit REQUIRED_VARS TMA_TOOLKIT VERSION_VAR CUDAToolkit_VERSION)

# Programs that run CUDA kernels on the CPU machine (docs/machine.md).
#
#   tma_add_machine_program(name source...)  an executable of .cu and .cpp files, compiled by the host compiler alone
#   tma_add_machine_test(name source...)     the same, and a CTest test that runs it
#
# A source may be part of a CUDA target as well. The compiler instruments every memory access of the sources
# (-fsanitize=thread), and the machine, not the sanitizer's library, is what the instrumentation calls.

set(TMA_MACHINE_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/../include" CACHE INTERNAL "")
if(NOT EXISTS ${TMA_MACHINE_INCLUDE}/tma/machine/machine.cpp)
  set(TMA_MACHINE_INCLUDE "${TMA_INSTALLED_INCLUDE}" CACHE INTERNAL "")
endif()

# The machine itself, compiled once a build. Boost.Context switches threads; without it ucontext does, ten times slower.
function(tma_make_machine_library)
  if(TARGET tma_machine)
    return()
  endif()
  find_package(Threads REQUIRED)
  add_library(tma_machine STATIC ${TMA_MACHINE_INCLUDE}/tma/machine/machine.cpp)
  target_compile_features(tma_machine PUBLIC cxx_std_20)
  target_include_directories(tma_machine PUBLIC ${TMA_MACHINE_INCLUDE})
  target_include_directories(tma_machine PRIVATE ${TMA_MACHINE_INCLUDE}/tma/machine/include)
  target_compile_options(tma_machine PRIVATE -O2 -g -fno-omit-frame-pointer)
  target_link_libraries(tma_machine PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
  find_package(Boost QUIET COMPONENTS context)
  if(Boost_CONTEXT_FOUND AND NOT TMA_MACHINE_UCONTEXT)
    target_link_libraries(tma_machine PUBLIC Boost::context)
  else()
    target_compile_definitions(tma_machine PRIVATE TMA_MACHINE_UCONTEXT)
  endif()
endfunction()

function(tma_add_machine_program name)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    message(FATAL_ERROR "tma: CMAKE_CXX_COMPILER_ID = ${CMAKE_CXX_COMPILER_ID}: the machine is compiled by GCC or Clang. "
                        "Fix: configure with one of them as CMAKE_CXX_COMPILER.")
  endif()
  tma_make_machine_library()
  set(units)
  foreach(source ${ARGN})
    if(source MATCHES "\\.cu$")
      get_filename_component(path "${source}" ABSOLUTE)
      string(MAKE_C_IDENTIFIER "${name}_${source}" unit)
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/tma_machine/${unit}.cpp CONTENT "#include \"${path}\"\n")
      list(APPEND units ${CMAKE_CURRENT_BINARY_DIR}/tma_machine/${unit}.cpp)
    else()
      list(APPEND units ${source})
    endif()
  endforeach()
  add_executable(${name} ${units})
  target_include_directories(${name} BEFORE PRIVATE ${TMA_MACHINE_INCLUDE}/tma/machine/include)
  target_compile_options(${name} PRIVATE -include tma/machine/cuda.hpp -fsanitize=thread -fno-omit-frame-pointer -g -O1
                                         -Wno-unknown-pragmas -Wno-psabi $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_link_libraries(${name} PRIVATE tma_machine)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

function(tma_add_machine_test name)
  tma_add_machine_program(${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# Programs that run CUDA kernels on the CPU machine (docs/machine.md). Needs GCC or Clang on Linux, and no CUDA toolkit.
#
#   tma_add_machine_program(name source...)  an executable of .cu and .cpp files, compiled by the host compiler alone
#   tma_add_machine_test(name source...)     the same, and a CTest test of that name that runs it
#
# A source may be part of a CUDA target as well. The compiler instruments every memory access of the sources
# (-fsanitize=thread) and branch (-fsanitize-coverage=trace-pc: the simulated clock), and the machine, not the sanitizers'
# libraries, is what the instrumentation calls.
#
# The package's config file says where the headers are (tma_machine_include); in the source tree they lie beside this file.
# Where two dependencies of a project bring tma, the first serves both: the machine is compiled once.

get_property(TMA_MACHINE_INCLUDE GLOBAL PROPERTY TMA_MACHINE_INCLUDE)
if(NOT TMA_MACHINE_INCLUDE)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/../include/tma/machine/machine.cpp)
    get_filename_component(TMA_MACHINE_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/../include ABSOLUTE)
  else()
    set(TMA_MACHINE_INCLUDE "${tma_machine_include}")
  endif()
  set_property(GLOBAL PROPERTY TMA_MACHINE_INCLUDE "${TMA_MACHINE_INCLUDE}")
endif()
# Functions are seen in every directory of a project, and so is what they need.
set(TMA_MACHINE_INCLUDE "${TMA_MACHINE_INCLUDE}" CACHE INTERNAL "")

# The machine itself, compiled once a build. Boost.Context switches threads; without it ucontext does, more slowly.
function(tma_make_machine_library)
  if(TARGET tma_machine)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$" OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    message(FATAL_ERROR "tma: the machine is compiled by GCC or Clang on Linux; this is "
                        "'${CMAKE_CXX_COMPILER_ID}' on ${CMAKE_SYSTEM_NAME}. "
                        "Fix: project(... LANGUAGES CXX), and -DCMAKE_CXX_COMPILER=g++ or clang++.")
  endif()
  if(NOT EXISTS ${TMA_MACHINE_INCLUDE}/tma/machine/machine.cpp)
    message(FATAL_ERROR "tma: TMA_MACHINE_INCLUDE = '${TMA_MACHINE_INCLUDE}': no tma/machine/machine.cpp is there. "
                        "Fix: install tma again.")
  endif()
  add_library(tma_machine STATIC EXCLUDE_FROM_ALL ${TMA_MACHINE_INCLUDE}/tma/machine/machine.cpp)
  target_compile_features(tma_machine PUBLIC cxx_std_20)
  # A project's own warnings are about its own code.
  if(PROJECT_NAME STREQUAL "tma")
    target_include_directories(tma_machine PUBLIC ${TMA_MACHINE_INCLUDE})
  else()
    target_include_directories(tma_machine SYSTEM PUBLIC ${TMA_MACHINE_INCLUDE})
    target_compile_options(tma_machine PRIVATE -w)
  endif()
  target_include_directories(tma_machine BEFORE PRIVATE ${TMA_MACHINE_INCLUDE}/tma/machine/include)
  target_compile_options(tma_machine PRIVATE -O2 -g -fno-omit-frame-pointer PUBLIC -pthread)
  # By path: an imported target would not be known in every directory that has a test.
  target_link_libraries(tma_machine PUBLIC -pthread ${CMAKE_DL_LIBS})
  find_path(TMA_BOOST_CONTEXT_INCLUDE boost/context/detail/fcontext.hpp)
  find_library(TMA_BOOST_CONTEXT_LIBRARY boost_context)
  mark_as_advanced(TMA_BOOST_CONTEXT_INCLUDE TMA_BOOST_CONTEXT_LIBRARY)
  if(TMA_BOOST_CONTEXT_INCLUDE AND TMA_BOOST_CONTEXT_LIBRARY AND NOT TMA_MACHINE_UCONTEXT)
    target_include_directories(tma_machine SYSTEM PRIVATE ${TMA_BOOST_CONTEXT_INCLUDE})
    target_link_libraries(tma_machine PUBLIC ${TMA_BOOST_CONTEXT_LIBRARY})
  else()
    target_compile_definitions(tma_machine PRIVATE TMA_MACHINE_UCONTEXT)
  endif()
  # Return addresses and calls are what they are in the source.
  set_target_properties(tma_machine PROPERTIES CXX_EXTENSIONS OFF INTERPROCEDURAL_OPTIMIZATION OFF UNITY_BUILD OFF)
endfunction()

function(tma_add_machine_program name)
  if(NOT ARGN)
    message(FATAL_ERROR "tma: tma_add_machine_program(${name}): no sources. Fix: name at least one .cu or .cpp file.")
  endif()
  tma_make_machine_library()
  # No compiler takes a .cu file for C++ by its name, and a CUDA compiler, where the project has one, would take it.
  set(units)
  foreach(source ${ARGN})
    if(source MATCHES "\\.cu$")
      get_filename_component(path "${source}" ABSOLUTE)
      string(MAKE_C_IDENTIFIER "${name}_${source}" unit)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/tma_machine/${unit}.cpp)
      file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"@path@\"\n" @ONLY)
      set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS "${path}")
      list(APPEND units ${unit})
    else()
      list(APPEND units ${source})
    endif()
  endforeach()
  add_executable(${name} ${units})
  # Before anything of a CUDA toolkit that the project may have on its path.
  target_include_directories(${name} BEFORE PRIVATE ${TMA_MACHINE_INCLUDE}/tma/machine/include)
  target_compile_options(
    ${name}
    PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include tma/machine/cuda.hpp>"
            "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread;-fsanitize-coverage=trace-pc>"
            -fno-omit-frame-pointer -g -gdwarf-4 -O1 -Wno-unknown-pragmas $<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC expands copies where it can, and instruments none of what it then writes.
    target_compile_options(${name} PRIVATE -Wno-tsan -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset)
  else()
    # Clang leaves out a read that a write of the same place follows: `x += 1` would not be seen to read.
    target_compile_options(${name} PRIVATE -Wno-missing-braces "SHELL:-mllvm -tsan-instrument-read-before-write=1")
  endif()
  target_link_libraries(${name} PRIVATE tma_machine)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF INTERPROCEDURAL_OPTIMIZATION OFF UNITY_BUILD OFF)
endfunction()

function(tma_add_machine_test name)
  tma_add_machine_program(${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

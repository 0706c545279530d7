# What the target tma::tma gets where it is used, of the CMake that is there: of a folder that is added (CMakeLists.txt) and of
# a package that is found (tma-config.cmake).

# C++20 for CUDA sources, the toolkit's headers for host compilers, and a look at the architectures at the end. May be called
# again for the same target, which changes nothing.
function(tma_complete_target target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(features ${target} INTERFACE_COMPILE_FEATURES)
  if(CMAKE_VERSION VERSION_LESS 3.25.2)
    # These know no C++20 of nvcc's, and leave the option out in silence. A variable of the cache is seen in every directory.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20 CACHE INTERNAL "")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20 CACHE INTERNAL "")
  elseif(NOT features MATCHES "cuda_std_20")
    # CMake refuses a feature of a language in a directory that does not have it.
    target_compile_features(${target} INTERFACE $<BUILD_INTERFACE:$<$<CUDA_COMPILER_ID:NVIDIA,Clang>:cuda_std_20>>)
  endif()
  # nvcc has the toolkit's headers, and brings the runtime library, by itself.
  if(CUDAToolkit_INCLUDE_DIRS)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    string(FIND "${folders}" "${CUDAToolkit_INCLUDE_DIRS}" place)
    if(place EQUAL -1)
      target_include_directories(${target} SYSTEM INTERFACE
                                 $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:${CUDAToolkit_INCLUDE_DIRS}>>)
    endif()
  endif()
  get_property(deferred GLOBAL PROPERTY TMA_LOOKS_AT_ARCHITECTURES)
  if(NOT deferred)
    set_property(GLOBAL PROPERTY TMA_LOOKS_AT_ARCHITECTURES ON)
    cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL tma_look_at_architectures)
  endif()
endfunction()

# --- a message where no architecture has the copy engine -------------------------------------------------------------

function(tma_look_at_architectures)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(CUDA IN_LIST languages)
    tma_look_at_directory(${CMAKE_SOURCE_DIR})
  endif()
endfunction()

function(tma_look_at_directory directory)
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "EXECUTABLE|^(STATIC|SHARED|MODULE|OBJECT)_LIBRARY$")
      get_target_property(sources ${target} SOURCES)
      get_target_property(architectures ${target} CUDA_ARCHITECTURES)
      if(sources MATCHES "\\.cu(;|$)" AND architectures MATCHES "[0-9]" AND NOT architectures MATCHES "(^|;)(9[0-9]|[1-9][0-9][0-9])")
        tma_target_uses(${target} uses "")
        if(uses)
          message(
            WARNING "tma: [CUDA_ARCHITECTURES] ${target} = ${architectures}: a program that uses the copy engine must be compiled "
                    "for an architecture that has it, which is 90 or newer; elsewhere its copies stop the kernel. Fix: "
                    "-DCMAKE_CUDA_ARCHITECTURES=90a-real for Hopper, 100a-real or 120a-real for Blackwell, beside what else "
                    "is needed.")
        endif()
      endif()
    endif()
  endforeach()
  get_property(directories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS directories)
    tma_look_at_directory(${below})
  endforeach()
endfunction()

# Whether a target links tma::tma, itself or by one that it links.
function(tma_target_uses target result seen)
  set(${result} FALSE PARENT_SCOPE)
  list(APPEND seen ${target})
  foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_target_property(libraries ${target} ${property})
    foreach(library IN LISTS libraries)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
      set(uses FALSE)
      if(library MATCHES "^tma(::tma)?$")
        set(uses TRUE)
      elseif(TARGET "${library}" AND NOT library IN_LIST seen)
        tma_target_uses(${library} uses "${seen}")
      endif()
      if(uses)
        set(${result} TRUE PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

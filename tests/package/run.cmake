# Builds and runs the consumer: -DMODE=install|subdirectory -DSOURCE= -DBUILD= -DWORK= [-DSEPARABLE=ON]
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
if(MODE STREQUAL install)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  set(where -DCMAKE_PREFIX_PATH=${WORK}/prefix)
else()
  set(where -DTMA_SOURCE=${SOURCE})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package/consumer -B ${WORK}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DSEPARABLE=${SEPARABLE} ${where})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)

# What tma_add_machine_program says of a source: cmake -DSOURCE_DIR=... -DBINARY_DIR=... -P source_causes.cmake
include(${SOURCE_DIR}/cmake/tma-machine.cmake)
file(WRITE ${BINARY_DIR}/source_causes/ptx.cu "__global__ void kernel() {

  int x[2] = {1, 2}; asm volatile(\"nanosleep.u32 20;\");
}
")
file(WRITE ${BINARY_DIR}/source_causes/dynamic.cu "// extern __shared__ in words
extern __shared__ float line[];
")
file(WRITE ${BINARY_DIR}/source_causes/knows.cu "__global__ void kernel() {
#if !defined(TMA_MACHINE)
  asm volatile(\"nanosleep.u32 20;\");
#endif
}
")
file(WRITE ${BINARY_DIR}/source_causes/plain.cu "__global__ void kernel(int* basm) { basm[0] = 1; }  // no asm
")
foreach(name ptx dynamic knows plain)
  message(NOTICE "looks at ${name}")
  tma_explain_machine_source(${BINARY_DIR}/source_causes/${name}.cu)
endforeach()
message(NOTICE "done")

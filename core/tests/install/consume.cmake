# Installs core and mockgpu into a new folder, builds a project against them, and runs it and the
# command from there.
function(must_print expected)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE messages RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${ARGN}\nends with ${code} and prints\n${output}${messages}\ninstead of\n${expected}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(installed ${WORK}/prefix)
foreach(component core mockgpu)
  must_print("" ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${installed})
endforeach()
must_print("" ${CMAKE_COMMAND} -S ${HERE}/consumer -B ${WORK}/build -DCMAKE_PREFIX_PATH=${installed})
must_print("" ${CMAKE_COMMAND} --build ${WORK}/build)
must_print("^3 files, 1 workspace\n2\n$" ${WORK}/build/plans ${EXAMPLES}/hdiff/program.sdfg)
must_print("^mock 5\n$" ${WORK}/build/runs)
must_print("verdict: holds \\(1 run, results compared in 1, "
           ${CMAKE_COMMAND} -E env XDG_CACHE_HOME=${WORK}/cache ${installed}/${BIN}/assay check
           ${EXAMPLES}/axpy/program.sdfg --case ${EXAMPLES}/axpy/case.json --quiet --mode pool
           --target cuda --stream external --call async --schedule lazy)
file(REMOVE_RECURSE ${WORK})

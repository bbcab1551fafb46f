# One example program in one memory mode on a real device: `assay check` over streams, calls and workspace
# kinds, and once with a second call that has other symbols; with TOOL, a few runs under that tool of
# compute-sanitizer. Without a device the test is skipped with the vendor's reason; ASSAY_REQUIRE_DEVICE=1 makes
# that a failure.
execute_process(COMMAND ${PROBE} --probe RESULT_VARIABLE status OUTPUT_VARIABLE answer
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
  if("$ENV{ASSAY_REQUIRE_DEVICE}" STREQUAL "1")
    message(FATAL_ERROR "ASSAY_REQUIRE_DEVICE is set and there is no device: ${answer}")
  endif()
  message("skipped, no device: ${answer}")
  return()
endif()
set(settings --workspace all --stream default,external,own:3)
if(TOOL) # each run starts it anew: the settings that make text and memory, once
  set(settings --workspace exact --stream external --call async --timeout 250 --sanitizer ${TOOL})
endif()
if(PLANT) # the tool has to report it: its silence elsewhere would mean nothing
  list(APPEND settings --plant ${PLANT})
endif()
execute_process(COMMAND ${ASSAY} check ${PROGRAM}/program.sdfg --case ${PROGRAM}/case.json --backend ${BACKEND}
                        --mode ${MODE} ${settings} --quiet
                RESULT_VARIABLE status OUTPUT_VARIABLE report ECHO_OUTPUT_VARIABLE)
if(PLANT)
  if(NOT status EQUAL 1 OR NOT report MATCHES "compute-sanitizer: ")
    message(FATAL_ERROR "${PLANT} was planted, and ${TOOL} did not report it: assay check ended with ${status}")
  endif()
  return()
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "assay check ended with ${status}")
endif()
# Two calls with different symbols have no expected arrays: both are compared with the CPU's.
if(AGAIN)
  execute_process(COMMAND ${ASSAY} check ${PROGRAM}/program.sdfg ${AGAIN} --backend ${BACKEND} --mode ${MODE}
                          --workspace exact,shared --stream default,external --quiet
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "assay check with a second call ended with ${status}")
  endif()
endif()

# All conformance cases in one process under a tool of compute-sanitizer. Without a device the test is skipped with
# the vendor's reason; ASSAY_REQUIRE_DEVICE=1 makes that a failure. The tool itself dies where there is no driver, so
# the cases are asked first.
execute_process(COMMAND ${CASES} --gtest_filter=Errors.CleanCallsLeaveNone RESULT_VARIABLE status
                OUTPUT_VARIABLE answer ERROR_VARIABLE answer)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${answer}")
endif()
if(answer MATCHES "no device: [^\n]*")
  message("skipped, ${CMAKE_MATCH_0}")
  return()
endif()
# Some cases make calls fail on purpose: failed calls are theirs to judge.
set(rules)
if(TOOL STREQUAL memcheck)
  set(rules --report-api-errors no --leak-check full)
endif()
execute_process(COMMAND ${SANITIZER} --tool ${TOOL} --error-exitcode 86 ${rules} ${CASES}
                RESULT_VARIABLE status OUTPUT_VARIABLE report ECHO_OUTPUT_VARIABLE)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "compute-sanitizer ended with ${status}")
endif()
# Its exit code alone would also stand for cases that never ran.
if(NOT report MATCHES "SUMMARY: 0 " OR NOT report MATCHES "PASSED *. [1-9]")
  message(FATAL_ERROR "compute-sanitizer ended well, but the cases did not run under it")
endif()

# cmake -DNM=... -DHOOKS=... -P: plain.cpp has another calling convention than all other code, so that it may call
# nothing but itself and `mockgpu_check_access`, and share no function with other objects.
execute_process(COMMAND ${NM} ${HOOKS} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "\nplain\\.cpp\\.o:\n([^\n]+\n)+" symbols "${symbols}")
if(NOT symbols MATCHES " U mockgpu_check_access\n" OR NOT symbols MATCHES " T __mockgpu_read8_at\n")
  message(FATAL_ERROR "no hooks in ${HOOKS}")
endif()
# Data, by their names.
foreach(known _GLOBAL_OFFSET_TABLE_ mockgpu_check_access mockgpu_block_dim mockgpu_grid_dim mockgpu_indices
              mockgpu_inline_view _ZN7mockgpu11known_sitesE _ZN7mockgpu15current_contextE _ZN7mockgpu6shadowE
              _ZN7mockgpu9grid_viewE)
  string(REPLACE " U ${known}\n" " known\n" symbols "${symbols}")
endforeach()
string(REGEX MATCHALL " [UWVuw] [^\n]+" others "${symbols}")
if(others)
  message(FATAL_ERROR "plain.cpp uses or shares:${others}")
endif()

# For CMake older than 3.25.2, which knows no C++20 for NVIDIA's compilers: give this file as
# CMAKE_USER_MAKE_RULES_OVERRIDE_CUDA.
foreach(standard 20 23)
  if(NOT CMAKE_CUDA${standard}_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA${standard}_STANDARD_COMPILE_OPTION "-std=c++${standard}")
    set(CMAKE_CUDA${standard}_EXTENSION_COMPILE_OPTION "-std=c++${standard}")
  endif()
endforeach()

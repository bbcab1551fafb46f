# A folder laid out as ROCm, for build systems that look into it: find_package(HIP) and CMake's HIP language. CMake
# refuses compilers whose name holds "hipcc" and knows Clang alone for HIP; the second name and the settings of
# hip_language.cmake are for that.

# mockgpu_write_rocm(<folder>)
function(mockgpu_write_rocm folder)
  file(MAKE_DIRECTORY ${folder}/bin)
  file(CREATE_LINK ../../../../bin/mockgpu-nvcc ${folder}/bin/hipcc SYMBOLIC)
  file(CREATE_LINK ../../../../bin/mockgpu-nvcc ${folder}/bin/mockgpu-hip SYMBOLIC)
  file(CREATE_LINK ../shim ${folder}/include SYMBOLIC)
  file(WRITE ${folder}/lib/cmake/hip/hip-config.cmake
       "# The mock's drivers link the runtime by themselves.\n"
       "get_filename_component(HIP_PATH \"\${CMAKE_CURRENT_LIST_DIR}/../../..\" ABSOLUTE)\n"
       "set(HIP_HIPCC_EXECUTABLE \${HIP_PATH}/bin/hipcc)\n"
       "foreach(target hip::host hip::device)\n"
       "  if(NOT TARGET \${target})\n"
       "    add_library(\${target} INTERFACE IMPORTED)\n"
       "    target_include_directories(\${target} SYSTEM INTERFACE \${HIP_PATH}/include)\n"
       "  endif()\n"
       "endforeach()\n")
  file(WRITE ${folder}/lib/cmake/hip-lang/hip-lang-config.cmake
       "if(NOT TARGET hip-lang::device)\n"
       "  add_library(hip-lang::device INTERFACE IMPORTED)\n"
       "endif()\n"
       "set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)\n")
  file(WRITE ${folder}/hip_language.cmake
       "# Give this file to cmake by -C.\n"
       "get_filename_component(rocm \"\${CMAKE_CURRENT_LIST_DIR}\" ABSOLUTE)\n"
       "set(CMAKE_HIP_COMPILER \${rocm}/bin/mockgpu-hip CACHE FILEPATH \"\")\n"
       "set(CMAKE_HIP_COMPILER_ROCM_ROOT \${rocm} CACHE PATH \"\")\n"
       "set(CMAKE_HIP_COMPILER_ID_RUN TRUE CACHE BOOL \"\")\n"
       "set(CMAKE_HIP_COMPILER_ID Clang CACHE STRING \"\")\n"
       "set(CMAKE_HIP_COMPILER_VERSION 15.0.0 CACHE STRING \"\")\n"
       "set(CMAKE_HIP_COMPILER_FORCED TRUE CACHE BOOL \"\")\n"
       "set(CMAKE_HIP_STANDARD_COMPUTED_DEFAULT 17 CACHE STRING \"\")\n"
       # With these CMake has options for standards of C++, which it otherwise learns from the compiler.
       "set(CMAKE_HIP_COMPILER_FRONTEND_VARIANT GNU CACHE STRING \"\")\n"
       "set(CMAKE_HIP_EXTENSIONS_COMPUTED_DEFAULT ON CACHE BOOL \"\")\n"
       "set(CMAKE_HIP_ARCHITECTURES gfx942 CACHE STRING \"\")\n"
       "set(HIP_DIR \${rocm}/lib/cmake/hip CACHE PATH \"\")\n"
       "set(hip_DIR \${rocm}/lib/cmake/hip CACHE PATH \"\")\n")
endfunction()

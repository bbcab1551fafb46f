# A folder laid out as NVIDIA's toolkit, for build systems that look into it: CMake's CUDA language
# and find_package(CUDAToolkit). Its libraries are linker scripts that name the mock's.

# mockgpu_write_toolkit(<folder> <library folder>): the latter relative to the folder's lib64.
function(mockgpu_write_toolkit folder libraries)
  file(MAKE_DIRECTORY ${folder}/bin ${folder}/lib64)
  file(CREATE_LINK ../../../../bin/mockgpu-nvcc ${folder}/bin/nvcc SYMBOLIC)
  file(CREATE_LINK ../shim ${folder}/include SYMBOLIC)
  foreach(library libcudart.so libcudart_static.a)
    file(WRITE ${folder}/lib64/${library}
         "/* The mock stands in for the runtime. */\n"
         "INPUT(${libraries}/libmockgpu_hooks.a ${libraries}/libmockgpu.so)\n")
  endforeach()
  # Also where a program finds the mock that was linked with this folder as its library path.
  file(CREATE_LINK ${libraries}/libmockgpu.so ${folder}/lib64/libmockgpu.so SYMBOLIC)
  file(WRITE ${folder}/lib64/libcudadevrt.a "!<arch>\n")
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda_standards.cmake ${folder}/cuda_standards.cmake COPYONLY)
  file(WRITE ${folder}/nvvm/libdevice/README "Device code is host code here: there is no bitcode.\n")
  file(WRITE ${folder}/version.json
       "{\"cuda\": {\"name\": \"mockgpu in the place of CUDA\", \"version\": \"13.0.2\"}}\n")
endfunction()

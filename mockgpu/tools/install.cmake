# mockgpu by itself: cmake --install <build> --component mockgpu
install(TARGETS mockgpu-nvcc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mockgpu)
install(FILES ${PROJECT_BINARY_DIR}/bin/mockgpu-hipcc ${PROJECT_BINARY_DIR}/bin/mockgpu-cxx
        DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mockgpu)
install(TARGETS mockgpu_assembler RUNTIME DESTINATION libexec/mockgpu COMPONENT mockgpu)
# The drivers' own include folder serves those who drive the mock from C++ as well.
install(TARGETS mockgpu EXPORT assay-mockgpu-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mockgpu
        FILE_SET HEADERS DESTINATION share/mockgpu/include COMPONENT mockgpu)
install(TARGETS mockgpu_hooks EXPORT assay-mockgpu-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mockgpu)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/mockgpu/shim DESTINATION share/mockgpu COMPONENT mockgpu)
install(FILES ${here}/canary.cpp DESTINATION share/mockgpu COMPONENT mockgpu)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/toolkit ${CMAKE_CURRENT_BINARY_DIR}/rocm DESTINATION share/mockgpu COMPONENT mockgpu)
install(EXPORT assay-mockgpu-targets NAMESPACE assay::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay COMPONENT mockgpu)

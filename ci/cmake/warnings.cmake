# Warnings live in a build-only interface target: they never reach a consumer of the package.
add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                                                $<$<BOOL:${ASSAY_WERROR}>:-Werror>)

# GCC 12 takes "a" + std::string for overlapping copies at -O3 (its bug 105651): a false alarm in the first build that users see.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(assay_warnings INTERFACE -Wno-restrict)
endif()

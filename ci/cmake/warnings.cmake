# Warnings live in a build-only interface target: they never reach a consumer of the package.
add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                                                $<$<BOOL:${ASSAY_WERROR}>:-Werror>)

#pragma once
/// \file Included by force in front of each source of the hooks: they are linked into libraries
/// whose units all have hooks, and carry the mark of those (tools/assembly.hpp) by intent.
__asm__(".pushsection mockgpu_units,\"a\",@progbits\n"
        ".asciz \"" __BASE_FILE__ "\"\n"
        ".popsection\n");

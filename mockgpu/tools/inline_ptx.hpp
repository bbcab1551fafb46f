#pragma once
/// \file Inline assembly for NVIDIA's devices, which no assembler of a host takes.
#include <optional>
#include <string>
#include <string_view>

#include "declarations.hpp"

namespace mockgpu::tools {

struct inline_ptx {
  unsigned end = 0;        ///< behind the statement's parentheses
  std::string replacement; ///< an expression for it
};

/// What stands for the assembly statement whose first word is token `at`, if it is PTX: reads of
/// the lane's number and masks, of the multiprocessor's number, and fences have equivalents;
/// anything else becomes a call of `::mockgpu_shim::inline_ptx`, which does not compile where it is
/// used. Nothing for other assembly and other tokens.
[[nodiscard]] std::optional<inline_ptx> read_inline_ptx(token_list const&, unsigned at);

} // namespace mockgpu::tools

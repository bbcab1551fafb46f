#pragma once
/// \file Single faults in the text of a GPU program, whoever generated it: they are found by the
/// runtime's calls, by launches and by kernels, and all of them stand in one text, which chooses
/// one when it runs.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/emit.hpp"

namespace assay::fuzz {

enum class code_fault : std::uint8_t {
  drop_wait,        ///< a wait of the host or of a stream is left out
  move_wait,        ///< it comes behind the next piece of work
  read_before_wait, ///< it comes behind the host's read of what was copied before it
  redirect_wait,    ///< it is for another stream, or for another event
  drop_record,      ///< an event is not recorded
  swap_stream,      ///< a launch, copy, fill, allocation or release goes to another stream
  null_stream,      ///< or to the default stream
  shorten_memory,   ///< an allocation or a workspace has half of its size
  shift_workspace,  ///< an array lies 8 bytes further in the workspace
  share_workspace,  ///< an array lies where another one does
  free_early,       ///< memory is released before its last use
  free_twice,       ///< memory is released again at once
  skip_free,        ///< memory, a stream or an event is not given back
  drop_atomic,      ///< an atomic update is a read and a write
  widen_subset,     ///< a kernel's bound is one higher
  skip_fill,        ///< memory is not set
  skip_work,        ///< a launch or a copy is left out
  skip_check,       ///< nobody looks at the status of a call
  wrong_device      ///< a call is made for the other device
};
inline constexpr int code_fault_count = 19;
[[nodiscard]] std::string_view name(code_fault) noexcept;

struct code_mutant {
  int number = 0; ///< from 1
  code_fault fault = code_fault::drop_wait;
  std::string place; ///< "src/cuda/p.cu:12: cudaStreamSynchronize(s)"
  std::string call;  ///< "cudaStreamSynchronize (p.cu:12)", as reports name it, or empty
};

struct mutated_code {
  std::vector<generated_file> files;
  std::vector<code_mutant> mutants;
};

/// The same program with every fault that finds a place in its sources. Where the environment's
/// ASSAY_MUTANT is the number of one, that one is in force; without it none is. Then what is
/// reached is written to the file that ASSAY_MUTANT_TRACE names: 'r' where the place is, 'e' where
/// a widened bound lets something in.
[[nodiscard]] mutated_code with_mutants(std::span<generated_file const>);

} // namespace assay::fuzz

#include <array>
#include <ostream>
#include <vector>

#include "fuzz/program_spec.hpp"

namespace assay::fuzz {
namespace {

constexpr std::array op_names{"map",       "stencil",  "reduce",     "copy",
                              "upload",    "download", "read_back",  "send",
                              "host_code", "host_map", "kernel_sdfg"};
constexpr std::array block_names{"state",       "assignment", "loop", "while_loop",
                                 "conditional", "nested",     "leave"};
static_assert(op_names.size() == op_kind_count && block_names.size() == block_kind_count);

void print(std::ostream& out, std::vector<block_spec> const& blocks) {
  out << "{";
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto const& b = blocks[k];
    out << (k == 0 ? "" : ", ") << "{block_kind::" << block_names[static_cast<std::size_t>(b.kind)]
        << ", {";
    for (std::size_t o = 0; o < b.ops.size(); ++o) {
      auto const& op = b.ops[o];
      out << (o == 0 ? "" : ", ") << "{op_kind::" << op_names[static_cast<std::size_t>(op.kind)];
      for (int const number : {op.target, op.first, op.second, op.variant}) out << ", " << number;
      out << "}";
    }
    out << "}, " << int{b.choice} << ", " << int{b.other} << ", ";
    print(out, b.body);
    out << ", ";
    print(out, b.otherwise);
    out << "}";
  }
  out << "}";
}

} // namespace

std::ostream& operator<<(std::ostream& out, program_spec const& spec) {
  out << "program_spec{" << int{spec.n} << ", " << int{spec.m} << ", " << int{spec.z} << ", ";
  print(out, spec.blocks);
  return out << "}";
}

} // namespace assay::fuzz

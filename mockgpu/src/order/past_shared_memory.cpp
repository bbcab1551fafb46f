// Accesses that miss the shared memory they were meant for.
#include "kernel/shared_memory.hpp"
#include "kernel/variable_table.hpp"
#include "mockgpu/abi.h"
#include "order/checker.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

std::string triple(unsigned const (&of)[3]) {
  return "(" + std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]) +
         ")";
}

} // namespace

void checker::past_shared_memory(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                                 void const* pc) {
  issue_number const issue = operation_.where.issue;
  shared_target const target = find_shared_target(address);
  std::string const& kernel = log_.site(issue).name;
  std::string const variable =
      target.variable == nullptr ? std::string() : variable_name(*target.variable);
  // Neighbouring threads err alike: the first access of a launch speaks for all.
  if (past_shared_said_in_ != issue) past_shared_said_.clear();
  past_shared_said_in_ = issue;
  if (!past_shared_said_.insert(variable).second) return;

  auto const begin = std::int64_t(target.offset);
  auto const end = begin + std::int64_t(size_bytes);
  char const* const access = kind == access_kind::read    ? "read"
                             : kind == access_kind::write ? "write"
                                                          : "atomic";
  std::string const who = "block " + triple(mockgpu_indices.block) + ", thread " +
                          triple(mockgpu_indices.thread) + " of kernel '" + kernel +
                          "' accesses bytes " + std::to_string(begin) + " to " +
                          std::to_string(end);
  std::string const what =
      target.variable == nullptr
          ? " of its block's dynamic shared memory, of which the launch gave it " +
                std::to_string(target.size_bytes)
          : ", outside of its block's shared variable '" + variable + "' of " +
                std::to_string(target.size_bytes) + " bytes";
  report({.kind = kind::out_of_bounds,
          .rule =
              target.variable == nullptr ? rule::dynamic_shared_bounds : rule::static_shared_bounds,
          .message = who + what,
          .second = issue,
          .second_access = access,
          .bytes = byte_range{begin, end},
          .memory_name =
              target.variable == nullptr ? "dynamic shared memory of '" + kernel + "'" : variable,
          .second_pc = pc});
}

} // namespace mockgpu

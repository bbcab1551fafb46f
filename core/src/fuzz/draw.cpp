#include "fuzz/draw.hpp"

#include <functional>

namespace assay::fuzz {
namespace {

constexpr int deepest = 3;

std::uint8_t number(random_source& random) { return static_cast<std::uint8_t>(random.below(255)); }

op_spec draw_op(random_source& random) {
  op_spec op;
  auto const kind = random.below(2 * op_kind_count);
  // Maps make the most of the dataflow: half of all operations.
  op.kind = kind < op_kind_count ? static_cast<op_kind>(kind) : op_kind::map;
  op.target = number(random);
  op.first = number(random);
  op.second = number(random);
  op.variant = number(random);
  return op;
}

std::vector<block_spec> draw_blocks(random_source&, int depth);

block_spec draw_block(random_source& random, int depth) {
  block_spec block;
  bool const is_leaf = depth == deepest || random.below(5) < 3;
  block.choice = number(random);
  block.other = number(random);
  if (is_leaf) {
    block.kind = random.below(4) < 3 ? block_kind::state : block_kind::assignment;
    auto const count = random.below(8);
    for (std::uint64_t k = 0; k < count; ++k) block.ops.push_back(draw_op(random));
    return block;
  }
  constexpr block_kind compound[] = {block_kind::loop, block_kind::while_loop,
                                     block_kind::conditional, block_kind::nested,
                                     block_kind::leave};
  block.kind = compound[random.below(std::size(compound))];
  block.body = draw_blocks(random, depth + 1);
  block.otherwise = draw_blocks(random, depth + 1);
  return block;
}

std::vector<block_spec> draw_blocks(random_source& random, int depth) {
  std::vector<block_spec> blocks;
  auto const count = random.below(depth == 0 ? 7 : 4);
  for (std::uint64_t k = 0; k < count; ++k) blocks.push_back(draw_block(random, depth));
  return blocks;
}

// ---- smaller ones -------------------------------------------------------------------------------

using keep_blocks = std::function<void(std::vector<block_spec>)>;

/// Every list with one change, from the large to the small ones.
void vary(std::vector<block_spec> const& blocks, keep_blocks const& keep) {
  auto const without = [&](std::size_t first, std::size_t count) {
    std::vector<block_spec> rest = blocks;
    auto const at = rest.begin() + static_cast<std::ptrdiff_t>(first);
    rest.erase(at, at + static_cast<std::ptrdiff_t>(count));
    keep(std::move(rest));
  };
  if (blocks.size() > 1) {
    std::size_t const half = blocks.size() / 2;
    without(half, blocks.size() - half);
    without(0, half);
  }
  for (std::size_t k = blocks.size(); k-- > 0;) without(k, 1);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    auto const replaced = [&](block_spec changed) {
      std::vector<block_spec> copy = blocks;
      copy[k] = std::move(changed);
      keep(std::move(copy));
    };
    // What a compound holds, in its place.
    for (auto const* inner : {&blocks[k].body, &blocks[k].otherwise}) {
      if (inner->empty()) continue;
      std::vector<block_spec> copy = blocks;
      copy.erase(copy.begin() + static_cast<std::ptrdiff_t>(k));
      copy.insert(copy.begin() + static_cast<std::ptrdiff_t>(k), inner->begin(), inner->end());
      keep(std::move(copy));
    }
    for (std::size_t op = blocks[k].ops.size(); op-- > 0;) {
      block_spec changed = blocks[k];
      changed.ops.erase(changed.ops.begin() + static_cast<std::ptrdiff_t>(op));
      replaced(std::move(changed));
    }
    for (auto member : {&block_spec::body, &block_spec::otherwise})
      vary(blocks[k].*member, [&](std::vector<block_spec> inner) {
        block_spec changed = blocks[k];
        changed.*member = std::move(inner);
        replaced(std::move(changed));
      });
    for (auto member : {&op_spec::variant, &op_spec::second, &op_spec::first, &op_spec::target})
      for (std::size_t op = 0; op < blocks[k].ops.size(); ++op)
        for (std::uint8_t const value : {std::uint8_t{0}, std::uint8_t{1}}) {
          if (blocks[k].ops[op].*member <= value) continue;
          block_spec changed = blocks[k];
          changed.ops[op].*member = value;
          replaced(std::move(changed));
        }
  }
}

std::uint64_t weight(std::vector<block_spec> const& blocks) {
  // A block outweighs every number, and an operation those of its own.
  std::uint64_t sum = 0;
  for (block_spec const& block : blocks) {
    sum += 100'000 + block.choice + block.other + weight(block.body) + weight(block.otherwise);
    for (op_spec const& op : block.ops)
      sum += 2'000u + op.target + op.first + op.second + op.variant;
  }
  return sum;
}

} // namespace

program_spec draw_program(random_source& random) {
  constexpr std::uint8_t maybe_empty[] = {0, 0, 0, 1, 2, 3};
  program_spec spec;
  spec.n = number(random);
  spec.m = number(random);
  spec.z = maybe_empty[random.below(std::size(maybe_empty))];
  spec.blocks = draw_blocks(random, 0);
  return spec;
}

std::uint64_t weight(program_spec const& spec) {
  return weight(spec.blocks) + spec.n + spec.m + spec.z;
}

std::vector<program_spec> smaller(program_spec const& spec) {
  std::vector<program_spec> result;
  vary(spec.blocks, [&](std::vector<block_spec> blocks) {
    result.push_back(spec);
    result.back().blocks = std::move(blocks);
  });
  for (auto member : {&program_spec::n, &program_spec::m, &program_spec::z})
    for (std::uint8_t const value : {1, 2, 3}) {
      if (spec.*member <= value) continue;
      result.push_back(spec);
      result.back().*member = value;
    }
  std::erase_if(result, [limit = weight(spec)](auto const& each) { return weight(each) >= limit; });
  return result;
}

} // namespace assay::fuzz

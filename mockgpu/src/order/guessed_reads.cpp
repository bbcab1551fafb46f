#include "order/guessed_reads.hpp"

#include <iterator>

namespace mockgpu {
namespace {

// A kernel whose threads read very many words that others change atomically.
constexpr std::size_t most_readers = std::size_t{1} << 16;

bool alike(word_access_entry const& a, word_access_entry const& b) noexcept {
  return a.site == b.site && a.access == b.access && a.many == b.many;
}

} // namespace

std::uint32_t guessed_reads::bits_of(unsigned mask) noexcept {
  std::uint32_t bits = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if ((mask >> byte & 1) != 0) bits |= 0xFFu << 8 * byte;
  return bits;
}

void guessed_reads::put_off(conflict const& one, std::uint32_t found) {
  guess& into = open_[one.by];
  bool const reads_now = one.now.access == thread_access::read;
  word_access_entry const& read = reads_now ? one.now : one.before;
  std::uint32_t const fresh = bits_of(reads_now ? read.mask : read.mask & ~unsigned(into.mask));
  into.found = (into.found & ~fresh) | (found & fresh);
  into.mask |= read.mask;
  into.site = read.site;
  for (conflict& known : into.all)
    if (alike(known.before, one.before) && alike(known.now, one.now)) {
      known.before.mask |= one.before.mask;
      known.now.mask |= one.now.mask;
      return;
    }
  into.all.push_back(one);
}

access_site_index guessed_reads::place_of_read(reader const& by) const {
  auto const known = open_.find(by);
  return known == open_.end() ? access_site_index{0} : known->second.site;
}

guessed_reads::verdict guessed_reads::compare_and_swap(reader const& by, unsigned mask,
                                                       exchange what_it_does) {
  auto const known = open_.find(by);
  if (known == open_.end() || (known->second.mask & mask) == 0) return verdict::unknown;
  guess& what = known->second;
  std::uint32_t const bits = bits_of(what.mask & mask);
  if (((what.found ^ what_it_does.expected) & bits) != 0) {
    if (!what_it_does.fails) return verdict::use;
    what.found = (what.found & ~bits) | (what_it_does.content & bits);
    return verdict::again;
  }
  auto const rest = std::uint8_t(what.mask & ~mask);
  what.mask = rest;
  for (conflict& one : what.all) one.before.mask &= rest, one.now.mask &= rest;
  std::erase_if(what.all,
                [](conflict const& one) { return (one.before.mask & one.now.mask) == 0; });
  if (what.all.empty()) open_.erase(known);
  return verdict::guess;
}

guessed_reads::guesses::iterator guessed_reads::move_out(guesses::iterator one, conflicts& to) {
  to.insert(to.end(), one->second.all.begin(), one->second.all.end());
  return open_.erase(one);
}

guessed_reads::conflicts guessed_reads::take(reader const& by, unsigned mask) {
  conflicts all;
  auto const known = open_.find(by);
  if (known != open_.end() && (known->second.mask & mask) != 0) move_out(known, all);
  return all;
}

guessed_reads::conflicts guessed_reads::take_block(std::uint64_t block) {
  conflicts all;
  for (auto at = open_.lower_bound({block, 0, 0}); at != open_.end() && at->first.block == block;)
    at = move_out(at, all);
  return all;
}

guessed_reads::conflicts guessed_reads::take_all() { return take_all_except({}); }

guessed_reads::conflicts guessed_reads::take_all_except(std::set<std::uint64_t> const& blocks) {
  conflicts all;
  for (auto at = open_.begin(); at != open_.end();)
    at = blocks.contains(at->first.block) ? std::next(at) : move_out(at, all);
  return all;
}

guessed_reads::conflicts guessed_reads::take_excess() {
  conflicts all;
  if (open_.size() > most_readers) move_out(open_.begin(), all);
  return all;
}

} // namespace mockgpu

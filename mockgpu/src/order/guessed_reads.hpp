#pragma once
/// \file Plain reads that may be guesses. A loop of compare-and-swap begins with a plain read, and
/// what that read has found decides nothing: the exchange happens only where the word still holds
/// it. So a plain read that conflicts with other threads' atomics is judged when it shows what its
/// thread does with the word next.
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "order/word_history.hpp"

namespace mockgpu {

class guessed_reads {
public:
  /// A thread that has read a word. Sorts by block.
  struct reader {
    std::uint64_t block = 0; ///< linear
    unsigned thread = 0;     ///< linear in the block
    std::uintptr_t word = 0; ///< address of its first byte
    auto operator<=>(reader const&) const = default;
  };
  /// One of the two is a read by the reader, the other one an atomic access of another thread.
  struct conflict {
    reader by;
    word_access_entry before, now;
  };
  using conflicts = std::vector<conflict>;

  /// The bits of a word's bytes.
  [[nodiscard]] static std::uint32_t bits_of(unsigned mask) noexcept;

  [[nodiscard]] bool empty() const noexcept { return open_.empty(); }
  /// Keeps a conflict until one of the functions below is called for its reader. \param found the
  /// word as the reader has found it: its content while no other access has come between.
  void put_off(conflict const&, std::uint32_t found);
  /// The place where the reader has read the word last; 0 where it is not known as a reader.
  [[nodiscard]] access_site_index place_of_read(reader const&) const;

  /// What the reader's compare-and-swap says of its reads of these bytes.
  enum class verdict : std::uint8_t {
    unknown, ///< none of them is kept
    guess,   ///< they were guesses; their conflicts are forgotten
    again,   ///< the exchange fails and hands back what the next one may demand
    use,
  };
  struct exchange {
    std::uint32_t expected; ///< what it demands of the word
    std::uint32_t content;  ///< what the word holds
    bool fails;             ///< in this word or another
  };
  [[nodiscard]] verdict compare_and_swap(reader const&, unsigned mask, exchange);

  /// The conflicts of readers that have used what they read; no longer kept. Of one reader, where
  /// it has read any of these bytes.
  [[nodiscard]] conflicts take(reader const&, unsigned mask);
  [[nodiscard]] conflicts take_block(std::uint64_t block);
  [[nodiscard]] conflicts take_all();
  /// Of all blocks but those.
  [[nodiscard]] conflicts take_all_except(std::set<std::uint64_t> const& blocks);
  /// Of one reader, where so many are kept that not all can be; else none.
  [[nodiscard]] conflicts take_excess();
  void clear() noexcept { open_.clear(); }

private:
  struct guess {
    std::uint32_t found = 0;    // in the bytes of `mask`
    std::uint8_t mask = 0;      // bytes that were read
    access_site_index site = 0; // of the last read
    std::vector<conflict> all;  // no two alike but for their bytes
  };
  using guesses = std::map<reader, guess>;
  guesses::iterator move_out(guesses::iterator, conflicts& to);

  guesses open_;
};

} // namespace mockgpu

#pragma once
/// \file Findings are values: what the checker saw, without any formatting logic.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mockgpu {

/// A place in source text; `line` 0 and empty strings mean unknown.
struct source_location {
  std::string file;
  unsigned line = 0;
  std::string function;
  auto operator<=>(source_location const&) const = default;
};

/// One side of a finding: a queued operation, a runtime call, or an access by host code.
struct operation_ref {
  std::string what;  ///< "kernel", "copy", "memset", "alloc", "free", "host access", "call", ...
  std::string name;  ///< kernel name, entry point ("cudaMemcpyAsync"), or empty for host code
  std::string chain; ///< "stream 2 (own[1])", "host thread 0"
  std::uint64_t issue = 0;  ///< position in issue order, from 1; equal in every schedule
  std::string access;       ///< "read", "write", "atomic", "alloc", "free"
  source_location location; ///< the access itself where known, else the call
  std::string thread = {};  ///< "block (0,0,0), thread (3,0,0)", where it matters
};

/// The memory that a finding is about.
struct memory_ref {
  std::string name;      ///< given by an annotation, else "allocation 7"
  std::string sub_array; ///< sub-array of an annotated slab, or empty
  std::string space;     ///< "device 0", "pinned host", "pageable host", "device 0 pool"
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t generation = 0; ///< allocation number; an address alone never names memory
  std::string allocated_by;     ///< "cudaMallocAsync, issue 12"
};

/// An order that would make the finding vanish. `from` and `to` are issue numbers; text form
/// "wait:<from>:<to>" (the stream of `to` waits for `from`) or "host:<from>:<to>" (the host waits
/// for operation `from` directly after the call with issue number `to` has returned).
struct missing_edge {
  enum class kind : std::uint8_t { stream_wait, host_wait };
  kind how = kind::stream_wait;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  auto operator<=>(missing_edge const&) const = default;
};

/// Bytes of an allocation, half open; signed, since an access may lie before the allocation.
struct byte_range {
  std::int64_t begin = 0, end = 0;
  auto operator<=>(byte_range const&) const = default;
};

/// One finding. `kind` is one of the identifiers of the finding list (see `finding_kinds()`).
struct finding {
  std::string kind;
  std::string rule; ///< name of the rule that is broken, e.g. "legacy-barrier", "free-orders-block"
  std::string message; ///< one sentence
  operation_ref first,
      second; ///< in issue order; `first.what` may be empty where only one side exists
  memory_ref memory;
  std::int64_t byte_begin = 0,
               byte_end = 0;      ///< hull of `ranges`: offsets in the allocation, half open
  std::vector<byte_range> ranges; ///< exactly the bytes: sorted, neither overlapping nor touching
  std::optional<missing_edge> edge;
  std::string edge_words; ///< what to insert, as a sentence or code that can be pasted
  bool advice = false;
  std::string token; ///< repeats the run up to here: MOCKGPU_SCHEDULE=replay:TOKEN
};

/// All kinds of finding, sorted.
[[nodiscard]] std::vector<std::string_view> finding_kinds();

/// The stable identity of a finding: equal in every schedule for programs whose footprints do not
/// depend on the schedule. (kind, rule, generation, bytes, chain and access of both sides.)
[[nodiscard]] std::string identity(finding const&);

/// Findings of one (kind, rule, generation, chain and access of both sides) become one, with the
/// union of their bytes and the earliest pair of operations; sorted. What several operations of one
/// stream did to the same bytes is found in another order by each schedule; this form is equal in
/// all of them.
[[nodiscard]] std::vector<finding> coalesce(std::vector<finding>);
/// Sorts ranges and joins those that overlap or touch.
void normalise(std::vector<byte_range>&);

[[nodiscard]] std::string to_text(missing_edge const&);
/// \throws std::invalid_argument with the text that is not an edge.
[[nodiscard]] missing_edge parse_missing_edge(std::string_view);

/// Several lines for people, without a final newline.
[[nodiscard]] std::string to_text(finding const&);
/// One JSON object on one line.
[[nodiscard]] std::string to_json(finding const&);

} // namespace mockgpu

#pragma once
/// \file The subcommands of `assay`. Each takes its parsed options and returns the exit code.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/expression.hpp"
#include "replay_token.hpp"

namespace assay::tool {

/// Options as text; the commands parse lists ("scoped,pool", "all").
struct check_options {
  std::filesystem::path program, case_file, output, cache;
  std::vector<std::string> set, set_again;
  unsigned call_count = 0;            ///< 0: one, or two where `set_again` is given
  std::filesystem::path dace_include; ///< empty: found through Python
  std::uint64_t seed = 1;
  std::string backend = "mock";
  std::string sanitizer; ///< a tool of compute-sanitizer's around each run, or empty
  std::string modes, targets, dialects, layouts, streams, calls, schedules,
      workspaces;       ///< empty: the default
  unsigned devices = 1; ///< that the program sees
  bool advice = false;  ///< report advice as well
  std::string plant = "none";
  std::string fault;  ///< ERROR@WHICH, or empty
  bool sweep = false; ///< fail each call of the program in turn
  bool twice = false; ///< make each run twice, and compare
  std::string depth;  ///< "ops", "threads", or empty: threads once for each target
  std::vector<std::string> edges;
  std::string format = "text";
  unsigned jobs = 0; ///< 0: one for each processor
  double timeout_seconds = 60;
  std::uint64_t memory_mib = 4096;
  bool quiet = false;
  std::string suppressions; ///< a file
};
[[nodiscard]] int run_check(check_options const&);

/// Repeats the run of a "check" token. Of `options` only the report's form and the limits count.
[[nodiscard]] int replay_check(replay_token const&, check_options options);

struct generate_options {
  std::filesystem::path program;
  std::string mode = "scoped", target = "cuda", layout = "aligned", stream = "default",
              call = "async", plant = "none";
  std::string output; ///< a folder, or "-" for standard output
};
[[nodiscard]] int run_generate(generate_options const&);

struct transform_options {
  std::filesystem::path program;
  std::string mode = "scoped", target = "cuda", stream = "external", call = "async";
  std::string output; ///< a file, or "-" for standard output
};
/// Writes the SDFG with the settings in it, for DaCe.
[[nodiscard]] int run_transform(transform_options const&);

struct run_options {
  std::vector<std::string> command; ///< the program and its arguments
  std::filesystem::path output;
  std::string schedules = "eager,lazy,random:4";
  std::string dialect, depth; ///< empty: the mock's choice
  int devices = 1;
  bool advice = false;
  std::string fault;  ///< ERROR@WHICH, or empty
  bool sweep = false; ///< fail each call in turn
  bool twice = false; ///< make each run twice, and compare
  std::vector<std::string> edges;
  std::string format = "text";
  unsigned jobs = 0; ///< 0: one for each processor
  double timeout_seconds = 60;
  std::uint64_t memory_mib = 4096;
  bool quiet = false;
  std::string suppressions; ///< a file
};
[[nodiscard]] int run_run(run_options const&);

/// Repeats the run that a token names. `options` gives the report's form.
[[nodiscard]] int run_replay(std::string const& token, run_options options);

struct size_options {
  std::vector<std::filesystem::path> programs;
  std::vector<std::string> set; ///< NAME=INTEGER[,INTEGER...]: a sweep
  std::string target = "cuda", format = "text";
};
/// Prints the workspace formulas of each program and layout and, for a sweep of symbols, the bytes
/// and the slab that serves all programs in turn.
[[nodiscard]] int run_size(size_options const&);

struct fuzz_options {
  std::vector<std::filesystem::path> programs;
  std::vector<std::string> set; ///< NAME=INTEGER
  std::string time, shard = "1/1", plant = "none";
  std::uint64_t cases = 0, seed = 1; ///< cases 0: until the time is over
  std::uint64_t compile_every = 200; ///< programs, of which one is compiled; 0: none
  std::filesystem::path output = "assay-fuzz";
  unsigned jobs = 0; ///< 0: one for each processor
  bool quiet = false;
};
/// Runs a campaign, or goes on with that of the output folder.
[[nodiscard]] int run_fuzz(fuzz_options const&);

struct fuzz_merge_options {
  std::vector<std::filesystem::path> reports; ///< campaign.jsonl, or the folders that hold it
  std::filesystem::path output;
};
/// Joins the shards of a campaign.
[[nodiscard]] int run_fuzz_merge(fuzz_merge_options const&);

/// Prints what a kind of finding means; without a kind, the list.
[[nodiscard]] int run_explain(std::string const& kind);

/// The hidden command that runs one cell of a check.
[[nodiscard]] int run_cell_command();

} // namespace assay::tool

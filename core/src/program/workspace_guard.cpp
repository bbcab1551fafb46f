#include "assay/workspace_guard.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay {
namespace {

constexpr std::array<std::pair<guard_kind, std::string_view>, 3> names{
    {{guard_kind::none, "none"},
     {guard_kind::assert_unordered, "assert"},
     {guard_kind::order, "order"}}};

} // namespace

std::string_view name(guard_kind kind) noexcept {
  return names[static_cast<std::size_t>(kind)].second;
}

guard_kind parse_guard_kind(std::string_view text) {
  for (auto const& [kind, name] : names)
    if (name == text) return kind;
  throw error(errc::invalid_input,
              fmt::format("unknown workspace guard '{}' (one of none, assert, order)", text));
}

workspace_guard::workspace_guard(guard_kind kind, gpu_runtime& gpu) : kind_(kind), gpu_(gpu) {}

workspace_guard::~workspace_guard() {
  if (!done_) return;
  try {
    gpu_.destroy_event(*done_);
  } catch (error const&) { // a destructor has nobody to tell
  }
}

void workspace_guard::enter(std::string const& program, std::optional<stream_handle> stream) {
  if (kind_ == guard_kind::none) return;
  if (is_inside_)
    throw error(
        errc::invalid_input,
        fmt::format("program '{}' uses the workspace while program '{}' does", program, inside_));
  if (pending_ && !(stream && *stream == pending_->stream)) {
    if (kind_ == guard_kind::assert_unordered)
      throw error(errc::invalid_input,
                  fmt::format("program '{}' uses the workspace of program '{}' on another stream, "
                              "and nothing orders the two",
                              program, pending_->program));
    if (stream)
      gpu_.wait(*stream, *done_);
    else // streams that the program makes itself: the host is all that can wait
      gpu_.synchronise(pending_->stream);
    pending_.reset();
  }
  inside_ = program;
  is_inside_ = true;
  entered_on_ = stream;
}

void workspace_guard::leave() {
  if (kind_ == guard_kind::none || !is_inside_) return;
  is_inside_ = false;
  pending_.reset();
  if (!entered_on_) return;
  if (kind_ == guard_kind::order) {
    if (!done_) done_ = gpu_.create_event();
    gpu_.record(*done_, *entered_on_);
  }
  pending_ = use{inside_, *entered_on_};
}

void workspace_guard::host_waited(stream_handle stream) {
  if (pending_ && pending_->stream == stream) pending_.reset();
}

} // namespace assay

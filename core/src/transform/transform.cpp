#include "assay/transform.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "sdfg/inflate.hpp"
#include "sdfg/json_text.hpp"
#include "transform/lifetimes.hpp"

namespace assay::sdfg {
namespace {

json_value text(std::string value) { return {std::move(value)}; }

json_value& member(json_value& object, std::string const& key) {
  auto& members = std::get<json_object>(object.content);
  for (auto& [name, value] : members)
    if (name == key) return value;
  members.push_back({key, {}});
  return members.back().second;
}

/// The object of that name; made where there is none.
json_value& object_member(json_value& object, std::string const& key) {
  auto& found = member(object, key);
  if (found.get_if<json_object>() == nullptr) found.content = json_object{};
  return found;
}

void erase_member(json_value& object, std::string_view key) {
  std::erase_if(std::get<json_object>(object.content),
                [&](json_member const& m) { return m.first == key; });
}

/// The value at an RFC 6901 pointer that the reader has given.
json_value& at(json_value& root, std::string_view pointer) {
  auto* value = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1); // the slash
    std::string key;
    while (!pointer.empty() && pointer.front() != '/') {
      bool const escaped = pointer.starts_with("~0") || pointer.starts_with("~1");
      key += escaped ? (pointer[1] == '0' ? '~' : '/') : pointer.front();
      pointer.remove_prefix(escaped ? 2 : 1);
    }
    if (auto* list = std::get_if<json_list>(&value->content)) {
      std::size_t index = 0;
      std::from_chars(key.data(), key.data() + key.size(), index);
      value = &list->at(index);
    } else {
      value = &member(*value, key);
    }
  }
  return *value;
}

void set_lifetimes(json_value& root, graph const& program, memory_mode mode) {
  for (auto const& one : lifetimes_for(program, mode)) {
    auto& attributes = object_member(at(root, one.place), "attributes");
    erase_member(attributes, "pool");
    if (one.pool) member(attributes, "pool").content = true;
    if (one.lifetime != lifetime::scope)
      member(attributes, "lifetime") = text(std::string(name(one.lifetime)));
    else if (one.was_placed)
      erase_member(attributes, "lifetime");
    if (!one.storage.empty()) member(attributes, "storage") = text(one.storage);
  }
}

void replace_all(std::string& in, std::string_view from, std::string_view to) {
  for (auto found = in.find(from); found != std::string::npos;
       found = in.find(from, found + to.size()))
    in.replace(found, from.size(), to);
}

/// What upstream writes for one vendor, in the names that DaCe's headers give to both.
void use_neutral_names(json_value& value) {
  if (auto* list = std::get_if<json_list>(&value.content)) {
    for (auto& element : *list) use_neutral_names(element);
  } else if (auto* object = std::get_if<json_object>(&value.content)) {
    auto const* language = value.find("language");
    auto const* written = language == nullptr ? nullptr : language->get_if<std::string>();
    for (auto& [key, element] : *object) {
      auto* code = std::get_if<std::string>(&element.content);
      if (key != "string_data" || code == nullptr || written == nullptr || *written != "CPP") {
        use_neutral_names(element);
        continue;
      }
      for (std::string const vendor : {"cuda", "hip"}) {
        for (std::string const call : {"DeviceSynchronize", "StreamSynchronize", "EventSynchronize",
                                       "GetLastError", "GetErrorString"})
          replace_all(*code, vendor + call, "gpu" + call);
        replace_all(*code, vendor + "StreamDefault", "(gpuStream_t)0");
        replace_all(*code, vendor + "Stream_t", "gpuStream_t");
      }
    }
  }
}

/// Lines of init code without those that redirect streams.
std::string without_redirection(std::string_view code) {
  std::string kept;
  for (std::size_t begin = 0; begin < code.size();) {
    auto const end = std::min(code.find('\n', begin), code.size());
    auto const line = code.substr(begin, end - begin);
    if (line.find("__dace_gpu_set_all_streams(") == std::string_view::npos)
      kept.append(line).push_back('\n');
    begin = end + 1;
  }
  return kept;
}

void use_callers_stream(json_value& root) {
  auto& attributes = object_member(root, "attributes");
  member(object_member(attributes, "symbols"), std::string(external_stream_symbol)) = text("int64");
  auto& block = object_member(object_member(attributes, "init_code"), "cuda");
  std::string code;
  if (auto const* before = block.find("string_data"))
    if (auto const* old = before->get_if<std::string>()) code = without_redirection(*old);
  code +=
      fmt::format("__dace_gpu_set_all_streams(__state, (gpuStream_t){});", external_stream_symbol);
  member(block, "string_data") = text(std::move(code));
  member(block, "language") = text("CPP");
}

/// A state after every block without an edge out.
void wait_at_the_end(json_value& root) {
  constexpr auto code =
      "for (int __i = 0; __i < __state->gpu_context->num_streams; ++__i)\n"
      "  DACE_GPU_CHECK(gpuStreamSynchronize(__state->gpu_context->streams[__i]));";
  auto& blocks = std::get<json_list>(member(root, "nodes").content);
  auto& edges = member(root, "edges");
  if (edges.get_if<json_list>() == nullptr) edges.content = json_list{};
  auto& edge_list = std::get<json_list>(edges.content);
  std::set<std::string> leaving;
  for (auto const& edge : edge_list)
    if (auto const* source = edge.find("src")) {
      if (auto const* name = source->get_if<std::string>()) leaving.insert(*name);
      if (auto const* number = source->get_if<std::int64_t>())
        leaving.insert(std::to_string(*number));
    }
  auto const count = blocks.size();
  auto const object = [](json_object members) { return json_value{std::move(members)}; };
  auto const wait =
      object({{"type", text("Tasklet")},
              {"attributes",
               object({{"code", object({{"string_data", text(code)}, {"language", text("CPP")}})},
                       {"side_effects", json_value{true}},
                       {"label", text("sync_tlet")}})},
              {"label", text("sync_tlet")},
              {"id", json_value{std::int64_t{0}}},
              {"scope_entry", json_value{}},
              {"scope_exit", json_value{}}});
  if (member(root, "start_block").is_null() && count == 1)
    member(root, "start_block").content = std::int64_t{0};
  blocks.push_back(
      object({{"type", text("SDFGState")},
              {"label", text("sync_state")},
              {"id", json_value{static_cast<std::int64_t>(count)}},
              {"collapsed", json_value{false}},
              {"scope_dict", object({{"-1", json_value{json_list{json_value{std::int64_t{0}}}}}})},
              {"nodes", json_value{json_list{wait}}},
              {"edges", json_value{json_list{}}},
              {"attributes", object({{"nosync", json_value{true}}})}}));
  for (std::size_t k = 0; k < count; ++k)
    if (!leaving.contains(std::to_string(k)))
      edge_list.push_back(object(
          {{"type", text("Edge")},
           {"src", text(std::to_string(k))},
           {"dst", text(std::to_string(count))},
           {"attributes", object({{"data", object({{"type", text("InterstateEdge")},
                                                   {"attributes", object({})},
                                                   {"label", text("InterstateEdge")}})}})}}));
}

} // namespace

std::string transformed(std::string_view json_or_gzip, settings const& chosen) {
  auto const program = read_text(json_or_gzip);
  verify(program);
  std::string inflated_text;
  if (is_gzip(json_or_gzip)) {
    inflated_text = inflated(json_or_gzip);
    json_or_gzip = inflated_text;
  }
  auto root = parse_json(json_or_gzip);
  set_lifetimes(root, program, chosen.mode);
  if (chosen.target != target::cpu) {
    use_neutral_names(root);
    if (chosen.own_streams == 0) use_callers_stream(root);
    if (chosen.call == call_kind::sync) wait_at_the_end(root);
  }
  // A hash of what the file was is none of what it is.
  erase_member(object_member(root, "attributes"), "hash");
  return json_text(root);
}

} // namespace assay::sdfg

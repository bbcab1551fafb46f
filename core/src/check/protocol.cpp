#include "check/protocol.hpp"

#include <nlohmann/json.hpp>

namespace assay {

using json = nlohmann::json;

std::string to_json(cell_instruction const& from) {
  check_cell const& cell = from.cell;
  json root{{"mode", name(cell.settings.mode)},
            {"target", name(cell.settings.target)},
            {"layout", name(cell.settings.layout)},
            {"call", name(cell.settings.call)},
            {"stream", to_text(cell.stream)},
            {"blocking_stream", cell.blocking_stream},
            {"schedule", to_text(cell.schedule)},
            {"workspace", name(cell.workspace)},
            {"dialect", cell.dialect},
            {"depth", static_cast<int>(cell.depth)},
            {"fault", cell.fault},
            {"devices", cell.devices},
            {"advice", cell.advice},
            {"program", from.program.string()},
            {"case", from.case_file.string()},
            {"library", from.library.string()},
            {"set", from.set},
            {"calls", from.calls},
            {"set_again", from.set_again},
            {"seed", from.seed},
            {"plant", name(from.plant)},
            {"extra_edges", from.extra_edges},
            {"retry", from.retry},
            {"expect_directory", from.expect_directory.string()},
            {"output_directory", from.output_directory.string()}};
  return root.dump();
}

cell_instruction parse_instruction(std::string const& text) {
  try {
    json const root = json::parse(text);
    auto const string = [&](char const* member) { return root.at(member).get<std::string>(); };
    cell_instruction to;
    check_cell& cell = to.cell;
    cell.settings.mode = parse_memory_mode(string("mode"));
    cell.settings.target = parse_target(string("target"));
    cell.settings.layout = parse_workspace_layout(string("layout"));
    cell.settings.call = parse_call_kind(string("call"));
    cell.stream = parse_run_stream(string("stream"));
    cell.settings.own_streams = cell.stream.count;
    cell.blocking_stream = root.at("blocking_stream").get<bool>();
    cell.schedule = parse_schedule(string("schedule"));
    cell.workspace = parse_workspace_size(string("workspace"));
    cell.dialect = string("dialect");
    cell.depth = static_cast<check_depth>(root.at("depth").get<int>());
    cell.fault = string("fault");
    cell.devices = root.at("devices").get<int>();
    cell.advice = root.at("advice").get<bool>();
    to.program = string("program");
    to.case_file = string("case");
    to.library = string("library");
    to.set = root.at("set").get<symbol_values>();
    to.calls = root.at("calls").get<unsigned>();
    to.set_again = root.at("set_again").get<symbol_values>();
    to.seed = root.at("seed").get<std::uint64_t>();
    to.plant = parse_plant(string("plant"));
    to.retry = root.at("retry").get<bool>();
    to.extra_edges = root.at("extra_edges").get<std::vector<std::string>>();
    to.expect_directory = string("expect_directory");
    to.output_directory = string("output_directory");
    return to;
  } catch (json::exception const& problem) {
    throw error(errc::invalid_input, std::string("cell instruction: ") + problem.what());
  }
}

std::string to_line(cell_message const& message) {
  json line;
  if (auto const* finding = std::get_if<check_finding>(&message))
    line = {{"finding", finding->kind}, {"advice", finding->advice}, {"edge", finding->edge},
            {"group", finding->group},  {"text", finding->text},     {"json", finding->json},
            {"order", finding->order}};
  else if (auto const* result = std::get_if<cell_result>(&message))
    line = {{"outputs", result->outputs},
            {"failure", result->failure},
            {"operations", result->operations},
            {"accesses", result->accesses},
            {"order", result->order},
            {"failed_call", result->failed_call},
            {"unhooked", result->unhooked},
            {"program_calls", result->program_calls},
            {"memory_calls",
             {result->in_init.allocations, result->in_init.releases, result->in_call.allocations,
              result->in_call.releases, result->in_exit.allocations, result->in_exit.releases}},
            {"again", result->again}};
  else if (auto const* orders = std::get_if<cell_orders>(&message))
    line = {{"orders", orders->orders}};
  else {
    auto const& problem = std::get<cell_error>(message);
    line = {{"error", problem.message},
            {"code", static_cast<int>(problem.code)},
            {"place", problem.place},
            {"file", problem.file}};
  }
  // Names come from untrusted files: text that is no UTF-8 must not end the report.
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

std::optional<cell_message> parse_line(std::string const& text) {
  try {
    json const line = json::parse(text);
    auto const string = [&](char const* member) { return line.at(member).get<std::string>(); };
    if (line.contains("finding"))
      return check_finding{string("finding"), line.at("advice").get<bool>(),
                           string("edge"),    string("group"),
                           string("text"),    string("json"),
                           /*suppressed=*/{}, string("order")};
    if (line.contains("outputs")) {
      cell_result result;
      line.at("outputs").get_to(result.outputs);
      line.at("failure").get_to(result.failure);
      line.at("operations").get_to(result.operations);
      line.at("accesses").get_to(result.accesses);
      line.at("order").get_to(result.order);
      line.at("failed_call").get_to(result.failed_call);
      line.at("unhooked").get_to(result.unhooked);
      line.at("program_calls").get_to(result.program_calls);
      line.at("again").get_to(result.again);
      std::size_t at = 0;
      for (memory_calls* each : {&result.in_init, &result.in_call, &result.in_exit}) {
        line.at("memory_calls").at(at++).get_to(each->allocations);
        line.at("memory_calls").at(at++).get_to(each->releases);
      }
      return result;
    }
    if (line.contains("orders")) return cell_orders{line.at("orders").get<std::uint64_t>()};
    return cell_error{static_cast<errc>(line.at("code").get<int>()), string("error"),
                      string("place"), string("file")};
  } catch (json::exception const&) {
    return std::nullopt;
  }
}

} // namespace assay

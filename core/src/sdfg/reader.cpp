#include "assay/error.hpp"
#include "assay/sdfg.hpp"
#include "assay/structure_type.hpp"
#include "sdfg/contraction.hpp"
#include "sdfg/identifier.hpp"
#include "sdfg/inflate.hpp"
#include "sdfg/json_cursor.hpp"
#include "sdfg/library_nodes.hpp"
#include "sdfg/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unordered_map>

namespace assay::sdfg {
namespace {

/// An element of an enumeration by DaCe's name.
template <typename Enum, std::size_t Count> std::optional<Enum> named(std::string_view text) {
  for (std::size_t i = 0; i < Count; ++i)
    if (name(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  return std::nullopt;
}

/// Whether symbolic text is of the form without `$`: versions before 2.0.0a4.
bool writes_bare_names(std::string_view version) {
  std::array<long, 3> numbers{};
  std::size_t at = 0;
  for (auto& number : numbers) {
    auto const [end, failure] =
        std::from_chars(version.data() + at, version.data() + version.size(), number);
    if (failure != std::errc()) break;
    at = static_cast<std::size_t>(end - version.data());
    if (at == version.size() || version[at] != '.') break;
    ++at;
  }
  if (numbers != std::array<long, 3>{2, 0, 0}) return numbers < std::array<long, 3>{2, 0, 0};
  if (at >= version.size() || version[at] != 'a') return false;
  long alpha = 0;
  std::from_chars(version.data() + at + 1, version.data() + version.size(), alpha);
  return alpha < 4;
}

class reader {
public:
  graph program(cursor const& root) {
    if (!root.is_object() || !root.find("type")) root.fail("the file holds no SDFG object");
    auto const version = root.find("dace_version");
    if (!version) root.fail("SDFG lacks member 'dace_version'");
    old_form_ = writes_bare_names(version->string());
    auto g = sdfg(root);
    expand_library_nodes(g, library_nodes_);
    return g;
  }

private:
  bool old_form_ = false;
  int depth_ = 0;
  library_nodes library_nodes_;
  std::unordered_map<std::string, expression> parsed_; // files repeat a few texts hundreds of times

  /// Regions and nested SDFGs recurse; files are not trusted.
  struct level {
    int& depth;
    level(int& d, cursor const& c) : depth(d) {
      constexpr int deepest = 100;
      if (depth >= deepest)
        c.fail(fmt::format("regions and nested SDFGs are deeper than {} levels", deepest));
      ++depth;
    }
    ~level() { --depth; }
    level(level const&) = delete;
    level& operator=(level const&) = delete;
  };

  /// Runs a parser of text and adds the place and the name of the member to what it throws.
  template <typename Parse> static auto located(cursor const& c, Parse parse) {
    try {
      return parse();
    } catch (error const& failure) {
      c.fail(fmt::format("'{}': {}", c.key(), failure.what()), failure.code());
    }
  }

  expression symbolic(cursor const& c) {
    if (auto const* number = c.get_if<std::int64_t>()) return expression::integer(*number);
    if (auto const* number = c.get_if<double>()) return expression::real(*number);
    auto const& text = c.string();
    auto const known = parsed_.find(text);
    if (known != parsed_.end()) return known->second;
    auto result = located(c, [&] { return parse_symbolic(text, old_form_); });
    parsed_.emplace(text, result);
    return result;
  }

  expression symbolic_or(cursor const& attributes, std::string_view key, std::int64_t value) {
    auto const found = attributes.find(key);
    return found ? symbolic(*found) : expression::integer(value);
  }

  expression_list symbolic_list(cursor const& c) {
    expression_list result;
    c.each_element([&](cursor const& element) { result.push_back(symbolic(element)); });
    return result;
  }

  std::int64_t constant(cursor const& c) {
    auto const value = symbolic(c);
    if (!free_names(value).empty())
      c.fail(fmt::format("'{}' must be constant", c.key()), errc::unsupported);
    return located(c, [&] { return evaluate_integer(value, {}); });
  }

  static bool flag(cursor const& attributes, std::string_view key, bool otherwise = false) {
    auto const found = attributes.find(key);
    return found ? found->boolean() : otherwise;
  }

  static std::string text_or_empty(cursor const& object, std::string_view key) {
    auto const found = object.find(key);
    return found ? found->string() : std::string();
  }

  static dtype type_of(cursor const& c, std::string const& owner) {
    if (!c.is_string()) {
      auto const kind = text_or_empty(c, "type");
      if (kind == "struct") return structure(c, owner);
      c.fail(fmt::format("{} has the type '{}'", owner, kind.empty() ? "?" : printable(kind)),
             errc::unsupported);
    }
    auto const type = parse_dtype(c.string());
    if (!type)
      c.fail(fmt::format("{} has the type '{}'", owner, printable(c.string())), errc::unsupported);
    return *type;
  }

  static dtype structure(cursor const& c, std::string const& owner) {
    std::vector<structure_field> fields;
    c.at("data").each_element([&](cursor const& pair) {
      if (!pair.is_array() || pair.size() != 2)
        pair.fail("a field of a structure must be a name and a type");
      structure_field field;
      std::size_t part = 0;
      pair.each_element([&](cursor const& element) {
        if (part++ == 0)
          field.name = element.string();
        else
          field.type =
              type_of(element, fmt::format("field '{}' of {}", printable(field.name), owner));
      });
      if (!is_identifier(field.name))
        pair.fail(fmt::format("field name '{}' is no C++ identifier", printable(field.name)));
      fields.push_back(std::move(field));
    });
    auto const& label = c.at("name").string();
    if (!is_identifier(label))
      c.fail(fmt::format("structure name '{}' is no C++ identifier", printable(label)));
    return located(c, [&] { return structure_type(label, std::move(fields)); });
  }

  static code_block code(cursor const& c) {
    code_block result;
    if (c.is_string()) { // old files
      result.text = c.string();
      return result;
    }
    result.text = text_or_empty(c, "string_data");
    auto const written = c.find("language");
    if (!written || written->string() == "Python")
      result.language = language::python;
    else if (written->string() == "CPP")
      result.language = language::cpp;
    else if (!result.text.empty())
      c.fail(fmt::format("'{}' is written in {}", c.key(), printable(written->string())),
             errc::unsupported);
    return result;
  }

  static code_block code_or_empty(cursor const& attributes, std::string_view key) {
    auto const found = attributes.find(key);
    return found ? code(*found) : code_block{};
  }

  /// A condition in Python; nothing for one that is always true.
  static std::optional<expression> condition(cursor const& c) {
    auto const block = code(c);
    if (block.language != language::python)
      c.fail(fmt::format("'{}' is no Python", c.key()), errc::unsupported);
    if (block.text.find_first_not_of(" \t\n") == std::string::npos) return std::nullopt;
    auto value = located(c, [&] { return parse_python_expression(block.text); });
    bool const always = value.is_integer(1) ||
                        (value->kind == expression_kind::boolean && value->integer_value == 1);
    if (always) return std::nullopt;
    return value;
  }

  static std::vector<statement> statements(cursor const& attributes, std::string_view key) {
    auto const found = attributes.find(key);
    if (!found) return {};
    auto const block = code(*found);
    if (block.language != language::python)
      found->fail(fmt::format("'{}' is no Python", key), errc::unsupported);
    return located(*found, [&] { return parse_python_code(block.text); });
  }

  static std::vector<std::string> connectors(cursor const& attributes, std::string_view key) {
    std::vector<std::string> result;
    auto const found = attributes.find(key);
    if (!found) return result;
    if (found->is_array()) // old files
      found->each_element([&](cursor const& c) { result.push_back(c.string()); });
    else
      found->each_member(
          [&](std::string const& connector, cursor const&) { result.push_back(connector); });
    return result;
  }

  static std::map<std::string, std::string> code_by_location(cursor const& attributes,
                                                             std::string_view key) {
    std::map<std::string, std::string> result;
    auto const found = attributes.find(key);
    if (!found) return result;
    found->each_member([&](std::string const& location, cursor const& c) {
      auto block = code(c);
      if (!block.text.empty()) result[location == "None" ? "" : location] = std::move(block.text);
    });
    return result;
  }

  // ---- descriptors ------------------------------------------------------------------------------

  static std::optional<descriptor_kind> kind_of(std::string_view type) {
    if (type == "Scalar") return descriptor_kind::scalar;
    if (type == "Array") return descriptor_kind::array;
    if (type == "View" || type == "ArrayView") return descriptor_kind::view;
    if (type == "Reference" || type == "ArrayReference") return descriptor_kind::reference;
    return std::nullopt;
  }

  descriptor container(std::string const& label, cursor const& c) {
    auto const owner = fmt::format("container '{}'", printable(label));
    auto const& type = c.at("type").string();
    auto const kind = kind_of(type);
    if (!kind) c.fail(fmt::format("{} is a {}", owner, printable(type)), errc::unsupported);
    if (label.find('.') != std::string::npos)
      c.fail(fmt::format("{} is a member of a structure", owner), errc::unsupported);
    auto const attributes = c.at("attributes");

    descriptor d;
    d.place = c.place();
    d.kind = *kind;
    if (auto const t = attributes.find("dtype")) d.type = type_of(*t, owner);
    if (auto const s = attributes.find("shape")) d.shape = symbolic_list(*s);
    if (d.kind == descriptor_kind::scalar) {
      d.shape = {expression::integer(1)};
    } else if (d.shape.empty()) {
      c.fail(fmt::format("{} has no shape", owner));
    }
    auto const rank = d.shape.size();
    if (auto const s = attributes.find("strides"))
      d.strides = symbolic_list(*s);
    else
      d.strides = packed_strides(d.shape);
    d.offset.assign(rank, expression::integer(0));
    if (auto const o = attributes.find("offset")) d.offset = symbolic_list(*o);
    // DaCe's transformations drop dimensions and leave their offsets behind.
    if (d.offset.size() > rank &&
        std::ranges::all_of(d.offset, [](expression const& each) { return each.is_integer(0); }))
      d.offset.resize(rank);
    if (d.kind == descriptor_kind::scalar) d.strides = {expression::integer(1)}, d.offset.resize(1);
    auto total = expression::integer(1);
    for (auto const& extent : d.shape) total = total * extent;
    d.total_size = total;
    if (auto const t = attributes.find("total_size")) d.total_size = symbolic(*t);
    d.start_offset = symbolic_or(attributes, "start_offset", 0);
    if (auto const a = attributes.find("alignment")) d.alignment_bytes = constant(*a);
    // Views and references are written without it, yet never belong to the caller.
    bool const indirect = d.kind == descriptor_kind::view || d.kind == descriptor_kind::reference;
    d.transient = flag(attributes, "transient", indirect);
    d.pool = flag(attributes, "pool");
    if (auto const s = attributes.find("storage")) {
      auto const known = named<sdfg::storage, 7>(s->string());
      if (!known)
        s->fail(fmt::format("{} has the storage '{}'", owner, printable(s->string())),
                errc::unsupported);
      d.storage = *known;
    }
    if (auto const l = attributes.find("lifetime")) {
      auto const known = named<sdfg::lifetime, 6>(l->string());
      if (!known)
        l->fail(fmt::format("{} has the lifetime '{}'", owner, printable(l->string())),
                errc::unsupported);
      d.lifetime = *known;
    }
    return d;
  }

  static expression_list packed_strides(expression_list const& shape) {
    expression_list strides(shape.size(), expression::integer(1));
    for (auto i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
  }

  static void append_numbers(cursor const& c, std::vector<double>& values) {
    if (c.is_array()) {
      c.each_element([&](cursor const& element) { append_numbers(element, values); });
    } else if (auto const* truth = c.get_if<bool>()) {
      values.push_back(*truth ? 1 : 0);
    } else if (auto const* number = c.get_if<std::int64_t>()) {
      auto const value = static_cast<double>(*number);
      // Beyond this float64 no longer holds every integer.
      if (std::fabs(value) > 0x1p53) c.fail("constant is beyond 2**53", errc::unsupported);
      values.push_back(value);
    } else if (auto const* real = c.get_if<double>()) {
      values.push_back(*real);
    } else {
      c.fail("constant is no number, or beyond 2**53", errc::unsupported);
    }
  }

  void constants(cursor const& attributes, graph& g) {
    auto const found = attributes.find("constants_prop");
    if (!found) return;
    found->each_member([&](std::string const& label, cursor const& pair) {
      if (!pair.is_array() || pair.size() != 2)
        pair.fail(fmt::format("constant '{}' must be a descriptor and a value", printable(label)));
      sdfg::constant c;
      std::size_t part = 0;
      pair.each_element([&](cursor const& element) {
        if (part++ == 0) {
          if (!element.is_null()) c.type = container(label, element);
        } else if (element.is_object()) {
          append_numbers(element.at("data"), c.values);
        } else {
          append_numbers(element, c.values);
        }
      });
      g.constants.emplace(label, std::move(c));
    });
  }

  // ---- dataflow ---------------------------------------------------------------------------------

  /// What a step of a range that takes several elements, its tile, means here.
  enum class tiles {
    unsupported, ///< elements are moved or computed with
    bounds,      ///< what encloses them is all that counts: the end is the end of the last tile
    steps        ///< a map goes from tile to tile: what it does with one is up to its memlets
  };
  subset ranges(cursor const& c, tiles meaning) {
    auto const& type = c.at("type").string();
    subset result;
    if (type == "Indices") { // old files
      c.at("indices").each_element([&](cursor const& index) {
        auto value = symbolic(index);
        result.push_back({value, value});
      });
      return result;
    }
    if (type != "Range") c.fail(fmt::format("subset is a {}", printable(type)), errc::unsupported);
    c.at("ranges").each_element([&](cursor const& dimension) {
      range r;
      r.begin = symbolic(dimension.at("start"));
      r.end = symbolic(dimension.at("end"));
      r.step = symbolic_or(dimension, "step", 1);
      if (auto const tile = dimension.find("tile"); tile && !symbolic(*tile).is_integer(1)) {
        if (meaning == tiles::unsupported) tile->fail("range is tiled", errc::unsupported);
        if (meaning == tiles::bounds) r.step = expression::integer(1);
      }
      result.push_back(std::move(r));
    });
    return result;
  }

  /// `as_bound`: nothing is moved by this memlet itself, it says what the memlets inside of a map
  /// may touch.
  sdfg::memlet memlet(cursor const& c, bool as_bound) {
    sdfg::memlet m;
    auto const attributes = c.find("attributes");
    if (!attributes) return m;
    if (auto const data = attributes->find("data")) m.data = data->string();
    if (!m.data) return m;
    auto const meaning = as_bound ? tiles::bounds : tiles::unsupported;
    if (auto const s = attributes->find("subset")) m.subset = ranges(*s, meaning);
    if (auto const s = attributes->find("other_subset")) m.other_subset = ranges(*s, meaning);
    if (auto const b = attributes->find("is_data_src")) m.is_data_source = b->boolean();
    m.conflict_resolution = text_or_empty(*attributes, "wcr");
    m.conflict_nonatomic = flag(*attributes, "wcr_nonatomic");
    m.dynamic = flag(*attributes, "dynamic");
    return m;
  }

  map_entry entry(cursor const& attributes) {
    map_entry m;
    attributes.at("params").each_element(
        [&](cursor const& p) { m.parameters.push_back(p.string()); });
    m.ranges = ranges(attributes.at("range"), tiles::steps);
    if (auto const s = attributes.find("schedule")) {
      auto const known = named<sdfg::schedule, 5>(s->string());
      if (!known)
        s->fail(fmt::format("map has the schedule '{}'", printable(s->string())),
                errc::unsupported);
      m.schedule = *known;
    }
    if (auto const block = attributes.find("gpu_block_size"))
      block->each_element([&](cursor const& size) { m.block_size.push_back(constant(size)); });
    m.unroll = flag(attributes, "unroll");
    m.in_connectors = connectors(attributes, "in_connectors");
    m.out_connectors = connectors(attributes, "out_connectors");
    return m;
  }

  sdfg::tasklet tasklet(cursor const& attributes) {
    sdfg::tasklet t;
    t.code = code_or_empty(attributes, "code");
    t.code_global = code_or_empty(attributes, "code_global");
    t.code_init = code_or_empty(attributes, "code_init");
    t.code_exit = code_or_empty(attributes, "code_exit");
    t.in_connectors = connectors(attributes, "in_connectors");
    t.out_connectors = connectors(attributes, "out_connectors");
    if (auto const s = attributes.find("side_effects")) t.side_effects = s->boolean();
    // Of all that DaCe's expansions are built with, only the vendors' own headers are there.
    if (auto const found = attributes.find("environments"))
      found->each_element([&](cursor const& name) {
        auto const& library = name.string();
        if (!library.ends_with(".CUDA"))
          name.fail(fmt::format("C++ code calls the library {}",
                                printable(library.substr(library.rfind('.') + 1))),
                    errc::unsupported);
      });
    return t;
  }

  nested_sdfg nested(cursor const& c, cursor const& attributes) {
    nested_sdfg n;
    auto const body = attributes.find("sdfg");
    if (!body) c.fail("nested SDFG is kept in another file", errc::unsupported);
    level const deeper(depth_, c);
    n.body = std::make_shared<graph const>(sdfg(*body));
    if (auto const mapping = attributes.find("symbol_mapping"))
      mapping->each_member([&](std::string const& inner, cursor const& outer) {
        n.symbol_mapping.emplace_back(inner, symbolic(outer));
      });
    n.in_connectors = connectors(attributes, "in_connectors");
    n.out_connectors = connectors(attributes, "out_connectors");
    return n;
  }

  void library(std::string const& type, std::string const& place, cursor const& attributes) {
    static constexpr std::array<std::string_view, 3> known{"Reduce", "CopyLibraryNode",
                                                           "FillLibraryNode"};
    if (std::find(known.begin(), known.end(), type) == known.end() && !is_contraction(type)) return;
    library_node x;
    x.type = type;
    x.conflict_resolution = text_or_empty(attributes, "wcr");
    auto const numbers = [&](std::string_view key, std::vector<std::int64_t>& list) {
      if (auto const given = attributes.find(key))
        given->each_element([&](cursor const& one) { list.push_back(constant(one)); });
    };
    numbers(type == "TensorDot" ? "left_axes" : "axes", x.axes);
    numbers("right_axes", x.right_axes);
    numbers("permutation", x.permutation);
    x.formula = text_or_empty(attributes, "einsum_str");
    x.transposes_first = flag(attributes, "transA");
    x.transposes_second = flag(attributes, "transB");
    if (auto const value = attributes.find(type == "Reduce" ? "identity" : "value")) {
      auto const* truth = value->get_if<bool>();
      x.identity = truth != nullptr ? expression::boolean(*truth) : symbolic(*value);
    }
    if (auto const alpha = attributes.find("alpha")) x.alpha = symbolic(*alpha);
    if (auto const beta = attributes.find("beta")) x.beta = symbolic(*beta);
    library_nodes_.emplace(place, std::move(x));
  }

  sdfg::node node(cursor const& c, std::size_t count) {
    auto const& type = c.at("type").string();
    sdfg::node n;
    n.place = c.place();
    n.label = text_or_empty(c, "label");
    auto const scope = [&](std::string_view key) -> std::optional<std::size_t> {
      auto const found = c.find(key);
      if (!found) return std::nullopt;
      auto const target = found->index();
      if (target >= count)
        found->fail(fmt::format("{} of node '{}' names node {}, but the state has {} nodes", key,
                                printable(n.label), target, count));
      return target;
    };
    n.scope_entry = scope("scope_entry");
    n.scope_exit = scope("scope_exit");

    static json_value const nothing{json_object{}};
    auto const given = c.find("attributes");
    auto const attributes = given ? *given : cursor(nothing);
    if (type == "AccessNode") {
      access_node a;
      a.data = c.at("attributes").at("data").string();
      a.zero_fill = flag(attributes, "setzero");
      n.content = std::move(a);
    } else if (type == "Tasklet") {
      n.content = tasklet(attributes);
    } else if (type == "MapEntry") {
      n.content = entry(c.at("attributes"));
    } else if (type == "MapExit") {
      n.content = map_exit{connectors(attributes, "in_connectors"),
                           connectors(attributes, "out_connectors")};
    } else if (type == "NestedSDFG") {
      n.content = nested(c, c.at("attributes"));
    } else if (type == "LibraryNode" || c.find("classpath")) {
      auto const path = text_or_empty(c, "classpath");
      n.content = opaque_node{fmt::format("LibraryNode {}", printable(path))};
      library(path.substr(path.rfind('.') + 1), n.place, attributes);
    } else if (type == "ConsumeEntry" || type == "ConsumeExit") {
      c.fail(fmt::format("consume scope '{}'", printable(n.label)), errc::unsupported);
    } else {
      c.fail(
          fmt::format("node '{}' has the unknown type '{}'", printable(n.label), printable(type)));
    }
    return n;
  }

  static std::size_t end_of(cursor const& edge, std::string_view key, std::size_t count,
                            std::string_view what) {
    auto const c = edge.at(key);
    auto const target = c.index();
    if (target >= count)
      c.fail(
          fmt::format("dangling edge: '{}' is {} {}, but there are {}", key, what, target, count));
    return target;
  }

  sdfg::state state(cursor const& c) {
    sdfg::state s;
    auto const nodes = c.at("nodes");
    auto const count = nodes.size();
    nodes.each_element([&](cursor const& element) { s.nodes.push_back(node(element, count)); });
    if (auto const edges = c.find("edges"))
      edges->each_element([&](cursor const& element) {
        edge e;
        e.place = element.place();
        e.source = end_of(element, "src", count, "node");
        e.target = end_of(element, "dst", count, "node");
        e.source_connector = text_or_empty(element, "src_connector");
        e.target_connector = text_or_empty(element, "dst_connector");
        if (auto const attributes = element.find("attributes"))
          if (auto const data = attributes->find("data")) {
            bool const is_outside = (std::holds_alternative<map_entry>(s.nodes[e.target].content) &&
                                     e.target_connector.starts_with("IN_")) ||
                                    std::holds_alternative<map_exit>(s.nodes[e.source].content);
            e.memlet = memlet(*data, is_outside);
          }
        s.edges.push_back(std::move(e));
      });
    if (auto const attributes = c.find("attributes")) s.nosync = flag(*attributes, "nosync");
    return s;
  }

  // ---- control flow -----------------------------------------------------------------------------

  interstate_edge between(cursor const& c, std::size_t count) {
    interstate_edge e;
    e.place = c.place();
    e.source = end_of(c, "src", count, "block");
    e.target = end_of(c, "dst", count, "block");
    auto const outer = c.find("attributes");
    auto const data = outer ? outer->find("data") : std::nullopt;
    auto const attributes = data ? data->find("attributes") : std::nullopt;
    if (!attributes) return e;
    if (auto const test = attributes->find("condition")) e.condition = condition(*test);
    if (auto const assignments = attributes->find("assignments"))
      assignments->each_member([&](std::string const& symbol, cursor const& value) {
        if (value.is_string())
          e.assignments.emplace_back(
              symbol, located(value, [&] { return parse_python_expression(value.string()); }));
        else
          e.assignments.emplace_back(symbol, symbolic(value));
      });
    return e;
  }

  sdfg::region region(cursor const& c) {
    level const deeper(depth_, c);
    sdfg::region r;
    auto const nodes = c.at("nodes");
    nodes.each_element([&](cursor const& element) { r.blocks.push_back(block(element)); });
    auto const count = r.blocks.size();
    if (count == 0) c.fail(fmt::format("{} has no blocks", c.at("type").string()));
    if (auto const edges = c.find("edges"))
      edges->each_element(
          [&](cursor const& element) { r.edges.push_back(between(element, count)); });
    auto start = c.find("start_block");
    if (!start) start = c.find("start_state"); // old files
    if (start) {
      r.start = start->index();
      if (r.start >= count)
        start->fail(fmt::format("start is block {}, but there are {}", r.start, count));
    }
    std::vector<bool> entered(count, false);
    for (auto const& e : r.edges) entered[e.target] = true;
    auto const sources = std::count(entered.begin(), entered.end(), false);
    // Transformations put blocks in front and leave the index as it was: as in DaCe, it counts only
    // where the edges leave the start open.
    if (start && sources != 1) return r;
    if (count > 1 && sources != 1)
      c.fail(fmt::format("no start block is given and {} blocks have no edge into them", sources));
    if (count > 1)
      r.start = static_cast<std::size_t>(std::find(entered.begin(), entered.end(), false) -
                                         entered.begin());
    return r;
  }

  loop_region loop(cursor const& c) {
    loop_region l;
    if (auto const attributes = c.find("attributes")) {
      if (auto const test = attributes->find("loop_condition")) l.condition = condition(*test);
      l.variable = text_or_empty(*attributes, "loop_variable");
      l.init = statements(*attributes, "init_statement");
      l.update = statements(*attributes, "update_statement");
      l.inverted = flag(*attributes, "inverted");
      l.update_before_condition = flag(*attributes, "update_before_condition", true);
    }
    l.body = std::make_shared<sdfg::region const>(region(c));
    return l;
  }

  conditional_block conditional(cursor const& c) {
    conditional_block result;
    c.at("branches").each_element([&](cursor const& pair) {
      if (!pair.is_array() || pair.size() != 2)
        pair.fail("a branch must be a condition and a region");
      conditional_branch branch;
      std::size_t part = 0;
      pair.each_element([&](cursor const& element) {
        if (part++ == 0) {
          if (!element.is_null()) branch.condition = always_kept(element);
        } else {
          branch.body = std::make_shared<sdfg::region const>(region(element));
        }
      });
      result.branches.push_back(std::move(branch));
    });
    if (result.branches.empty()) c.fail("ConditionalBlock has no branches");
    return result;
  }

  /// The condition of a branch: one that is always true is no "else", so it stays.
  static expression always_kept(cursor const& c) {
    auto test = condition(c);
    return test ? *test : expression::boolean(true);
  }

  sdfg::block block(cursor const& c) {
    sdfg::block b;
    b.place = c.place();
    b.label = text_or_empty(c, "label");
    auto const& type = c.at("type").string();
    if (type == "SDFGState")
      b.content = state(c);
    else if (type == "LoopRegion")
      b.content = loop(c);
    else if (type == "ConditionalBlock")
      b.content = conditional(c);
    else if (type == "ControlFlowRegion" || type == "NamedRegion" || type == "FunctionCallRegion")
      b.content = plain_region{std::make_shared<sdfg::region const>(region(c))};
    else if (type == "BreakBlock")
      b.content = jump::break_loop;
    else if (type == "ContinueBlock")
      b.content = jump::continue_loop;
    else if (type == "ReturnBlock")
      b.content = jump::return_program;
    else
      c.fail(
          fmt::format("block '{}' has the unknown type '{}'", printable(b.label), printable(type)));
    return b;
  }

  graph sdfg(cursor const& c) {
    if (c.at("type").string() != "SDFG")
      c.fail(fmt::format("expected an SDFG, not a {}", printable(c.at("type").string())));
    graph g;
    g.place = c.place();
    auto const attributes = c.at("attributes");
    g.name = text_or_empty(attributes, "name");
    auto id = c.find("cfg_list_id");
    if (!id) id = c.find("sdfg_list_id"); // old files
    if (id) {
      auto const number = id->index();
      if (number > INT32_MAX) id->fail(fmt::format("'{}' is too large", id->key()));
      g.id = static_cast<int>(number);
    }
    if (auto const arrays = attributes.find("_arrays"))
      arrays->each_member([&](std::string const& label, cursor const& d) {
        if (label.empty() && d.is_null()) return;
        g.arrays.emplace_back(label, container(label, d));
      });
    if (auto const symbols = attributes.find("symbols"))
      symbols->each_member([&](std::string const& symbol, cursor const& type) {
        g.symbols.emplace(symbol, type_of(type, fmt::format("symbol '{}'", printable(symbol))));
      });
    constants(attributes, g);
    g.global_code = code_by_location(attributes, "global_code");
    g.init_code = code_by_location(attributes, "init_code");
    g.exit_code = code_by_location(attributes, "exit_code");
    g.root = region(c);
    return g;
  }
};

} // namespace

graph read_text(std::string_view bytes) {
  std::string text;
  if (is_gzip(bytes)) {
    text = inflated(bytes);
    bytes = text;
  }
  auto const root = parse_json(bytes);
  return reader().program(cursor(root));
}

graph read(std::filesystem::path const& file) {
  try {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
      throw error(errc::invalid_input, "cannot read the file: it is a directory");
    std::ifstream in(file, std::ios::binary);
    if (!in)
      throw error(errc::invalid_input,
                  fmt::format("cannot open the file: {}", std::strerror(errno)));
    std::string const bytes(std::istreambuf_iterator<char>(in), {});
    if (in.bad()) throw error(errc::invalid_input, "cannot read the file");
    return read_text(bytes);
  } catch (error const& failure) {
    throw failure.in_file(file.string());
  }
}

} // namespace assay::sdfg

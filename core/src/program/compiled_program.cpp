#include "assay/compiled_program.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <ffi.h>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "assay/settings.hpp"

namespace assay {
namespace {

// DaCe's storage names that can hold an external array.
constexpr std::string_view storages[] = {"GPU_Global", "CPU_Heap", "CPU_Pinned", "Default"};

ffi_type* complex_type(ffi_type& part) {
  // Passed as a struct of two parts: the same classes as the C++ struct in generated code.
  struct holder {
    ffi_type* elements[3];
    ffi_type type{};
    explicit holder(ffi_type& p) : elements{&p, &p, nullptr} {
      type.type = FFI_TYPE_STRUCT;
      type.elements = elements;
    }
  };
  static holder single(ffi_type_float), twice(ffi_type_double);
  return &part == &ffi_type_float ? &single.type : &twice.type;
}

ffi_type* native_type(dtype type) {
  switch (type) {
  case dtype::boolean:
  case dtype::uint8:
    return &ffi_type_uint8;
  case dtype::int8:
    return &ffi_type_sint8;
  case dtype::int16:
    return &ffi_type_sint16;
  case dtype::uint16:
  case dtype::float16:
    return &ffi_type_uint16;
  case dtype::int32:
    return &ffi_type_sint32;
  case dtype::uint32:
    return &ffi_type_uint32;
  case dtype::int64:
    return &ffi_type_sint64;
  case dtype::uint64:
    return &ffi_type_uint64;
  case dtype::float32:
    return &ffi_type_float;
  case dtype::float64:
    return &ffi_type_double;
  case dtype::complex64:
    return complex_type(ffi_type_float);
  case dtype::complex128:
    return complex_type(ffi_type_double);
  }
  ASSAY_ASSERT(!"a dtype outside the enum");
}

ffi_type* native_type(sdfg::argument const& argument) {
  return argument.type.kind == sdfg::descriptor_kind::scalar ? native_type(argument.type.type)
                                                             : &ffi_type_pointer;
}

/// Largest result of a function with an integral or pointer result.
union result_value {
  ffi_arg integer;
  void* pointer;
};

/// A function of the library with its arguments in fixed places, so that a call builds nothing.
class bound_function {
public:
  bound_function() = default;
  bound_function(bound_function const&) = delete;
  bound_function& operator=(bound_function const&) = delete;

  /// `leading` pointers, then `values` in the order of `wanted`; `values` must not move.
  void bind(void* function, ffi_type* result, std::size_t leading,
            std::vector<sdfg::argument> const& wanted, std::vector<argument_value> const& values) {
    function_ = function;
    leading_.assign(leading, nullptr);
    for (void*& pointer : leading_) {
      types_.push_back(&ffi_type_pointer);
      places_.push_back(&pointer);
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      types_.push_back(native_type(wanted[k]));
      places_.push_back(const_cast<void*>(values[k].data()));
    }
    ASSAY_ASSERT(ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()),
                              result, types_.data()) == FFI_OK);
  }
  template <typename... Pointers> result_value operator()(Pointers... leading) {
    ASSAY_ASSERT(function_ != nullptr && sizeof...(leading) == leading_.size());
    std::size_t k = 0;
    ((leading_[k++] = leading), ...);
    result_value out{};
    ffi_call(&interface_, FFI_FN(function_), &out, places_.data());
    return out;
  }
  [[nodiscard]] explicit operator bool() const noexcept { return function_ != nullptr; }

private:
  void* function_ = nullptr;
  ffi_cif interface_{};
  std::vector<ffi_type*> types_;
  std::vector<void*> leading_;
  std::vector<void*> places_;
};

/// The values that one signature takes, in its order.
class argument_frame {
public:
  explicit argument_frame(std::vector<sdfg::argument> const& wanted)
      : wanted_(wanted), values(wanted.size()) {
    for (std::size_t k = 0; k < wanted.size(); ++k) by_name_.push_back(k);
    std::ranges::sort(
        by_name_, {}, [&](std::size_t k) -> auto& { return wanted[k].name; });
  }
  /// One pass over both in the order of names. `stream` stands for the stream symbol where it is
  /// set.
  void fill(std::string const& program, argument_values const& from,
            std::optional<argument_value> const& stream) {
    auto at = from.begin();
    for (std::size_t const k : by_name_) {
      std::string const& name = wanted_[k].name;
      int order = -1;
      while (at != from.end() && (order = at->first.compare(name)) < 0) ++at;
      bool const found = at != from.end() && order == 0;
      if (stream && name == external_stream_symbol) {
        if (found && !(at->second == *stream))
          throw error(
              errc::invalid_input,
              fmt::format("the stream of program '{}' is not the one that was set", program));
        values[k] = *stream;
      } else if (found) {
        values[k] = at->second;
      } else {
        throw error(errc::invalid_input,
                    fmt::format("argument '{}' of program '{}' is missing", name, program));
      }
    }
  }
  /// The value of a name, or nothing.
  [[nodiscard]] argument_value const* find(std::string_view name) const {
    for (std::size_t k = 0; k < wanted_.size(); ++k)
      if (wanted_[k].name == name) return &values[k];
    return nullptr;
  }

private:
  std::vector<sdfg::argument> const& wanted_;
  std::vector<std::size_t> by_name_;

public:
  std::vector<argument_value> values; ///< never grows: functions are bound to its elements
};

template <typename Integer> bool fits(std::int64_t value) {
  if constexpr (std::is_same_v<Integer, std::uint64_t>)
    return value >= 0;
  else
    return value >= std::numeric_limits<Integer>::min() &&
           value <= std::numeric_limits<Integer>::max();
}

std::uint16_t half_bits(double value) {
  _Float16 const half = static_cast<_Float16>(value);
  std::uint16_t bits = 0;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

} // namespace

argument_value argument_value::pointer(void const* value) noexcept {
  argument_value made;
  std::memcpy(made.bytes_.data(), &value, sizeof value);
  return made;
}

argument_value argument_value::integer(dtype type, std::int64_t value) {
  argument_value made;
  auto const put = [&]<typename Integer>(Integer) {
    if (!fits<Integer>(value))
      throw error(errc::invalid_input, fmt::format("{} is no {}", value, assay::name(type)));
    Integer const narrow = static_cast<Integer>(value);
    std::memcpy(made.bytes_.data(), &narrow, sizeof narrow);
    return made;
  };
  switch (type) {
  case dtype::boolean:
    if (value != 0 && value != 1)
      throw error(errc::invalid_input, fmt::format("{} is no bool", value));
    return put(std::uint8_t{});
  case dtype::int8:
    return put(std::int8_t{});
  case dtype::int16:
    return put(std::int16_t{});
  case dtype::int32:
    return put(std::int32_t{});
  case dtype::int64:
    return put(std::int64_t{});
  case dtype::uint8:
    return put(std::uint8_t{});
  case dtype::uint16:
    return put(std::uint16_t{});
  case dtype::uint32:
    return put(std::uint32_t{});
  case dtype::uint64:
    return put(std::uint64_t{});
  default:
    return real(type, static_cast<double>(value));
  }
}

argument_value argument_value::real(dtype type, double value) {
  argument_value made;
  auto const put = [&](auto narrow) {
    std::memcpy(made.bytes_.data(), &narrow, sizeof narrow);
    return made;
  };
  switch (type) {
  case dtype::float16:
    return put(half_bits(value));
  case dtype::float32:
  case dtype::complex64:
    return put(static_cast<float>(value));
  case dtype::float64:
  case dtype::complex128:
    return put(value);
  default:
    throw error(errc::invalid_input, fmt::format("{} is no {}", value, assay::name(type)));
  }
}

struct compiled_program::implementation {
  program_interface interface;
  gpu_runtime* gpu = nullptr;
  void* library = nullptr;
  argument_frame arguments;      ///< of the running call
  argument_frame init_arguments; ///< of the last init, or of the last call that changed them
  argument_frame next_init;      ///< what a call brings, until it is accepted

  struct storage_functions {
    std::string storage;
    bound_function size, next_size, set;
  };
  bound_function init, exit, program, last_error; ///< last_error: absent on target cpu
  void* set_all_streams = nullptr;                ///< of DaCe's libraries
  std::vector<std::unique_ptr<storage_functions>> workspace;

  program_state state = program_state::loaded;
  void* handle = nullptr;
  std::optional<argument_value> stream;
  std::int64_t stream_value = 0;
  workspace_buffers installed;
  workspace_source source;
  workspace_buffers given; ///< by the source, for as long as the program lives
  workspace_guard* guard = nullptr;

  implementation(program_interface described, gpu_runtime* runtime)
      : interface(std::move(described)), gpu(runtime), arguments(interface.signature.arguments),
        init_arguments(interface.signature.init), next_init(interface.signature.init) {}

  [[nodiscard]] void* symbol(std::string const& name) const { return dlsym(library, name.c_str()); }
  [[nodiscard]] void* required(std::string const& name) const {
    void* const found = symbol(name);
    if (found == nullptr)
      throw error(errc::environment,
                  fmt::format("library of program '{}' lacks {}", interface.name, name));
    return found;
  }

  void load(std::filesystem::path const& file) {
    // Lazy binding would resolve a missing function in the middle of a call.
    library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw error(errc::environment, fmt::format("cannot load the library: {}", dlerror()), {},
                  file.string());
    std::string const& name = interface.name;
    auto const& signature = interface.signature;
    init.bind(required("__dace_init_" + name), &ffi_type_pointer, 0, signature.init,
              next_init.values);
    exit.bind(required("__dace_exit_" + name), &ffi_type_sint, 1, {}, {});
    program.bind(required("__program_" + name), &ffi_type_void, 1, signature.arguments,
                 arguments.values);
    if (void* const found = symbol("__dace_gpu_last_error"))
      last_error.bind(found, &ffi_type_sint, 1, {}, {});
    set_all_streams = symbol("__dace_gpu_set_all_streams");
    for (std::string_view storage : storages) {
      void* const size = symbol(fmt::format("__dace_get_external_memory_size_{}", storage));
      if (size == nullptr) continue;
      auto functions = std::make_unique<storage_functions>();
      functions->storage = storage;
      functions->size.bind(size, &ffi_type_uint64, 1, signature.init, init_arguments.values);
      functions->next_size.bind(size, &ffi_type_uint64, 1, signature.init, next_init.values);
      functions->set.bind(required(fmt::format("__dace_set_external_memory_{}", storage)),
                          &ffi_type_void, 2, signature.init, init_arguments.values);
      workspace.push_back(std::move(functions));
    }
  }

  void require_initialised() const {
    if (state == program_state::loaded)
      throw error(errc::invalid_input,
                  fmt::format("program '{}' is not initialised", interface.name));
  }

  /// From `next_init`.
  void initialise() {
    void* const made = init().pointer;
    if (made == nullptr)
      throw error(errc::environment,
                  fmt::format("initialising program '{}' failed", interface.name));
    handle = made;
    std::ranges::copy(next_init.values, init_arguments.values.begin()); // in place: functions are bound
    installed.clear();
    state = program_state::initialised;
    if (stream && set_all_streams != nullptr && next_init.find(external_stream_symbol) == nullptr)
      reinterpret_cast<void (*)(void*, void*)>(set_all_streams)(
          handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(stream_value)));
  }

  [[nodiscard]] std::vector<workspace_need> needs(bool of_next) {
    std::vector<workspace_need> result;
    for (auto& functions : workspace) {
      auto& size = of_next ? functions->next_size : functions->size;
      result.push_back({functions->storage, static_cast<std::size_t>(size(handle).integer),
                        interface.workspace_alignment_bytes});
    }
    return result;
  }

  void set(workspace_buffers const& buffers) {
    for (auto& functions : workspace) {
      auto const found = buffers.find(functions->storage);
      void* const base = found == buffers.end() ? nullptr : found->second.base;
      static_cast<void>(functions->set(handle, base));
    }
    installed = buffers;
    state = program_state::ready;
  }

  void finish() {
    if (state == program_state::loaded) return;
    void* const ending = handle;
    handle = nullptr;
    state = program_state::loaded;
    installed.clear();
    int const status = static_cast<int>(exit(ending).integer);
    if (status != 0)
      throw error(errc::environment, fmt::format("finishing program '{}' failed with GPU status {}",
                                                 interface.name, status));
  }

  /// What the source gives for these needs; nothing is kept of a request that fails.
  [[nodiscard]] workspace_buffers provided(std::vector<workspace_need> const& wanted) {
    workspace_buffers buffers = given;
    for (workspace_need const& need : wanted) {
      auto const found = buffers.find(need.storage);
      if (need.size_bytes == 0 ||
          (found != buffers.end() && found->second.size_bytes >= need.size_bytes))
        continue;
      bool const on_gpu = need.storage == "GPU_Global" && gpu != nullptr;
      workspace_buffer buffer;
      try {
        buffer = source({need.storage, on_gpu ? gpu->current_device() : 0}, need.size_bytes);
      } catch (error const&) {
        throw;
      } catch (std::exception const& problem) {
        throw error(errc::environment, fmt::format("workspace for {}: its allocator failed: {}",
                                                   need.storage, problem.what()));
      }
      if (buffer.base == nullptr)
        throw error(errc::environment,
                    fmt::format("workspace for {}: its allocator gave nothing, {} "
                                "bytes needed",
                                need.storage, need.size_bytes));
      buffers.insert_or_assign(need.storage, buffer);
    }
    validate_workspace(wanted, buffers, gpu);
    return buffers;
  }

  /// Follows a change of an init symbol: new sizes, validated; or a whole new state.
  void follow_symbols(argument_values const& values) {
    if (interface.follows_first_call_only) return;
    next_init.fill(interface.name, values, stream);
    if (next_init.values == init_arguments.values) return;
    auto const* const asked = next_init.find(external_stream_symbol);
    if (asked != nullptr && !(*asked == *init_arguments.find(external_stream_symbol)))
      throw error(
          errc::invalid_input,
          fmt::format("the stream of program '{}' cannot change after initialise", interface.name));
    workspace_buffers buffers = installed;
    bool const was_ready = state == program_state::ready;
    if (was_ready) { // before anything ends: what is refused leaves the program as it is
      auto const wanted = needs(/*of_next=*/true);
      if (source)
        buffers = given = provided(wanted);
      else
        validate_workspace(wanted, buffers, gpu);
    }
    if (interface.sizes_fixed_at_init) {
      finish();
      initialise();
    }
    std::ranges::copy(next_init.values, init_arguments.values.begin()); // in place: functions are bound
    if (was_ready) set(buffers);
  }

  /// Before the argument vector is built: a program without its workspace would run on null
  /// pointers.
  void require_workspace() {
    if (state == program_state::ready || workspace.empty()) return;
    auto const wanted = needs(/*of_next=*/false);
    if (source) {
      given = provided(wanted);
      set(given);
      return;
    }
    for (workspace_need const& need : wanted)
      if (need.size_bytes != 0)
        throw error(errc::invalid_input,
                    fmt::format("workspace for {}: not installed, {} bytes needed", need.storage,
                                need.size_bytes));
  }

  /// The stream that carries the call; nothing for a program whose calls return finished.
  [[nodiscard]] std::optional<stream_handle> stream_of_call() const {
    auto const* const value = init_arguments.find(external_stream_symbol);
    if (value == nullptr) return std::nullopt;
    void* native = nullptr;
    std::memcpy(&native, value->data(), sizeof native);
    return stream_handle{native};
  }

  void call(argument_values const& values) {
    require_initialised();
    follow_symbols(values);
    require_workspace();
    arguments.fill(interface.name, values, stream);
    bool const guarded = guard != nullptr && !workspace.empty();
    if (guarded) guard->enter(interface.name, stream_of_call());
    static_cast<void>(program(handle));
    int const status = last_error ? static_cast<int>(last_error(handle).integer) : 0;
    if (status != 0) {
      installed.clear();
      state = program_state::initialised;
    }
    try {
      if (guarded) guard->leave();
    } catch (error const&) {
      if (status == 0) throw;
    }
    if (status != 0)
      throw error(errc::environment,
                  fmt::format("program '{}' failed with GPU status {}", interface.name, status));
  }
};

compiled_program::compiled_program(std::filesystem::path const& library,
                                   program_interface interface, gpu_runtime* gpu)
    : self_(std::make_unique<implementation>(std::move(interface), gpu)) {
  self_->load(library);
}

compiled_program::~compiled_program() {
  try {
    self_->finish();
  } catch (error const&) {
    // The caller who wants to know calls finish().
  }
  // The library stays loaded: a checker looks up source lines of its code until the process ends.
}

program_state compiled_program::state() const noexcept { return self_->state; }

void compiled_program::set_external_gpu_stream(std::int64_t handle) {
  if (self_->state != program_state::loaded)
    throw error(
        errc::invalid_input,
        fmt::format("the stream of program '{}' is set after initialise", self_->interface.name));
  self_->stream = argument_value::integer(dtype::int64, handle);
  self_->stream_value = handle;
}

void compiled_program::set_workspace_source(workspace_source source) {
  self_->source = std::move(source);
  self_->given.clear();
}

void compiled_program::share_workspace(workspace_guard& guard) { self_->guard = &guard; }

void compiled_program::initialise(argument_values const& values) {
  if (self_->state != program_state::loaded)
    throw error(errc::invalid_input,
                fmt::format("program '{}' is initialised already", self_->interface.name));
  self_->next_init.fill(self_->interface.name, values, self_->stream);
  self_->initialise();
}

std::vector<workspace_need> compiled_program::workspace_needs() const {
  self_->require_initialised();
  return self_->needs(/*of_next=*/false);
}

void compiled_program::install(workspace_buffers const& buffers) {
  self_->require_initialised();
  validate_workspace(self_->needs(/*of_next=*/false), buffers, self_->gpu);
  self_->set(buffers);
}

void compiled_program::install_unchecked(workspace_buffers const& buffers) {
  self_->require_initialised();
  self_->set(buffers);
}

void compiled_program::call(argument_values const& values) { self_->call(values); }

void compiled_program::finish() { self_->finish(); }

} // namespace assay

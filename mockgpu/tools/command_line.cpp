#include "command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace mockgpu::tools {
namespace {

using strings = std::initializer_list<std::string_view>;

bool one_of(std::string_view text, strings values) {
  return std::find(values.begin(), values.end(), text) != values.end();
}

bool starts_with_one_of(std::string_view text, strings values) {
  return std::any_of(values.begin(), values.end(), [&](auto v) { return text.starts_with(v); });
}

std::string extension_of(std::string const& path) {
  return std::filesystem::path(path).extension().string();
}

class reader {
public:
  reader(driver_kind kind, std::vector<std::string> const& arguments)
      : kind_(kind), arguments_(arguments) {}

  command read() {
    while (next_ < arguments_.size()) {
      std::string const argument = arguments_[next_++];
      if (argument.size() > 1 && argument.front() == '-')
        option(argument);
      else
        input(argument);
    }
    return std::move(result_);
  }

private:
  /// The value of an option that may stand in the next argument or behind '='.
  std::string value_of(std::string const& option) {
    if (std::size_t const equals = option.find('='); equals != option.npos)
      return option.substr(equals + 1);
    if (next_ == arguments_.size()) throw usage_error("option '" + option + "' needs a value");
    return arguments_[next_++];
  }

  /// True when `option` is one of `names`, alone or followed by '='.
  static bool named(std::string const& option, strings names) {
    return one_of(std::string_view(option).substr(0, option.find('=')), names);
  }

  void keep(std::vector<std::string>& list, std::string const& option, bool separate_value) {
    list.push_back(option);
    if (separate_value) list.push_back(value_of(option));
  }

  void input(std::string const& path) {
    std::string const extension = extension_of(path);
    std::string language = language_;
    bool device = false;
    if (language == "cu" || language == "hip") {
      device = true;
      language = "c++";
    } else if (language.empty() || language == "none") {
      if (extension == ".cu" ||
          one_of(extension, {".cpp", ".cc", ".cxx", ".C", ".hip", ".c++", ".cp"})) {
        language = "c++";
        device = extension == ".cu" ? kind_ != driver_kind::cxx : kind_ == driver_kind::hipcc;
      } else if (extension == ".c") {
        language = "c";
      } else if (extension == ".S" || extension == ".s") {
        language = extension == ".S" ? "assembler-with-cpp" : "assembler";
      } else {
        result_.link_inputs.push_back(path);
        return;
      }
    }
    if (extension == ".cu" && kind_ == driver_kind::cxx)
      throw usage_error("'" + path + "' is device code; mockgpu-nvcc compiles it");
    result_.sources.push_back({path, language, device});
  }

  void option(std::string const& o) {
    if (!common(o) && !(kind_ == driver_kind::nvcc    ? nvcc(o)
                        : kind_ == driver_kind::hipcc ? hipcc(o)
                                                      : host(o)))
      throw usage_error("unknown option '" + o + "'");
  }

  /// What all three take with one meaning.
  bool common(std::string const& o) {
    auto& r = result_;
    if (o == "--print-identity")
      r.what = command::action::print_identity;
    else if (o == "--version")
      r.what = command::action::print_version;
    else if (o == "-c")
      r.what = command::action::compile;
    else if (o == "-E")
      r.what = command::action::preprocess;
    else if (o == "-v" || o == "--verbose" || o == "-###")
      r.show_commands = true;
    else if (o == "-o")
      r.output = value_of(o);
    else if (o == "-x")
      language_ = value_of(o);
    else if (o.starts_with("-x") && o.size() > 2)
      language_ = o.substr(2);
    else if (o == "-shared" || o == "--shared") {
      r.shared = true;
      r.link_flags.emplace_back("-shared");
    } else if (one_of(o, {"-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter",
                          "-imacros"}))
      keep(r.preprocess_flags, o, true);
    else if (starts_with_one_of(o, {"-I", "-D", "-U", "-isystem", "-iquote"}))
      r.preprocess_flags.push_back(o);
    else if (one_of(o, {"-MF", "-MT", "-MQ"}))
      keep(r.dependency_flags, o, true);
    else if (one_of(o, {"-M", "-MD", "-MM", "-MMD", "-MP"})) {
      r.dependency_flags.push_back(o);
      if (o == "-M" || o == "-MM") r.what = command::action::preprocess;
    } else if (o == "-l" || o == "-L")
      link_library(o + value_of(o));
    else if (starts_with_one_of(o, {"-l", "-L"}))
      link_library(o);
    else if (o == "-Xlinker") {
      r.link_flags.push_back(o);
      r.link_flags.push_back(value_of(o));
    } else if (o.starts_with("-Wl,") ||
               one_of(o, {"-rdynamic", "-static-libgcc", "-static-libstdc++", "-no-pie", "-pie"}))
      r.link_flags.push_back(o);
    else if (o == "-std" || o == "--std")
      r.code_flags.push_back("-std=" + value_of(o));
    else if (o.starts_with("-std=") || o.starts_with("--std="))
      r.code_flags.push_back("-std=" + value_of(o));
    else if (o.starts_with("-O") || one_of(o, {"-g", "-w", "-pipe"}))
      r.code_flags.push_back(o);
    else if (one_of(o, {"-pthread", "-fopenmp", "-fPIC", "-fpic", "-fPIE"})) {
      r.code_flags.push_back(o);
      r.link_flags.push_back(o);
    } else
      return false;
    return true;
  }

  void link_library(std::string const& option) {
    // The mock stands in for the vendors' run-time libraries.
    if (!one_of(option, {"-lcudart", "-lcudart_static", "-lcudadevrt", "-lcuda", "-lamdhip64"}))
      result_.link_inputs.push_back(option);
  }

  /// An option of the host compiler.
  bool host(std::string const& o) {
    auto& r = result_;
    if (o.starts_with("-fsanitize"))
      throw usage_error("option '" + o +
                        "': the memory hooks of mockgpu take the sanitizer's place");
    if (o.starts_with("-flto"))
      throw usage_error("option '" + o + "': the memory hooks are placed before link time");
    if (o == "-ccbin")
      r.compiler = value_of(o);
    else if (o == "--param" || o == "-isysroot" || o == "--sysroot" || o == "-Xpreprocessor" ||
             o == "-Xassembler")
      keep(r.code_flags, o, true);
    else if (starts_with_one_of(o, {"-f", "-m", "-W", "-g", "-pedantic", "-ansi",
                                    "--param=", "--sysroot=", "-nostd"}))
      r.code_flags.push_back(o);
    else
      return false;
    return true;
  }

  /// Host options behind -Xcompiler: separated by commas.
  void host_list(std::string const& list) {
    for (std::size_t begin = 0; begin <= list.size();) {
      std::size_t const end = std::min(list.find(',', begin), list.size());
      std::string const o = list.substr(begin, end - begin);
      if (!o.empty() && !common(o) && !host(o))
        throw usage_error("unknown option '" + o + "' behind -Xcompiler");
      begin = end + 1;
    }
  }

  bool nvcc(std::string const& o) {
    if (named(o, {"-Xcompiler", "--compiler-options"}))
      host_list(value_of(o));
    else if (named(o, {"-ccbin", "--compiler-bindir"}))
      result_.compiler = value_of(o);
    else if (named(o, {"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode",
                       "--generate-code", "-Xptxas", "--ptxas-options", "-maxrregcount",
                       "--maxrregcount", "-cudart", "--cudart", "-t", "--threads", "-diag-suppress",
                       "--diag-suppress", "-Xcudafe", "-Xfatbin", "-Xnvlink"}))
      (void)value_of(o); // about device code generation, of which there is none
    else if (named(o, {"-rdc", "--relocatable-device-code"}))
      (void)value_of(o); // every host object can be linked with any other
    else if (one_of(o, {"-lineinfo", "--generate-line-info", "-G", "--device-debug",
                        "--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "--extended-lambda",
                        "-extended-lambda", "--expt-extended-lambda", "-expt-extended-lambda",
                        "-restrict", "--restrict", "-m64"}))
      return true;
    else if (named(o, {"-default-stream", "--default-stream"})) {
      if (std::string const which = value_of(o); which != "legacy")
        throw usage_error("option '" + o + "': only the legacy default stream is there");
    } else if (o == "-dc" || o == "--device-c")
      result_.what = command::action::compile;
    else if (o.starts_with("--debug"))
      result_.code_flags.emplace_back("-g");
    else
      return false;
    return true;
  }

  bool hipcc(std::string const& o) {
    if (starts_with_one_of(o, {"--offload-arch", "--amdgpu-target", "--rocm-path",
                               "--rocm-device-lib-path", "--hip-path", "--hip-device-lib-path",
                               "--hip-version"}))
      (void)value_of(o);
    else if (one_of(o, {"-fgpu-rdc", "-fno-gpu-rdc", "--hip-link", "-munsafe-fp-atomics",
                        "-fhip-new-launch-api", "--cuda-host-only", "-fgpu-default-stream=legacy"}))
      return true;
    else if (o.starts_with("-fgpu-default-stream="))
      throw usage_error("option '" + o + "': only the legacy default stream is there");
    else
      return host(o);
    return true;
  }

  driver_kind kind_;
  std::vector<std::string> const& arguments_;
  std::size_t next_ = 0;
  std::string language_;
  command result_;
};

} // namespace

command parse_command_line(driver_kind kind, std::vector<std::string> const& arguments) {
  return reader(kind, arguments).read();
}

} // namespace mockgpu::tools

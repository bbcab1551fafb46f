// Device code turned into C++, token by token.
#include "rewrite.hpp"

#include "declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace mockgpu::tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(std::string const& text) {
  try {
    return rewrite_source(text);
  } catch (rewrite_error const& error) {
    return error.what();
  }
}

TEST(Rewrite, PutsTheConfigurationBeforeTheCall) {
  auto const launch = [](std::string const& config, std::string const& call) {
    return "(::mockgpu_shim::configuration(" + config + "), " + call + ")";
  };
  EXPECT_EQ(rewrite_source("k<<<1, 2>>>(a);"), launch("1, 2", "k(a)") + ";");
  EXPECT_EQ(rewrite_source("if (x < y) a::b<c<d>>::template k<e><<<g, b>>>(1); else f();"),
            "if (x < y) " + launch("g, b", "a::b<c<d>>::template k<e>(1)") + "; else f();");
  EXPECT_EQ(rewrite_source("return ::k<<<g(1, 2), {1}, 0, s>>>();"),
            "return " + launch("g(1, 2), {1}, 0, s", "::k()") + ";");
  EXPECT_EQ(rewrite_source("(f ? k : l)<<<1, N >> 1>>>(a, m<<<2, 2>>>(b));"),
            launch("1, N >> 1", "(f ? k : l)(a, " + launch("2, 2", "m(b)") + ")") + ";");
  EXPECT_EQ(rewrite_source("k<<<g, n<int>>>>(a);"), launch("g, n<int>", "k(a)") + ";");
  EXPECT_EQ(rewrite_source("k<<<g, a < b>>>(a);"), launch("g, a < b", "k(a)") + ";");
  EXPECT_EQ(rewrite_source("x->y[3]<<<1, 1>>>(a);"), launch("1, 1", "x->y[3](a)") + ";");
  EXPECT_EQ(rewrite_source("else if (x) (k)<<<1, 1>>>(a);"),
            "else if (x) " + launch("1, 1", "(k)(a)") + ";");
}

TEST(Rewrite, KeepsLines) {
  EXPECT_EQ(rewrite_source("k\n<<<1,\n2\n>>>\n(a);\nx"),
            "(::mockgpu_shim::configuration(1,\n2\n), k\n\n(a));\nx");
}

TEST(Rewrite, LeavesLiteralsAndShiftsAlone) {
  for (char const* const text :
       {"a << b >> c;", "\"k<<<1, 1>>>(a)\";", "R\"x(k<<<1>>>(a) )\" )x\";", "'\"'; a << b;",
        "std::vector<std::vector<int>> v;", "1'000 << 2;"})
    EXPECT_EQ(rewrite_source(text), text);
}

TEST(Rewrite, TranslatesWhatPtxHasAnEquivalent) {
  EXPECT_EQ(rewrite_source("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));"),
            "((lane ) = ::mockgpu_shim::lane_id());");
  EXPECT_EQ(rewrite_source("asm volatile (\"mov.u32 %0, %lanemask_lt;\"\n : \"=r\"(m[1]) :);"),
            "((m [ 1 ] ) = ((1u << ::mockgpu_shim::lane_id()) - 1u))\n;");
  EXPECT_EQ(rewrite_source("asm volatile(\"membar.gl;\" ::: \"memory\");"), "::__threadfence();");
  EXPECT_EQ(rewrite_source("asm(\"fence.acq_rel.cta;\");"), "::__threadfence_block();");
  for (char const* const other : {"fence.proxy.async;", "fence.mbarrier_init.release.cluster;",
                                  "fence.proxy.tensormap::generic.acquire.gpu;"})
    EXPECT_EQ(rewrite_source("asm volatile(\"" + std::string(other) + "\" ::: \"memory\");"),
              "::mockgpu_shim::inline_ptx();")
        << other;
  EXPECT_EQ(rewrite_source("asm volatile(\"fence.sc.gpu;\" ::: \"memory\");"),
            "::__threadfence();");
  EXPECT_EQ(rewrite_source("asm(\"cp.async.wait_all;\\n\" ::);"), "::mockgpu_shim::inline_ptx();");
  EXPECT_EQ(rewrite_source("asm(\"add.u32 %0, %1, %%laneid;\" : \"=r\"(x) : \"r\"(y));"),
            "::mockgpu_shim::inline_ptx();");
  EXPECT_EQ(rewrite_source("asm volatile(\"rdtsc\" : \"=a\"(x));"),
            "asm volatile(\"rdtsc\" : \"=a\"(x));");
}

TEST(Rewrite, NamesALaunchThatItDoesNotUnderstandByPlace) {
  EXPECT_EQ(message_of("# 7 \"a.cu\"\n\nk<<<1, 2;"),
            "a.cu:8: error: a launch's '<<<' has no '>>>'");
  EXPECT_EQ(message_of("# 7 \"a.cu\"\nk<<<1, 2>>>;"),
            "a.cu:7: error: a launch lacks its arguments in parentheses");
}

TEST(Rewrite, GivesADefinitionOfAKernelItsFirstStatement) {
  std::string const text =
      rewrite_source("template <class T> __mockgpu_global__(A) void k(T* a, int) { b(); }");
  EXPECT_THAT(text, HasSubstr("template <class T> A void k(T* a, int mockgpu_parameter_1 ) { if "
                              "(::mockgpu_shim::is_launched()) {"));
  EXPECT_THAT(text, HasSubstr("describe_kernel(mockgpu_entry, static_cast<void (*)(decltype(a), "
                              "decltype(mockgpu_parameter_1))>(nullptr));"));
  EXPECT_THAT(text, HasSubstr("launch_itself(mockgpu_entry, a, mockgpu_parameter_1);"));
  EXPECT_EQ(rewrite_source("__mockgpu_global__(A) void k(int);"), "A void k(int);");
}

TEST(Rewrite, TellsDeviceVariablesFromFunctions) {
  for (char const* const function :
       {"int f(int x) { return x; }", "void f();", "bool operator()(int) const;",
        "S(int x) : y(x) {}", "operator float() const;", "auto f() -> int;",
        "std::enable_if_t<(a > 1), int> f(T);", "f<int>(int);",
        "T& operator[](int i) { return a[i]; }"})
    EXPECT_EQ(rewrite_source("__mockgpu_device__(D)" + std::string(function)), function);
  for (char const* const variable :
       {" int x;", " float a[4] = {1};", " std::array<int, 3> const x{};", " void (*f)(int) = g;",
        " volatile unsigned count = 0;", " __attribute__((aligned(16))) char c[3][4];",
        " decltype(f(1)) x, y;"})
    EXPECT_EQ(rewrite_source("__mockgpu_device__(D)" + std::string(variable)),
              "D" + std::string(variable));
  EXPECT_EQ(rewrite_source("auto l = [=] __mockgpu_device__(D) (int i) { return i; };"),
            "auto l = [=]  (int i) { return i; };");
}

TEST(Rewrite, PutsStaticVariablesOfDeviceFunctionsOntoTheDevice) {
  std::string const attribute = " __attribute__((abi_tag(\"mockgpu_device\"), aligned(16), "
                                "section(\"mockgpu_device_90\")))";
  EXPECT_EQ(
      rewrite_source("__mockgpu_device__(D) int f() { static int calls = 0; return ++calls; }"),
      " int f() { static" + attribute + " int calls = 0; return ++calls; }");
  for (char const* const other :
       {" int f() { static const int a[2] = {1, 2}; return a[1]; }", " int f() { return 1; }",
        " int f() { struct s { static int g() { return 1; } }; return s::g(); }",
        " int f() { return static_cast<int>(1.0); }"})
    EXPECT_EQ(rewrite_source("__mockgpu_device__(D)" + std::string(other)), other);
  EXPECT_EQ(rewrite_source("int f() { static int calls = 0; return ++calls; }"),
            "int f() { static int calls = 0; return ++calls; }");
}

TEST(Rewrite, TurnsDynamicSharedMemoryIntoAPointer) {
  EXPECT_EQ(rewrite_source("{ extern __mockgpu_shared__(static S) float s[]; }"),
            "{ float * const s = static_cast<float *>(::mockgpu_shim::dynamic_shared()); }");
  EXPECT_EQ(rewrite_source("{ __mockgpu_shared__(static S) extern __attribute__((aligned(16))) "
                           "volatile a::b<c, d> s[]; }"),
            "{ volatile a :: b < c , d > * const s = static_cast<volatile a :: b < c , d > "
            "*>(::mockgpu_shim::dynamic_shared()); }");
  EXPECT_EQ(rewrite_source("{ extern __mockgpu_shared__(static S) T s[][32]; }"),
            "{ T (* const s)[32] = static_cast<T (*)[32]>(::mockgpu_shim::dynamic_shared()); }");
  EXPECT_EQ(rewrite_source("{ __mockgpu_shared__(static S) int s[4]; }"), "{ static S int s[4]; }");
  EXPECT_EQ(rewrite_source("{ static __mockgpu_shared__(static S) int s; }"),
            "{ static S int s; }");
  EXPECT_EQ(message_of("# 3 \"a.cu\"\nextern __mockgpu_shared__(static S) int a, b;"),
            "a.cu:3: error: a dynamic shared array is declared alone, as in 'extern __shared__ T "
            "name[];'");
}

TEST(Rewrite, JoinsADeclarationThatTheMarkersOfSystemHeadersTearApart) {
  EXPECT_EQ(
      rewrite_source("# 1 \"a.cu\"\n{\n  extern\n# 2 \"a.cu\" 3\n  __mockgpu_shared__(static "
                     "S)\n# 2 \"a.cu\"\n  T s[];\n}\n"),
      "# 1 \"a.cu\"\n{\n  T * const s = static_cast<T *>(::mockgpu_shim::dynamic_shared());\n}\n");
  EXPECT_EQ(rewrite_source("# 1 \"a.cu\"\n\n\n# 3 \"a.cu\" 3 4\n__mockgpu_device__(D)\n# 3 "
                           "\"a.cu\"\n  int x;\ny"),
            "# 1 \"a.cu\"\n\n\nD   int x;\ny");
  EXPECT_EQ(rewrite_source("# 1 \"a.cu\"\nauto l = []\n# 1 \"a.cu\" 3\n __mockgpu_device__(D)\n# 1 "
                           "\"a.cu\"\n (int) {};"),
            "# 1 \"a.cu\"\nauto l = []    (int) {};");
  std::string const other = "# 1 \"a.cu\"\nx =\n# 1 \"a.cu\" 3\n NULL\n# 1 \"a.cu\"\n ;\n";
  EXPECT_EQ(rewrite_source(other), other);
}

TEST(Rewrite, KeepsMarkersWithinAConfigurationOnLinesOfTheirOwn) {
  EXPECT_EQ(
      rewrite_source("# 1 \"a.cu\"\nk<<<1, 1, 0,\n# 1 \"a.cu\" 3\n (s)2\n# 1 \"a.cu\"\n >>>(a);"),
      "# 1 \"a.cu\"\n(::mockgpu_shim::configuration(1, 1, 0,\n# 1 \"a.cu\" 3\n (s)2\n# 1 "
      "\"a.cu\"\n), k(a));");
}

TEST(Rewrite, LeavesTheKindOfAVariableToTheMarkThatSaysMore) {
  EXPECT_EQ(rewrite_source("__mockgpu_device__(D) __mockgpu_managed__(M) int x;"), " M int x;");
  EXPECT_EQ(rewrite_source("__mockgpu_managed__(M) __mockgpu_device__(D) int x;"), "M  int x;");
  EXPECT_EQ(rewrite_source("__mockgpu_constant__(C) __mockgpu_device__(D) int x;"), "C  int x;");
  EXPECT_EQ(rewrite_source("__mockgpu_managed__(M) int x;"), "M int x;");
}

std::vector<std::string> parameters_of(std::string const& text) {
  auto const tokens = split_into_tokens(text);
  auto const list = find_parameter_list(tokens, 0);
  std::vector<std::string> names;
  if (!list) return {"no list"};
  for (parameter const& one : read_parameters(tokens, *list))
    names.push_back((one.name.empty() ? "?" : std::string(one.name)) + (one.is_pack ? "..." : ""));
  return names;
}

TEST(Declarations, FindTheNamesOfParameters) {
  EXPECT_THAT(parameters_of("void k()"), ElementsAre());
  EXPECT_THAT(parameters_of("void k(void)"), ElementsAre());
  EXPECT_THAT(parameters_of("void k(const Foo, Foo const, unsigned, a::b, typename T::type, T*)"),
              ElementsAre("?", "?", "?", "?", "?", "?"));
  EXPECT_THAT(parameters_of("void k(const Foo a, Foo const b, unsigned c, a::b d, typename T::type "
                            "e, T* __restrict__ f)"),
              ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(parameters_of("void k(int a[3], int [], void (*f)(int x), void (*)(int), T (&g)[N])"),
              ElementsAre("a", "?", "f", "?", "g"));
  EXPECT_THAT(parameters_of("void k(std::pair<int, int> a = std::pair<int, int>(1, 2), T... b)"),
              ElementsAre("a", "b..."));
  EXPECT_THAT(parameters_of("void k(int a = x < y, int b = 2, T...)"),
              ElementsAre("a", "b", "?..."));
  EXPECT_THAT(parameters_of("void k(decltype(f(1)) a, decltype(x), int b __attribute__((unused)))"),
              ElementsAre("a", "?", "b"));
}

} // namespace

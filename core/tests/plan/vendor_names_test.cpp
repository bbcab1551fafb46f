// C++ code of a file in the names of the vendor that it is generated for.
#include "plan/vendor_names.hpp"

#include <gtest/gtest.h>

#include "assay/error.hpp"

namespace assay::plan {
namespace {

std::string failure_of(target to, std::string_view code) {
  try {
    return in_names_of(to, code, "/nodes/3");
  } catch (error const& problem) {
    return std::string(problem.what()) + " at " + problem.place();
  }
}

TEST(VendorNames, BecomeThoseOfTheTarget) {
  std::string const code = "cudaMemsetAsync(p, 0, n, s); hipFree(q); gpuGetLastError();";
  EXPECT_EQ(in_names_of(target::hip, code, {}),
            "hipMemsetAsync(p, 0, n, s); hipFree(q); hipGetLastError();");
  EXPECT_EQ(in_names_of(target::cuda, code, {}),
            "cudaMemsetAsync(p, 0, n, s); cudaFree(q); cudaGetLastError();");
  EXPECT_EQ(in_names_of(target::hip, "return cub::DeviceReduce::Sum(a);", {}),
            "return hipcub::DeviceReduce::Sum(a);");
}

TEST(VendorNames, OtherWordsCommentsAndStringsStay) {
  std::string const code =
      "int cuda = mycudaMalloc(x); // cudaMalloc\nputs(\"hipFree\"); cudacode();";
  EXPECT_EQ(in_names_of(target::hip, code, {}), code);
}

TEST(VendorNames, CurrentStreamIsTheProgramsOwn) {
  EXPECT_EQ(in_names_of(target::cuda, "f(a, __dace_current_stream);", {}),
            "f(a, __state->gpu_context->streams[0]);");
}

TEST(VendorNames, OfDacesRuntimeAreOursOrRefused) {
  std::string const known =
      "dace::half x = dace::math::exp(y); dace::wcr_fixed<dace::ReductionType::Min, dace::half>"
      "::reduce_atomic(&x, dace::int64(2));";
  EXPECT_EQ(in_names_of(target::cuda, known, {}), known);
  EXPECT_EQ(failure_of(target::cuda, "dace::vec<float, 4> v;"),
            "C++ code names 'dace::vec', which Assay's headers do not have at /nodes/3");
  EXPECT_EQ(failure_of(target::cpu, "dace::math::ifloor(2);"),
            "C++ code names 'dace::math::ifloor', which Assay's headers do not have at /nodes/3");
  EXPECT_EQ(failure_of(target::cpu, "dace :: math\n:: ifloor(2);"),
            "C++ code names 'dace::math::ifloor', which Assay's headers do not have at /nodes/3");
  EXPECT_EQ(failure_of(target::cpu, "using namespace dace;"),
            "C++ code uses namespace 'dace', of which Assay's headers have a part at /nodes/3");
  for (char const* const other : {"mydace::vec v;", "int x = 1; // as dace::CopyND does",
                                  "puts(\"dace::vec\"); int dace = 1;"})
    EXPECT_EQ(failure_of(target::cpu, other), other);
}

TEST(VendorNames, OfLibrariesThatTheTargetLacksAreRefused) {
  EXPECT_EQ(failure_of(target::hip, "cublasDgemm(h);"),
            "C++ code names 'cublasDgemm', which hip does not have at /nodes/3");
  EXPECT_EQ(failure_of(target::cuda, "cublasDgemm(h);"), "cublasDgemm(h);") << "its own vendor's";
  EXPECT_EQ(failure_of(target::cpu, "cudaFree(p);"),
            "C++ code for the cpu names 'cudaFree' at /nodes/3");
  EXPECT_EQ(failure_of(target::cpu, "free(p);"), "free(p);");
}

} // namespace
} // namespace assay::plan

#include "assay/array_file.hpp"

#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "error_text.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct ArrayFile : testing::Test {
  temporary_folder temporary;
  fs::path const folder = temporary.path();

  /// A version 1 file with this header dictionary.
  fs::path file(std::string header, std::string const& data = {}) {
    header += '\n';
    std::ofstream stream(folder / "x.npy", std::ios::binary);
    stream << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size()) << '\0' << header
           << data;
    return folder / "x.npy";
  }
  std::string rule(fs::path const& path) {
    return error_text([&] { static_cast<void>(read_npy(path)); });
  }
};

TEST_F(ArrayFile, KeepsTypeShapeAndOrder) {
  host_array const array = read_npy(
      file("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", std::string(48, 'a')));
  EXPECT_EQ(array.type, dtype::float64);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(array.strides, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(array.bytes.size(), 48u);
}

TEST_F(ArrayFile, ReadsWhatItWrote) {
  for (bool fortran : {false, true}) {
    host_array array{
        dtype::int32, {3, 2}, packed_strides({3, 2}, fortran), std::vector<std::byte>(24)};
    for (std::size_t i = 0; i < 24; ++i) array.bytes[i] = static_cast<std::byte>(i);
    write_npy(folder / "y.npy", array);
    host_array const again = read_npy(folder / "y.npy");
    EXPECT_EQ(again.type, array.type);
    EXPECT_EQ(again.shape, array.shape);
    EXPECT_EQ(again.strides, array.strides);
    EXPECT_EQ(again.bytes, array.bytes);
    EXPECT_EQ(fs::file_size(folder / "y.npy") - 24, 128u) << "NumPy aligns the data to 64 bytes";
  }
}

TEST_F(ArrayFile, ReadsWhatNumPyWrote) {
  host_array const array = read_npy(ASSAY_EXAMPLES "/hdiff/in/coeff.npy");
  EXPECT_EQ(array.type, dtype::float64);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{10, 11, 5}));
}

TEST_F(ArrayFile, NamesTheBrokenRule) {
  EXPECT_EQ(rule(folder / "none.npy"), "2: cannot be read");
  std::ofstream(folder / "text.npy") << "just some text in a file";
  EXPECT_EQ(rule(folder / "text.npy"), "2: is not a .npy file");
  EXPECT_EQ(rule(file("{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }")),
            "2: has big-endian elements ('>f8')");
  EXPECT_EQ(rule(file("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }")),
            "2: has element type '<U4', which no SDFG has");
  EXPECT_EQ(rule(file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }")),
            "2: has element type [('a', which no SDFG has");
  EXPECT_EQ(rule(file("{'fortran_order': False, 'shape': (1,), }")),
            "2: has a header without descr, fortran_order and shape");
  EXPECT_EQ(rule(file("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }")),
            "2: has the malformed shape (-1,)");
  EXPECT_EQ(
      rule(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", std::string(15, 'a'))),
      "2: holds 15 bytes of data, shape (2,) of float64 needs 16");
  EXPECT_EQ(
      rule(file("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }")),
      "2: is too large");
}

TEST_F(ArrayFile, NamesAFileThatCannotBeWritten) {
  EXPECT_EQ(error_text([&] {
              write_npy(folder / "no" / "y.npy", {dtype::int8, {}, {}, {std::byte{}}});
            }),
            "4: cannot be written");
}

} // namespace
} // namespace assay

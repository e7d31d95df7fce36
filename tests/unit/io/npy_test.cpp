// SPDX-License-Identifier: Apache-2.0
#include "io/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using namespace std::string_literals;

template <typename Number>
std::string little_endian(std::initializer_list<Number> values) {
  std::string bytes;
  for (const Number value : values) {
    char raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof(Number));  // the tests run on little-endian machines only
    bytes.append(raw, sizeof(Number));
  }
  return bytes;
}

std::string with_values_reversed(std::string bytes, std::size_t size) {
  for (std::size_t at = 0; at < bytes.size(); at += size)
    std::reverse(bytes.begin() + static_cast<Index>(at),
                 bytes.begin() + static_cast<Index>(at + size));
  return bytes;
}

std::string with_header(const std::string& dict, int major = 1) {
  std::string length = little_endian<std::uint32_t>({static_cast<std::uint32_t>(dict.size())});
  if (major == 1) length.resize(2);
  return "\x93NUMPY" + std::string{static_cast<char>(major), '\0'} + length + dict;
}

std::string dict(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

class Npy : public testing::Test {
 protected:
  NpyArray read(const std::string& content, const NpyOptions& options = {}) const {
    return read_npy(folder_.write("a.npy", content), options);
  }
  void expect_malformed(const std::string& content, std::string_view part) const {
    expect_error(ErrorCode::kMalformed, part, [&] { read(content); });
  }
  void expect_values(const std::string& descr, const std::string& data,
                     const Vector& expected) const {
    const std::string shape = "(" + std::to_string(expected.size()) + ",)";
    EXPECT_EQ(read(with_header(dict(descr, shape)) + data).values, expected) << descr;
  }

  TemporaryDirectory folder_;
};

// numpy.lib.format: the total length is divisible by 64, the dict is sorted by key, has a trailing
// comma and ends with blanks and a newline. These are the bytes of numpy.save.
TEST(NpyHeader, IsWhatNumpySaves) {
  const std::vector<Index> shape = {3};
  EXPECT_EQ(npy_header("<f4", shape),
            "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"s +
                std::string(60, ' ') + "\n");
}

TEST(NpyHeader, IsPaddedToSixtyFourBytesForEveryShape) {
  std::vector<Index> shape;
  for (int dims = 0; dims <= 32; ++dims, shape.push_back(Index{1} << (2 * dims % 60))) {
    const std::string header = npy_header("<f8", shape);
    const auto low = static_cast<unsigned char>(header[8]);
    const auto high = static_cast<unsigned char>(header[9]);
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.size(), 10u + low + 256u * high);
    EXPECT_EQ(header.back(), '\n');
  }
}

TEST_F(Npy, RoundTripsWhatItsHeaderDescribes) {
  const std::vector<std::vector<Index>> shapes = {{}, {6}, {2, 3}, {1, 2, 1, 3}, {0}, {4, 0, 2}};
  for (const std::vector<Index>& shape : shapes) {
    Index count = 1;
    for (const Index n : shape) count *= n;
    std::string data;
    Vector expected;
    for (Index i = 0; i < count; ++i) {
      expected.push_back(0.5 * static_cast<double>(i) - 1.0);
      data += little_endian<double>({expected.back()});
    }
    const NpyArray array = read(npy_header("<f8", shape) + data);
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, expected);
  }
}

TEST_F(Npy, ReadsAllVersions) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(read(with_header(dict("<u1", "(2,)"), version) + "\x01\x02").values, (Vector{1, 2}));
}

TEST_F(Npy, WidensEveryTypeAtItsLimits) {
  expect_values("|b1", "\0\1"s, {0, 1});
  expect_values("|u1", "\0\xff"s, {0, 255});
  expect_values("|i1", "\x7f\x80\xff", {127, -128, -1});
  expect_values("<u2", little_endian<std::uint16_t>({0, 65535}), {0, 65535});
  expect_values("<i2", little_endian<std::int16_t>({32767, -32768, -1}), {32767, -32768, -1});
  expect_values("<u4", little_endian<std::uint32_t>({4294967295u}), {4294967295.0});
  expect_values("<i4", little_endian<std::int32_t>({2147483647, -2147483647 - 1}),
                {2147483647.0, -2147483648.0});
  expect_values("<u8", little_endian<std::uint64_t>({1ull << 63, (1ull << 53) - 1}),
                {0x1p63, 0x1p53 - 1});
  expect_values("<i8", little_endian<std::int64_t>({std::numeric_limits<std::int64_t>::min(), -1}),
                {-0x1p63, -1});
  expect_values("<f4", little_endian<float>({0.1f, -0x1p-149f}), {0.1f, -0x1p-149});
  expect_values("<f8", little_endian<double>({0.1, -5e-324}), {0.1, -5e-324});
}

TEST_F(Npy, NamesTheTypeOfTheFile) {
  const auto type = [this](const std::string& descr, std::size_t bytes) {
    return read(with_header(dict(descr, "(1,)"), 1) + std::string(bytes, '\0')).dtype;
  };
  EXPECT_EQ(type("<f2", 2), "f16");
  EXPECT_EQ(type(">f8", 8), "f64");
  EXPECT_EQ(type("<i8", 8), "i64");
  EXPECT_EQ(type("|u1", 1), "u8");
  EXPECT_EQ(type("|b1", 1), "bool");
}

// IEEE 754 binary16: one, the largest, the smallest normal, the largest and smallest subnormal.
TEST_F(Npy, WidensHalfPrecision) {
  expect_values("<f2",
                little_endian<std::uint16_t>({0x3c00, 0x7bff, 0x0400, 0x03ff, 0x8001, 0xc000}),
                {1.0, 65504.0, 0x1p-14, 1023 * 0x1p-24, -0x1p-24, -2.0});
}

TEST_F(Npy, SwapsBigEndianValues) {
  expect_values(">f8", with_values_reversed(little_endian<double>({0.1, -7.0}), 8), {0.1, -7.0});
  expect_values(">f4", with_values_reversed(little_endian<float>({0.5f}), 4), {0.5});
  expect_values(">i4", "\xff\xff\xff\xfe", {-2});
  expect_values(">u2", "\x01\x02", {258});
}

TEST_F(Npy, RefusesIntegersThatNoDoubleEquals) {
  const std::string file =
      with_header(dict("<i8", "(2, 2)")) + little_endian<std::int64_t>({0, 1, 2, -(1ll << 53) - 1});
  expect_error(ErrorCode::kNumeric, "integer at (1, 1) must be exact", [&] { read(file); });
}

TEST_F(Npy, TransposesFortranOrder) {
  // Element (i, j, k) of shape (2, 3, 2) is i + 2 j + 6 k in column-major order.
  const NpyArray array =
      read(with_header(dict("|u1", "(2, 3, 2)", true)) + "\0\1\2\3\4\5\6\7\x08\x09\x0a\x0b"s);
  EXPECT_EQ(array.shape, (std::vector<Index>{2, 3, 2}));
  EXPECT_EQ(array.values, (Vector{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

TEST_F(Npy, ReadsAcrossChunks) {
  constexpr Index kCount = 300'001;  // 2.3 MiB, not a multiple of anything
  const std::vector<Index> shape = {kCount};
  std::string data;
  for (Index i = 0; i < kCount; ++i) data += little_endian<double>({static_cast<double>(i)});
  const NpyArray array = read(npy_header("<f8", shape) + data);
  ASSERT_EQ(std::ssize(array.values), kCount);
  for (Index i = 0; i < kCount; ++i)
    ASSERT_EQ(array.values[static_cast<std::size_t>(i)], static_cast<double>(i));
}

TEST_F(Npy, AcceptsTheDictInAnyOrderAndSpacing) {
  for (const char* text :
       {"{'shape':(2,),'fortran_order':False,'descr':'|u1'}",
        "  { \"descr\" : \"|u1\" ,\t'shape' : ( 2 , ) , 'fortran_order' : False , }  \n",
        "{'fortran_order': True, 'descr': '|u1', 'shape': (2, 1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2,)}"})
    EXPECT_EQ(read(with_header(text) + "\1\2").values, (Vector{1, 2})) << text;
}

TEST_F(Npy, NamesTheColumnOfABadHeader) {
  const std::string good = dict("<f4", "(1,)");
  const auto column = [&](const std::string& from, const std::string& to, std::string_view part) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    expect_malformed(with_header(text) + "\0\0\0\0"s, part);
  };
  column("{'", "['", "a.npy: header column 1: '{' must follow but got '['");
  column("'descr'", "'dtype'", "header column 2: key must be descr, fortran_order or shape");
  column("'fortran_order': False", "'descr': '<f4'", "column 18: key 'descr' must appear once");
  column("'fortran_order': False, ", "", "key 'fortran_order' must be present");
  column("False", "false", "column 35: fortran_order must be True or False but got 'f'");
  column("False", "0", "fortran_order must be True or False");
  column("(1,)", "(1)", "must be written (n,)");
  column("(1,)", "1", "'(' must follow but got '1'");
  column("(1,)", "(-1,)", "dimension must not be negative but got -1");
  column("(1,)", "(+1,)", "dimension must be an integer but got '+'");
  column("(1,)", "(1.0,)", "(n,)");
  column("(1,)", "(,)", "dimension must be an integer but got ','");
  column("(1,)", "(99999999999999999999,)", "dimension must fit 63 bits");
  column("}\n", "}x\n", "dict must end the header but got 'x'");
  column(", }\n", "", "'}' must follow but got the end");
  column("'<f4'", "'<f4",
         "column 11: dtype must be one of f2 f4 f8 i1..i8 u1..u8 b1 but got '<f4, '");
  column("'shape'", "\"shape'", "string must end before the header does");
  column("'<f4'", "os.system('true')", "string must follow but got 'o'");
  column("'<f4'", "\x1b", "got '\\x1b'");
}

TEST_F(Npy, RefusesOtherTypes) {
  for (const char* descr :
       {"|O", "|O8", "<U4", "|S3", "<f16", "<f3", "<c8", "<c16", "<M8", "<m8", "|V4",
        "f4", "=f4", "|f4", "|i4", "<b2",  "<i3", "<x4", "",     "<",   "<f44"})
    expect_malformed(with_header(dict(descr, "(1,)")) + "\0\0\0\0"s,
                     "header column 11: dtype must be one of");
  expect_malformed(
      with_header("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}") + "\0\0\0\0"s,
      "header column 11: dtype must be a plain number but is structured");
}

TEST_F(Npy, LimitsTheNumberOfDimensions) {
  const auto ones = [](std::size_t dims) {
    std::string shape = "(";
    for (std::size_t i = 0; i < dims; ++i) shape += "1, ";
    return with_header(dict("|u1", shape + ")")) + "\5";
  };
  EXPECT_EQ(read(ones(32)).shape.size(), 32u);
  expect_malformed(ones(33), "shape must have at most 32 dimensions");
}

TEST_F(Npy, ChecksTheStartOfTheFile) {
  expect_malformed("", "a.npy: empty");
  expect_malformed("\x93NUMPZ\1\0\0\0"s,
                   "offset 0: the magic of .npy must be '\\x93NUMPY' but got");
  expect_malformed("\x93NUM", "offset 0: the magic of .npy must be");
  expect_malformed("\x93NUMPY\x09\x01\x10\0"s,
                   "a.npy: offset 6: version must be 1.0, 2.0 or 3.0 but got 9.1");
  expect_malformed("\x93NUMPY\x00\x00\x10\0"s, "but got 0.0");
  expect_malformed("\x93NUMPY\x01\x00\xff\xff{}"s,
                   "offset 10: header needs 65535 bytes but 2 remain");
  expect_malformed("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s,
                   "offset 8: header length must be at most 65536 but got 4294967295");
}

TEST_F(Npy, NamesForeignFormats) {
  for (const char* start : {"PK\3\4", "\x89HDF\r\n\x1a\n", "\x80\4\x95"})
    expect_malformed(start, "format not accepted; convert to .npy or .safetensors");
}

TEST_F(Npy, NeedsExactlyTheBytesOfItsShape) {
  const std::string header = with_header(dict("<f4", "(2,)"));
  expect_malformed(header + "1234567", "shape (2,) of <f4 needs 8 bytes but 7 remain");
  expect_malformed(header + "123456789", "needs 8 bytes but 9 remain");
  expect_malformed(with_header(dict("<f4", "(0,)")) + "x", "needs 0 bytes but 1 remain");
  expect_malformed(with_header(dict("<f4", "()")), "needs 4 bytes but 0 remain");
}

TEST_F(Npy, RefusesAShapeThatOverflows) {
  for (const char* shape : {"(4611686018427387904, 4)", "(9223372036854775807,)",
                            "(0, 4611686018427387904, 4611686018427387904)"})
    expect_malformed(with_header(dict("<f8", shape)), "must fit 63 bits");
}

TEST_F(Npy, RefusesAShortFileThatClaimsMuch) {
  expect_malformed(with_header(dict("<f8", "(65536, 65536)")),
                   "needs 34359738368 bytes but 0 remain");
}

TEST_F(Npy, RefusesMoreThanTheLimit) {
  const std::string file = with_header(dict("|u1", "(4,)")) + "\1\2\3\4";
  EXPECT_NO_THROW(read(file, {.max_bytes = 32}));
  expect_error(ErrorCode::kRefused, "limit of 31 bytes", [&] { read(file, {.max_bytes = 31}); });
}

TEST_F(Npy, NamesTheFirstValueThatIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string data = little_endian<float>({0, 1, 2, -kInfinity, NAN, 5});
  const std::string file = with_header(dict("<f4", "(2, 3)")) + data;
  expect_error(ErrorCode::kNumeric, "a.npy: value at (1, 0) must be finite but is -inf",
               [&] { read(file); });
  // The same bytes in column-major order: NaN at (0, 2) comes first by rows.
  const std::string transposed = with_header(dict("<f4", "(2, 3)", true)) + data;
  expect_error(ErrorCode::kNumeric, "value at (0, 2) must be finite but is nan",
               [&] { read(transposed); });
  const Vector values = read(file, {.allow_nonfinite = true}).values;
  EXPECT_EQ(values[3], -kInfinity);
  EXPECT_TRUE(std::isnan(values[4]));
}

TEST_F(Npy, SeesTheHalfPrecisionInfinityAndNan) {
  const std::string file =
      with_header(dict("<f2", "(3,)")) + little_endian<std::uint16_t>({0x7c00, 0xfc00, 0x7e01});
  const Vector values = read(file, {.allow_nonfinite = true}).values;
  EXPECT_EQ(values[0], HUGE_VAL);
  EXPECT_EQ(values[1], -HUGE_VAL);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST_F(Npy, IsUnreadableWhenMissing) {
  expect_error(ErrorCode::kUnreadable, "absent.npy: No such file",
               [&] { read_npy(folder_ / "absent.npy"); });
}

}  // namespace
}  // namespace sextant

#include "compiler/calibration/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace synap {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<NpyArray> Parse(const std::string& bytes) {
  return ParseNpy({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "a.npy");
}

std::string File(const std::string& header, const std::string& data, char version = 1) {
  std::string file = absl::StrCat("\x93NUMPY", std::string{version, 0});
  file += static_cast<char>(header.size());
  file.append(version == 1 ? 1 : 3, '\0');
  return absl::StrCat(file, header, data);
}

std::string File(const std::string& descr, const std::string& shape, const std::string& data,
                 char version = 1) {
  return File(
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }  \n"),
      data, version);
}

TEST(NpyTest, WritesWhatItReads) {
  const float values[] = {1, -2.5, 0, 3e38f, 4, 5};
  const absl::StatusOr<NpyArray> array = Parse(EncodeNpy(Shape{1, 2, 3}, values));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->shape, (Shape{1, 2, 3}));
  EXPECT_EQ(array->dtype, "<f4");
  EXPECT_THAT(array->values, ElementsAre(1, -2.5, 0, 3e38f, 4, 5));
}

TEST(NpyTest, AlignsTheDataAndWritesPythonsTuples) {
  const std::string file = EncodeNpy(Shape{1}, std::vector<float>{7});
  EXPECT_EQ(file.size() % 64, 4u);
  EXPECT_THAT(file, HasSubstr("'shape': (1,), }"));
  EXPECT_THAT(EncodeNpy(Shape{}, std::vector<float>{7}), HasSubstr("'shape': (), }"));
}

TEST(NpyTest, ConvertsEveryTypeToFloat) {
  EXPECT_THAT(Parse(File("|u1", "(2,)", "\x01\xff"))->values, ElementsAre(1, 255));
  EXPECT_THAT(Parse(File("|i1", "(2,)", "\x01\xff"))->values, ElementsAre(1, -1));
  EXPECT_THAT(Parse(File("<i2", "(1,)", "\xfe\xff"))->values, ElementsAre(-2));
  EXPECT_THAT(
      Parse(File("<i8", "(1,)", std::string("\xfd\xff\xff\xff\xff\xff\xff\xff", 8)))->values,
      ElementsAre(-3));
  EXPECT_THAT(Parse(File("<f8", "(1,)", std::string("\0\0\0\0\0\0\xf8\x3f", 8)))->values,
              ElementsAre(1.5));
  // 1.5, the smallest half, -infinity.
  EXPECT_THAT(Parse(File("<f2", "(3,)", std::string("\0\x3e\1\0\0\xfc", 6)))->values,
              ElementsAre(1.5, 0x1p-24f, -INFINITY));
}

TEST(NpyTest, ReadsLaterFormatsScalarsAndOtherOrders) {
  EXPECT_THAT(Parse(File("|u1", "()", "\x05", 2))->values, ElementsAre(5));
  EXPECT_THAT(Parse(File("|u1", "( 1,2 )", "\x05\x06", 3))->shape.dims(), ElementsAre(1, 2));
  EXPECT_TRUE(Parse(File("{\"shape\":(1,),'fortran_order':True,'descr':'|b1'}", "\1")).ok());
}

TEST(NpyTest, RefusesWhatItCannotRead) {
  const auto error = [](const std::string& file) {
    const absl::StatusOr<NpyArray> array = Parse(file);
    EXPECT_FALSE(array.ok());
    return std::string(array.status().message());
  };
  EXPECT_EQ(error("PK"), "a.npy: it is not a NumPy array file");
  EXPECT_THAT(error(File("|u1", "(2,)", "\x01")), HasSubstr("needs 2 bytes of data, found 1"));
  EXPECT_THAT(error(File("|u1", "(2,)", "\x01\x01\x01")), HasSubstr("found 3"));
  EXPECT_THAT(error(File(">f4", "(1,)", "1234")), HasSubstr("its type is '>f4'"));
  EXPECT_THAT(error(File("<c8", "(1,)", "12345678")), HasSubstr("its type is '<c8'"));
  EXPECT_THAT(error(File("{'descr': '|u1', 'fortran_order': True, 'shape': (1, 2)}", "12")),
              HasSubstr("Fortran order"));
  EXPECT_THAT(error(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "12")),
              HasSubstr("not a plain number"));
  EXPECT_THAT(error(File("|u1", "(4294967296, 4294967296)", "")), HasSubstr("a.npy: "));
  EXPECT_THAT(error(File("|u1", "(-1,)", "")), HasSubstr("header"));
  EXPECT_EQ(error(File("|u1", "(1,1,1,1,1,1,1,1,1)", "1")),
            "a.npy: it has 9 dimensions, expected at most 8");
  EXPECT_THAT(error(File("|u1", "(1,)", "1", 9)), HasSubstr("version 9"));
  EXPECT_THAT(error(File("{'shape': (1,)}", "1")), HasSubstr("header"));
}

TEST(NpyTest, EveryPrefixIsAnError) {
  const std::string file = EncodeNpy(Shape{2}, std::vector<float>{1, 2});
  for (size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(Parse(file.substr(0, size)).ok());
}

}  // namespace
}  // namespace synap

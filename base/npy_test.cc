#include "base/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace synap_internal {
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

TEST(NpyTest, WritesEveryTypeAsItIs) {
  const int16_t values[] = {-2, 300};
  const std::string file = EncodeNpy(DataType::kInt16, Shape{2},
                                     {reinterpret_cast<const uint8_t*>(values), sizeof(values)});
  const absl::StatusOr<NpyArray> array = Parse(file);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->dtype, "<i2");
  EXPECT_THAT(array->values, ElementsAre(-2, 300));
  const uint8_t byte = 7;
  EXPECT_EQ(Parse(EncodeNpy(DataType::kUint8, Shape{1}, {&byte, 1}))->dtype, "|u1");
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

absl::StatusOr<NpyFile> ReadFileOf(const std::string& descr, const std::string& data, size_t size) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/typed.npy");
  const std::string file = File(descr, absl::StrCat("(", data.size() / size, ",)"), data);
  EXPECT_TRUE(WriteFileAtomically(path, file).ok());
  return ReadNpyFile(path);
}

template <typename T>
std::vector<T> Converted(const absl::StatusOr<NpyFile>& file, DataType type) {
  EXPECT_TRUE(file.ok()) << file.status();
  std::vector<T> values(static_cast<size_t>(file->shape.elements()));
  const absl::Status status = ConvertNpy(*file, type, values.data());
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

TEST(NpyTest, IntegersStayExactlyWhatTheyAre) {
  // 2^24 + 1, which float32 doesn't have, and -2.
  const auto wide =
      ReadFileOf("<i8", std::string("\x01\0\0\x01\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16), 8);
  EXPECT_THAT(Converted<int64_t>(wide, DataType::kInt64), ElementsAre(16777217, -2));
  EXPECT_THAT(Converted<int32_t>(wide, DataType::kInt32), ElementsAre(16777217, -2));
  const auto bytes = ReadFileOf("|u1", "\x01\xff", 1);
  EXPECT_THAT(Converted<uint8_t>(bytes, DataType::kUint8), ElementsAre(1, 255));
  EXPECT_THAT(Converted<int16_t>(bytes, DataType::kInt16), ElementsAre(1, 255));
  EXPECT_THAT(Converted<float>(bytes, DataType::kFloat32), ElementsAre(1, 255));
  EXPECT_THAT(Converted<uint16_t>(bytes, DataType::kFloat16), ElementsAre(0x3c00, 0x5bf8));
  const auto half = ReadFileOf("<f2", std::string("\0\x40\0\xc0", 4), 2);
  EXPECT_THAT(Converted<int8_t>(half, DataType::kInt8), ElementsAre(2, -2));
  EXPECT_THAT(Converted<uint8_t>(ReadFileOf("|b1", std::string("\0\1", 2), 1), DataType::kBool),
              ElementsAre(0, 1));
}

TEST(NpyTest, RefusesValuesThatATypeLacks) {
  const auto error = [](const absl::StatusOr<NpyFile>& file, DataType type) {
    EXPECT_TRUE(file.ok()) << file.status();
    int64_t room[2];
    return std::string(ConvertNpy(*file, type, room).message());
  };
  const auto byte = ReadFileOf("|u1", "\x01\xff", 1);
  EXPECT_EQ(error(byte, DataType::kInt8),
            "element 1 is 255, expected whole numbers from -128 to 127 (int8)");
  EXPECT_THAT(error(byte, DataType::kBool), HasSubstr("whole numbers from 0 to 1 (bool)"));
  const auto fraction = ReadFileOf("<f8", std::string("\0\0\0\0\0\0\xf8\x3f", 8), 8);
  EXPECT_THAT(error(fraction, DataType::kInt32), HasSubstr("element 0 is 1.5, expected whole"));
  const auto infinite = ReadFileOf("<f2", std::string("\0\xfc", 2), 2);
  EXPECT_THAT(error(infinite, DataType::kInt64), HasSubstr("element 0 is -inf"));
  EXPECT_THAT(error(infinite, DataType::kFloat16), HasSubstr("is -inf in float16"));
  const auto large = ReadFileOf("<u8", std::string(8, '\xff'), 8);
  EXPECT_THAT(error(large, DataType::kInt64), HasSubstr("element 0 is 1.8446"));
  EXPECT_THAT(error(ReadFileOf("<u4", std::string(4, '\xff'), 4), DataType::kFloat16),
              HasSubstr("in float16, expected finite"));
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
}  // namespace synap_internal

#include "compiler/export/tflite/arithmetic.h"

#include <string>

#include "compiler/graph/text.h"
#include "gtest/gtest.h"

namespace synap_internal::tflite_export {
namespace {

// The arithmetic of relu from one type to another, or why there is none.
std::string ArithmeticOf(const std::string& x, const std::string& y, Integers available,
                         DataType bytes = DataType::kInt8) {
  const auto graph = ParseGraph("graph \"g\" layout=\"nhwc\" {\n  input %x: " + x + "\n  %y: " + y +
                                " = relu(%x) from \"f\"\n  output %y\n}\n");
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return "";
  const auto arithmetic = ChooseArithmetic(graph->ops().front(), available, bytes);
  return arithmetic.ok() ? std::string(Name(*arithmetic))
                         : std::string(arithmetic.status().message());
}

TEST(ArithmeticTest, BytesStayBytesOfTheSignednessThatFlows) {
  const std::string x = "uint8[2]<affine 0.5 3>";
  EXPECT_EQ(ArithmeticOf(x, x, kAllIntegers), "int8");
  EXPECT_EQ(ArithmeticOf(x, x, kAllIntegers, DataType::kUint8), "uint8");
  EXPECT_EQ(ArithmeticOf(x, x, kUnsignedBytes), "uint8");
  EXPECT_EQ(ArithmeticOf("float32[2]", "float32[2]", kAllIntegers), "float32");
}

TEST(ArithmeticTest, BytesBesideSixteenBitsGetAsMany) {
  const std::string x = "int8[2]<affine 0.5 3>", words = "int16[2]<affine 0.5 0>";
  EXPECT_EQ(ArithmeticOf(x, words, kAllIntegers), "int16");
  EXPECT_EQ(ArithmeticOf(words, words, kBytes),
            "its values are int16, expected int8, uint8, float32");
}

TEST(ArithmeticTest, NamesTheNearestType) {
  const std::string x = "uint8[2]<affine 0.5 3>";
  EXPECT_EQ(ArithmeticOf(x, x, kNoIntegers), "its values are uint8, expected float32");
}

}  // namespace
}  // namespace synap_internal::tflite_export

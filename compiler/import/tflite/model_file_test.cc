#include "compiler/import/tflite/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ModelFileTest, WideElementsMayLieUnaligned) {
  // A vector: its length, 2, then 5 and -1 as 64 bits, which begin 4 bytes behind a multiple of 8.
  alignas(8) const uint32_t words[] = {2, 5, 0, 0xffffffff, 0xffffffff};
  const auto* vector = reinterpret_cast<const flatbuffers::Vector<int64_t>*>(words);
  EXPECT_THAT(UnalignedElements(vector), ElementsAre(5, -1));
  EXPECT_THAT(UnalignedElements<int64_t>(nullptr), IsEmpty());
}

}  // namespace
}  // namespace synap_internal::tflite_import

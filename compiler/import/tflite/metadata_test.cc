#include "compiler/import/tflite/metadata.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/import/tflite/metadata_generated.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/test_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace synap_internal::tflite_import {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Metadata of one input, with a normalization and the colours of pictures, and of one output.
std::vector<uint8_t> MetadataBytes() {
  namespace md = tflite_metadata;
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<float> mean = {127}, std = {128};
  const auto normalization =
      md::CreateProcessUnit(builder, md::ProcessUnitOptions::NormalizationOptions,
                            md::CreateNormalizationOptionsDirect(builder, &mean, &std).Union());
  const auto content =
      md::CreateContent(builder, md::ContentProperties::ImageProperties,
                        md::CreateImageProperties(builder, md::ColorSpaceType::RGB).Union());
  const std::vector<flatbuffers::Offset<md::ProcessUnit>> units = {normalization};
  const std::vector<flatbuffers::Offset<md::TensorMetadata>> inputs = {
      md::CreateTensorMetadataDirect(builder, "image", nullptr, nullptr, content, &units)};
  const std::vector<flatbuffers::Offset<md::AssociatedFile>> files = {
      md::CreateAssociatedFileDirect(builder, "notes.txt", nullptr,
                                     md::AssociatedFileType::DESCRIPTIONS),
      md::CreateAssociatedFileDirect(builder, "labels.txt", nullptr,
                                     md::AssociatedFileType::TENSOR_AXIS_LABELS)};
  const std::vector<flatbuffers::Offset<md::TensorMetadata>> outputs = {
      md::CreateTensorMetadataDirect(builder, "scores", nullptr, nullptr, 0, nullptr, &files)};
  const std::vector<flatbuffers::Offset<md::SubGraphMetadata>> graphs = {
      md::CreateSubGraphMetadataDirect(builder, nullptr, nullptr, &inputs, &outputs)};
  md::FinishModelMetadataBuffer(
      builder, md::CreateModelMetadataDirect(builder, "net", nullptr, nullptr, &graphs));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

FileMetadata MetadataOf(const std::vector<uint8_t>& metadata) {
  TestModel model;
  model.Input("x", {1, 2});
  model.Op(tflite::BuiltinOperator::ABS, {"x"}, {"y"});
  model.Output("y");
  model.Metadata(metadata);
  const std::string bytes = model.Bytes();
  // ParseModel wants aligned bytes.
  const auto file = std::make_shared<std::vector<uint8_t>>(bytes.size() + 16);
  uint8_t* begin = file->data();
  while (reinterpret_cast<uintptr_t>(begin) % 16 != 0) ++begin;
  std::copy(bytes.begin(), bytes.end(), begin);
  const auto parsed = ParseModel({begin, bytes.size()}, file);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? ReadMetadata(*parsed, bytes) : FileMetadata();
}

TEST(ReadMetadataTest, ReadsNormalizationColoursAndTheLabelsName) {
  const FileMetadata metadata = MetadataOf(MetadataBytes());
  EXPECT_EQ(metadata.producer, "test");
  ASSERT_EQ(metadata.inputs.size(), 1);
  EXPECT_THAT(metadata.inputs[0].means, ElementsAre(127));
  EXPECT_THAT(metadata.inputs[0].scales, ElementsAre(128));
  EXPECT_TRUE(metadata.inputs[0].rgb);
  EXPECT_EQ(metadata.labels, "labels.txt");
  EXPECT_THAT(metadata.texts, IsEmpty());
}

TEST(ReadMetadataTest, DamagedMetadataStatesNothing) {
  for (size_t i = 0; i < MetadataBytes().size(); ++i) {
    std::vector<uint8_t> bytes = MetadataBytes();
    bytes[i] ^= 0x55;
    MetadataOf(bytes);  // must not read outside
    bytes = MetadataBytes();
    bytes.resize(i / 2);
    EXPECT_THAT(MetadataOf(bytes).inputs, IsEmpty()) << i;
  }
}

}  // namespace
}  // namespace synap_internal::tflite_import

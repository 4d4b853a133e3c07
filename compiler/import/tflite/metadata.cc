#include "compiler/import/tflite/metadata.h"

#include <cstdint>
#include <vector>

#include "compiler/import/archive_texts.h"
#include "compiler/import/tflite/metadata_generated.h"

namespace synap_internal::tflite_import {
namespace {

constexpr char kEntry[] = "TFLITE_METADATA";

// A copy, since the FlatBuffer may lie unaligned in the model's; empty without metadata.
std::vector<uint8_t> MetadataBytes(const Model& model) {
  if (model.root->metadata() == nullptr || model.root->buffers() == nullptr) return {};
  for (const tflite::Metadata* entry : *model.root->metadata()) {
    if (entry == nullptr || entry->name() == nullptr) continue;
    if (entry->name()->str() != kEntry) continue;
    if (entry->buffer() >= model.root->buffers()->size()) return {};
    const tflite::Buffer* buffer = model.root->buffers()->Get(entry->buffer());
    if (buffer == nullptr || buffer->data() == nullptr) return {};
    return {buffer->data()->begin(), buffer->data()->end()};
  }
  return {};
}

StatedPixels PixelsOf(const tflite_metadata::TensorMetadata& tensor) {
  StatedPixels pixels;
  if (tensor.content() != nullptr) {
    const auto* image = tensor.content()->content_properties_as_ImageProperties();
    pixels.rgb = image != nullptr && image->color_space() == tflite_metadata::ColorSpaceType::RGB;
  }
  if (tensor.process_units() == nullptr) return pixels;
  for (const tflite_metadata::ProcessUnit* unit : *tensor.process_units()) {
    const auto* normalization = unit == nullptr ? nullptr : unit->options_as_NormalizationOptions();
    if (normalization == nullptr) continue;
    pixels.means = UnalignedElements(normalization->mean());
    pixels.scales = UnalignedElements(normalization->std());
  }
  return pixels;
}

bool IsOfLabels(const tflite_metadata::AssociatedFile& file) {
  return file.name() != nullptr &&
         (file.type() == tflite_metadata::AssociatedFileType::TENSOR_AXIS_LABELS ||
          file.type() == tflite_metadata::AssociatedFileType::TENSOR_VALUE_LABELS);
}

void ReadGraph(const tflite_metadata::SubGraphMetadata& graph, FileMetadata& metadata) {
  if (graph.input_tensor_metadata() != nullptr) {
    for (const tflite_metadata::TensorMetadata* tensor : *graph.input_tensor_metadata()) {
      metadata.inputs.push_back(tensor == nullptr ? StatedPixels() : PixelsOf(*tensor));
    }
  }
  if (graph.output_tensor_metadata() == nullptr) return;
  for (const tflite_metadata::TensorMetadata* tensor : *graph.output_tensor_metadata()) {
    if (tensor == nullptr || tensor->associated_files() == nullptr) continue;
    for (const tflite_metadata::AssociatedFile* file : *tensor->associated_files()) {
      if (file != nullptr && IsOfLabels(*file)) metadata.labels = file->name()->str();
    }
  }
}

}  // namespace

FileMetadata ReadMetadata(const Model& model, absl::string_view file) {
  FileMetadata metadata;
  if (model.root->description() != nullptr) {
    metadata.producer = model.root->description()->str();
  }
  metadata.texts = ReadArchiveTexts(file);
  const std::vector<uint8_t> bytes = MetadataBytes(model);
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (bytes.empty() || !tflite_metadata::VerifyModelMetadataBuffer(verifier)) return metadata;
  const auto* graphs = tflite_metadata::GetModelMetadata(bytes.data())->subgraph_metadata();
  if (graphs != nullptr && graphs->size() > 0 && graphs->Get(0) != nullptr) {
    ReadGraph(*graphs->Get(0), metadata);
  }
  return metadata;
}

}  // namespace synap_internal::tflite_import

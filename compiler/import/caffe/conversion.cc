// Layers that hand on their bottom.
#include "compiler/import/caffe/layer_table.h"

namespace synap_internal::caffe_import {
namespace {

absl::Status MapDropout(LayerContext& layer) { return layer.SetTop(layer.input(0)); }

// All tops are the bottom itself.
absl::Status MapSplit(LayerContext& layer) {
  for (size_t i = 0; i < layer.output_count(); ++i) layer.SetTop(i, layer.input(0));
  return absl::OkStatus();
}

constexpr LayerMapping kConversionMappings[] = {
    {"Dropout", 1, 1, MapDropout},
    {"Split", 1, 1, MapSplit},
};

}  // namespace

absl::Span<const LayerMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::caffe_import

// Caffe's layer types and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_
#define COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compiler/import/caffe/layer_context.h"

namespace synap_internal::caffe_import {

struct LayerMapping {
  absl::string_view type;
  // How many bottoms a layer of this type has.
  size_t min, max;
  // Emits ops for the layer and sets its tops. Errors are without the layer.
  absl::Status (*map)(LayerContext& layer);
  absl::string_view limits = "";  // op_limits.h
};

std::vector<const LayerMapping*> AllMappings();
// Null if the type isn't supported.
const LayerMapping* FindMapping(absl::string_view type);

// The themes.
absl::Span<const LayerMapping> ActivationMappings();
absl::Span<const LayerMapping> CombinationMappings();
absl::Span<const LayerMapping> ConvolutionMappings();
absl::Span<const LayerMapping> NormalizationMappings();
absl::Span<const LayerMapping> PoolingMappings();
absl::Span<const LayerMapping> ReductionMappings();
absl::Span<const LayerMapping> ShapeMappings();

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

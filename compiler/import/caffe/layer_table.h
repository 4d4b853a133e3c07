// Caffe's layer types and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_
#define COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

#include "absl/types/span.h"
#include "compiler/import/caffe/layer_context.h"
#include "compiler/import/operator_table.h"

namespace synap_internal::caffe_import {

using LayerMapping = OperatorRow<LayerContext>;

const OperatorTable<LayerMapping>& LayerTypes();

// The themes.
absl::Span<const LayerMapping> ActivationMappings();
absl::Span<const LayerMapping> ConversionMappings();
absl::Span<const LayerMapping> ConvolutionMappings();
absl::Span<const LayerMapping> ElementwiseMappings();
absl::Span<const LayerMapping> MatmulMappings();
absl::Span<const LayerMapping> NormalizationMappings();
absl::Span<const LayerMapping> PoolingMappings();
absl::Span<const LayerMapping> ReductionMappings();
absl::Span<const LayerMapping> ShapeMappings();
absl::Span<const LayerMapping> SliceMappings();

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

// Caffe's layer types and the functions that map them, in files by theme.
#ifndef COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_
#define COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

#include "absl/types/span.h"
#include "compiler/import/caffe/layer_context.h"
#include "compiler/import/operator_table.h"

namespace synap_internal::caffe_import {

using LayerMapping = OperatorRow<LayerContext>;

const OperatorTable<LayerMapping>& LayerTypes();

// The themes, each in the file of its name.
using Theme = absl::Span<const LayerMapping>;
Theme ActivationMappings();
Theme ElementwiseMappings();
Theme LinearMappings();
Theme NormalizationMappings();
Theme PoolingMappings();
Theme ReductionMappings();
Theme ShapeMappings();
Theme SliceMappings();

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

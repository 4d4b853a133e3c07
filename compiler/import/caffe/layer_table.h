// Caffe's layer types and the functions that map them, in a file for each kind (activation.cc,
// ...).
#ifndef COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_
#define COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

#include "absl/types/span.h"
#include "compiler/import/caffe/layer_context.h"
#include "compiler/import/operator_table.h"

namespace synap_internal::caffe_import {

using LayerMapping = OperatorRow<LayerContext>;

const OperatorTable<LayerMapping>& LayerTypes();

// Rows of each kind, in the file of its name.
using Mappings = absl::Span<const LayerMapping>;
Mappings ActivationMappings();
Mappings ElementwiseMappings();
Mappings LinearMappings();
Mappings NormalizationMappings();
Mappings PoolingMappings();
Mappings ReductionMappings();
Mappings ShapeMappings();
Mappings SliceMappings();

}  // namespace synap_internal::caffe_import

#endif  // COMPILER_IMPORT_CAFFE_LAYER_TABLE_H_

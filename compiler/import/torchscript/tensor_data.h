// Constant tensors of a TorchScript graph.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_TENSOR_DATA_H_
#define COMPILER_IMPORT_TORCHSCRIPT_TENSOR_DATA_H_

#include <memory>

#include "absl/status/statusor.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/stored_elements.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::torchscript_import {

// Floating point types become float32, integers int64; bool stays. Quantized
// tensors keep their bytes and get a quantizer: int8 where each channel has its
// own scale, which must have zero points of 0. Data that needs no conversion
// stays where the parser has put it, which `owner` keeps alive; converted data is charged
// to the builder. InvalidArgument if data and shape don't fit, Unimplemented for
// other types.
absl::StatusOr<TensorData> ReadTensor(const torchscript::Tensor& tensor,
                                      const std::shared_ptr<const void>& owner,
                                      GraphBuilder& builder);

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_TENSOR_DATA_H_

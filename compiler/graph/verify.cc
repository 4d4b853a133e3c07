#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/graph/graph.h"
#include "kernels/emulated_types.h"

namespace synap_internal {
namespace {

absl::Status Broken(absl::string_view where, absl::string_view what) {
  return absl::InternalError(absl::StrCat(where, ": ", what));
}

absl::Status VerifyTensor(const Tensor& tensor) {
  const std::string where = absl::StrCat("tensor '", tensor.name, "'");
  if (tensor.name.empty()) return Broken("tensor", "has no name");
  if (!tensor.type.present()) return Broken(where, "has no data type");
  RETURN_IF_ERROR(Annotate(tensor.type.shape.Validate(), where));
  RETURN_IF_ERROR(
      Annotate(tensor.type.quant.Validate(tensor.type.dtype, tensor.type.shape), where));
  if (!tensor.is_constant()) return absl::OkStatus();
  if (tensor.producer != nullptr) return Broken(where, "is a constant and has a producer");
  const auto size = static_cast<int64_t>(tensor.constant->bytes.size());
  if (size != tensor.type.bytes()) {
    return Broken(where, absl::StrCat("has ", size, " bytes, expected ", tensor.type.bytes()));
  }
  return absl::OkStatus();
}

absl::Status VerifyTypes(const Op& op) {
  const std::vector<TensorType> inputs = InputTypes(op);
  const auto inferred = InferOp(*op.def, {inputs, op.attributes});
  if (!inferred.ok()) return Broken(op.Label(), inferred.status().message());
  if (inferred->size() != op.outputs.size()) {
    return Broken(op.Label(),
                  absl::StrCat("has ", op.outputs.size(), " outputs, expected ", inferred->size()));
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const TensorType& actual = op.outputs[i]->type;
    const TensorType& expected = (*inferred)[i];
    if (actual.shape != expected.shape) {
      return Broken(op.Label(), absl::StrCat("output '", op.outputs[i]->name, "' has shape ",
                                             actual.shape.ToString(), ", expected ",
                                             expected.shape.ToString()));
    }
    const bool quantized =
        actual.quant.quantized() || (!inputs.empty() && inputs[0].quant.quantized());
    if (!quantized && actual.dtype != expected.dtype) {
      return Broken(op.Label(),
                    absl::StrCat("output '", op.outputs[i]->name, "' is ", Name(actual.dtype),
                                 ", expected ", Name(expected.dtype)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyGraph(const Graph& graph) {
  for (const Tensor& tensor : graph.tensors()) RETURN_IF_ERROR(VerifyTensor(tensor));
  std::unordered_set<const Tensor*> known(graph.inputs.begin(), graph.inputs.end());
  for (const Op& op : graph.ops()) {
    for (const Tensor* input : op.inputs) {
      if (input != nullptr && !input->is_constant() && known.count(input) == 0) {
        return Broken(op.Label(),
                      absl::StrCat("reads '", input->name, "' before anything produces it"));
      }
    }
    RETURN_IF_ERROR(VerifyTypes(op));
    for (const Tensor* output : op.outputs) {
      if (output->producer != &op) return Broken(op.Label(), "is not its output's producer");
      known.insert(output);
    }
  }
  for (const Tensor* output : graph.outputs) {
    if (!output->is_constant() && known.count(output) == 0) {
      return Broken(absl::StrCat("output '", output->name, "'"), "is produced by nothing");
    }
  }
  return absl::OkStatus();
}

}  // namespace synap_internal

#include "compiler/graph/passes/unsigned_bytes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "kernels/registry.h"

namespace synap_internal {
namespace {

constexpr uint8_t kSignBit = 0x80;
constexpr int32_t kShift = 128;

bool IsSigned(const Tensor& tensor) {
  const QuantParams& quant = tensor.type.quant;
  return tensor.type.dtype == DataType::kInt8 && quant.quantized() &&
         quant.scheme != QuantScheme::kPerChannelSymmetric;
}

TensorType UnsignedType(const TensorType& type) {
  return {DataType::kUint8, type.shape,
          QuantParams::Affine(type.quant.scale(), type.quant.zero_point() + kShift)};
}

void MakeUnsigned(Tensor& tensor) {
  tensor.type = UnsignedType(tensor.type);
  if (!tensor.is_constant()) return;
  std::vector<uint8_t> bytes(tensor.constant->bytes.begin(), tensor.constant->bytes.end());
  for (uint8_t& byte : bytes) byte ^= kSignBit;
  tensor.constant = std::make_shared<const Constant>(Constant::Own(std::move(bytes)));
}

Op Requantize(Tensor* from, Tensor* to) {
  Op op;
  op.def = FindOp("requantize");
  CHECK(op.def != nullptr);
  op.inputs = {from};
  op.outputs = {to};
  const Op* producer = from->producer;
  op.origins = producer == nullptr ? std::vector<std::string>{from->name} : producer->origins;
  return op;
}

// Readers of an int8 input read an unsigned copy of it.
void ConvertInput(Graph& graph, Tensor* input) {
  if (input->users.empty()) return;
  Tensor* copy = graph.AddTensor(graph.UniqueName(absl::StrCat(input->name, ".uint8")),
                                 UnsignedType(input->type));
  const std::vector<Op*> users = input->users;
  for (Op* user : users) {
    for (size_t i = 0; i < user->inputs.size(); ++i) {
      if (user->inputs[i] == input) graph.SetInput(user, i, copy);
    }
  }
  graph.AddOp(Requantize(input, copy), &graph.ops().front());
}

// The int8 output leaves through a conversion and keeps its name.
void ConvertOutput(Graph& graph, Tensor*& output) {
  const std::string name = output->name;
  const TensorType type = output->type;
  graph.Rename(output, graph.UniqueName(absl::StrCat(name, ".uint8")));
  Tensor* leaving = graph.AddTensor(name, type);
  graph.AddOp(Requantize(output, leaving));
  output = leaving;
}

}  // namespace

bool ComputesInSignedBytes(const Graph& graph) {
  const auto any_signed = [](const std::vector<Tensor*>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [](const Tensor* tensor) { return tensor != nullptr && IsSigned(*tensor); });
  };
  return std::any_of(graph.ops().begin(), graph.ops().end(), [&](const Op& op) {
    return op.Is(TypeConversion::kNone) && (any_signed(op.inputs) || any_signed(op.outputs));
  });
}

absl::StatusOr<int> UnsignedBytes(Graph& graph) {
  for (Tensor* input : graph.inputs) {
    if (IsSigned(*input)) ConvertInput(graph, input);
  }
  for (Tensor*& output : graph.outputs) {
    if (IsSigned(*output) && output->producer != nullptr) ConvertOutput(graph, output);
  }
  int changed = 0;
  for (Tensor& tensor : graph.tensors()) {
    const bool is_end =
        graph.IsOutput(&tensor) ||
        std::find(graph.inputs.begin(), graph.inputs.end(), &tensor) != graph.inputs.end();
    if (!IsSigned(tensor) || is_end) continue;
    MakeUnsigned(tensor);
    ++changed;
  }
  return changed;
}

}  // namespace synap_internal

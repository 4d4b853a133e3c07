#include "compiler/import/tflite/detection_anchors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/tensor_type.h"
#include "compiler/graph/graph.h"
#include "compiler/import/tflite/tensor_data.h"

namespace synap_internal::tflite_import {
namespace {

constexpr absl::string_view kDetection = "TFLite_Detection_PostProcess";
constexpr size_t kAnchorOperand = 2;

// The only detection of a model; none if it has none.
absl::StatusOr<std::optional<size_t>> FindDetection(const Model& model) {
  std::optional<size_t> found;
  for (size_t i = 0; i < model.op_count(); ++i) {
    const tflite::OperatorCode& code = model.code(model.op(i));
    const bool custom = BuiltinCode(code) == tflite::BuiltinOperator::CUSTOM;
    if (!custom || OperatorName(code) != kDetection) continue;
    if (found.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(OperatorLabel(model, i), ": there is one before, ",
                       OperatorLabel(model, *found), ", expected one detection"));
    }
    found = i;
  }
  return found;
}

absl::StatusOr<std::vector<float>> ReadAnchors(const Model& model, const tflite::Operator& op,
                                               GraphBuilder& builder) {
  const auto inputs = Elements(op.inputs());
  if (inputs.size() <= kAnchorOperand || inputs[kAnchorOperand] < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", inputs.size(), " operands, expected its anchors as operand 2"));
  }
  const tflite::Tensor& tensor = model.tensor(inputs[kAnchorOperand]);
  if (!model.HasData(tensor)) return absl::InvalidArgumentError("its anchors are not constant");
  ASSIGN_OR_RETURN(TensorData data, ReadConstant(model, tensor, builder));
  const Shape& shape = data.type.shape;
  const bool quantized = data.type.quant.quantized();
  if (shape.rank() != 2 || shape[1] != 4 || !(data.type.dtype == DataType::kFloat32 || quantized)) {
    return absl::InvalidArgumentError(absl::StrCat("its anchors are ", Name(data.type.dtype), "[",
                                                   shape.ToString(),
                                                   "], expected float32[Nx4], or quantized"));
  }
  Tensor anchors;
  anchors.type = data.type;
  anchors.constant = std::make_shared<const Constant>(std::move(data.constant));
  if (quantized) anchors.constant = std::make_shared<const Constant>(Dequantized(anchors));
  const absl::Span<const float> values = anchors.values<float>();
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); })) {
    return absl::InvalidArgumentError("its anchors are not all finite numbers");
  }
  return std::vector<float>(values.begin(), values.end());
}

}  // namespace

absl::StatusOr<std::vector<float>> DetectionAnchors(const Model& model, GraphBuilder& builder) {
  ASSIGN_OR_RETURN(const std::optional<size_t> detection, FindDetection(model));
  if (!detection.has_value()) return std::vector<float>();
  return Annotate(ReadAnchors(model, model.op(*detection), builder),
                  OperatorLabel(model, *detection));
}

}  // namespace synap_internal::tflite_import

// Operators that make tensors of constants.
#include "compiler/import/emit/constant.h"

#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status MapConstant(NodeContext& node) {
  if (const onnx::TensorProto* value = node.TensorAttribute("value"); value != nullptr) {
    return node.SetOutput(node.state().AddConstant(node.Name(), *value));
  }
  GraphBuilder& builder = node.builder();
  const std::string name = node.Name();
  if (node.HasAttribute("value_float")) {
    return node.SetOutput(builder.AddScalar(name, node.Float("value_float", 0)));
  }
  if (node.HasAttribute("value_int")) {
    return node.SetOutput(builder.AddScalar(name, node.Int("value_int", 0)));
  }
  if (node.HasAttribute("value_floats")) {
    return node.SetOutput(builder.AddFloats(name, node.Floats("value_floats")));
  }
  if (node.HasAttribute("value_ints")) {
    return node.SetOutput(builder.AddInts(name, node.Ints("value_ints")));
  }
  return absl::UnimplementedError(
      "it has no value, expected an attribute 'value', 'value_float(s)' or 'value_int(s)'");
}

absl::Status MapConstantOfShape(NodeContext& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> dims, node.ConstantInts(0, "input"));
  const Shape shape(std::move(dims));
  RETURN_IF_ERROR(shape.Validate());
  TensorData value{{DataType::kFloat32, Shape({1}), {}}, Constant::Own({0, 0, 0, 0})};
  if (const onnx::TensorProto* proto = node.TensorAttribute("value"); proto != nullptr) {
    ASSIGN_OR_RETURN(value, node.state().reader.Read(*proto));
    if (value.type.shape.elements() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "attribute 'value' is ", value.type.shape.ToString(), ", expected one element"));
    }
  }
  const TensorType type{value.type.dtype, shape, {}};
  RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
  std::vector<uint8_t> bytes(static_cast<size_t>(type.bytes()));
  const size_t step = SizeOf(type.dtype);
  for (size_t i = 0; i < bytes.size(); i += step) {
    std::memcpy(bytes.data() + i, value.constant.bytes.data(), step);
  }
  return node.SetOutput(
      node.builder().graph().AddConstant(node.Name(), type, Constant::Own(std::move(bytes))));
}

// start, start + delta, ... of max(ceil((limit - start) / delta), 0) elements
absl::Status MapFloatRange(NodeContext& node) {
  ASSIGN_OR_RETURN(const float start, node.ConstantReal(0, "start"));
  ASSIGN_OR_RETURN(const float limit, node.ConstantReal(1, "limit"));
  ASSIGN_OR_RETURN(const float delta, node.ConstantReal(2, "delta"));
  const double count = std::ceil((double{limit} - start) / delta);
  if (delta == 0 || !(count <= 1e9)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its range goes from ", start, " to ", limit, " by ", delta,
                     ", expected another step than 0 and at most 10^9 elements"));
  }
  const auto elements = count > 0 ? static_cast<int64_t>(count) : 0;
  RETURN_IF_ERROR(node.builder().Charge(elements * static_cast<int64_t>(sizeof(float))));
  std::vector<float> values(static_cast<size_t>(elements));
  for (size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<float>(i) * delta;
  return node.SetOutput(node.builder().AddFloats(node.Name(), values));
}

absl::Status MapRange(NodeContext& node) {
  node.IgnoreAttribute("stash_type");  // of 16-bit floats, which are float32 here
  if (node.input(0)->type.dtype == DataType::kFloat32) return MapFloatRange(node);
  return node.SetOutput(EmitRange(node, *node.input(0), *node.input(1), *node.input(2)));
}

constexpr OpMapping kConstantMappings[] = {
    {"Constant", 0, 0, MapConstant, "a value of numbers"},
    {"ConstantOfShape", 1, 1, MapConstantOfShape, "a constant 'input'"},
    {"Range", 3, 3, MapRange, "constant 'start', 'limit' and 'delta'"},
};

}  // namespace

absl::Span<const OpMapping> ConstantMappings() { return kConstantMappings; }

}  // namespace synap_internal::onnx_import

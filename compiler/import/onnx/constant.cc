// Operators that become constants, and those that do nothing.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::Status SetData(NodeContext& node, TensorData data) {
  Tensor* tensor =
      node.builder().graph().AddConstant(node.Name(), data.type, std::move(data.constant));
  return node.SetOutput(tensor);
}

absl::Status MapConstant(NodeContext& node) {
  if (const onnx::TensorProto* value = node.TensorAttribute("value"); value != nullptr) {
    ASSIGN_OR_RETURN(TensorData data, node.state().reader.Read(*value));
    return SetData(node, std::move(data));
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
      "it should have an attribute 'value', 'value_float(s)' or 'value_int(s)'");
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
  return SetData(node, {type, Constant::Own(std::move(bytes))});
}

template <typename T>
absl::Status SetRange(NodeContext& node, T start, T delta, double count) {
  if (!(count <= 1e9)) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", count, " elements"));
  }
  const auto elements = static_cast<int64_t>(count);
  RETURN_IF_ERROR(node.builder().Charge(elements * static_cast<int64_t>(sizeof(T))));
  std::vector<T> values(static_cast<size_t>(elements));
  for (size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<T>(i) * delta;
  return SetData(node, {{DataTypeOf<T>(), Shape({elements}), {}}, Constant::Of<T>(values)});
}

// max(ceil((limit - start) / delta), 0) in a type that can't overflow.
double RangeCount(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  return count > 0 ? count : 0;
}

absl::Status MapRange(NodeContext& node) {
  node.IgnoreAttribute("stash_type");  // of 16-bit floats, which are float32 here
  if (node.input(0)->type.dtype == DataType::kFloat32) {
    ASSIGN_OR_RETURN(const float start, node.ConstantFloat(0, "start"));
    ASSIGN_OR_RETURN(const float limit, node.ConstantFloat(1, "limit"));
    ASSIGN_OR_RETURN(const float delta, node.ConstantFloat(2, "delta"));
    if (delta == 0) return absl::InvalidArgumentError("its 'delta' is 0");
    return SetRange<float>(node, start, delta, RangeCount(start, limit, delta));
  }
  int64_t bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    const absl::string_view what = i == 0 ? "start" : i == 1 ? "limit" : "delta";
    ASSIGN_OR_RETURN(const std::vector<int64_t> value, node.ConstantInts(i, what));
    constexpr int64_t kLimit = int64_t{1} << 40;
    if (value.size() != 1 || std::abs(value[0] / 2) > kLimit || (i == 2 && value[0] == 0)) {
      return absl::InvalidArgumentError(absl::StrCat("its '", what, "' is no sensible number"));
    }
    bounds[i] = value[0];
  }
  return SetRange<int64_t>(
      node, bounds[0], bounds[2],
      RangeCount(static_cast<double>(bounds[0]), static_cast<double>(bounds[1]),
                 static_cast<double>(bounds[2])));
}

bool IsNonZero(const Tensor& tensor, int64_t i) {
  const size_t size = SizeOf(tensor.type.dtype);
  const uint8_t* at = tensor.constant->bytes.data() + static_cast<size_t>(i) * size;
  if (tensor.type.dtype == DataType::kFloat32) return tensor.values<float>()[i] != 0;
  return std::any_of(at, at + size, [](uint8_t byte) { return byte != 0; });
}

// Output [rank, count]: the indices of the elements that aren't 0.
absl::Status MapNonZero(NodeContext& node) {
  const Tensor& x = *node.input(0);
  if (!x.is_constant()) {
    return absl::UnimplementedError(absl::StrCat(
        "its operand '", x.name, "' must be constant: the output's shape would depend on values"));
  }
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.type.shape.elements(); ++i) {
    if (IsNonZero(x, i)) found.push_back(i);
  }
  const size_t rank = x.type.shape.rank(), count = found.size();
  RETURN_IF_ERROR(node.builder().Charge(static_cast<int64_t>(rank * count * sizeof(int64_t))));
  std::vector<int64_t> indices(rank * count);
  for (size_t column = 0; column < count; ++column) {
    int64_t rest = found[column];
    for (size_t row = rank; row-- > 0; rest /= x.type.shape[row]) {
      indices[row * count + column] = rest % x.type.shape[row];
    }
  }
  const Shape shape({static_cast<int64_t>(rank), static_cast<int64_t>(count)});
  return SetData(node, {{DataType::kInt64, shape, {}}, Constant::Of<int64_t>(indices)});
}

absl::Status MapIdentity(NodeContext& node) { return node.SetOutput(node.input(0)); }

// Whether operand i is a constant of one element that isn't 0; `fallback` if absent.
bool IsSet(const NodeContext& node, size_t i, bool fallback) {
  if (!node.HasInput(i)) return fallback;
  const Tensor& tensor = *node.input(i);
  return !tensor.is_constant() || tensor.type.shape.elements() != 1 || IsNonZero(tensor, 0);
}

// What training drops is random; at a ratio of 0 it is nothing.
absl::Status MapDropout(NodeContext& node) {
  node.IgnoreAttribute("seed");
  node.IgnoreAttribute("is_test");  // of opset 1 and 6, whose default is training
  node.IgnoreAttribute("consumed_inputs");
  const bool drops = node.Float("ratio", 0.5f) != 0 && IsSet(node, 1, true);
  if (IsSet(node, 2, false) && drops) return absl::UnimplementedError("it is in training mode");
  if (node.HasOutput(1)) {
    const TensorType type{DataType::kBool, node.shape(0), {}};
    RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
    std::vector<uint8_t> ones(static_cast<size_t>(type.bytes()), 1);
    RETURN_IF_ERROR(
        node.SetOutput(1, node.builder().graph().AddConstant(node.Name(".mask"), type,
                                                             Constant::Own(std::move(ones)))));
  }
  return MapIdentity(node);
}

absl::StatusOr<Tensor*> Cast(NodeContext& node, DataType to) {
  Tensor* x = node.input(0);
  if (x->type.dtype == to) return x;
  return node.Emit("cast", {x}, {{"to", std::string(Name(to))}});
}

absl::Status MapCast(NodeContext& node) {
  // Of 8-bit floats, which aren't supported.
  for (const char* name : {"saturate", "round_mode"}) node.IgnoreAttribute(name);
  ASSIGN_OR_RETURN(const DataType to, ImportedDataType(static_cast<int>(node.Int("to", 0))));
  return node.SetOutput(Cast(node, to));
}

absl::Status MapCastLike(NodeContext& node) {
  for (const char* name : {"saturate", "round_mode"}) node.IgnoreAttribute(name);
  return node.SetOutput(Cast(node, node.input(1)->type.dtype));
}

constexpr char kTypes[] = "numbers and bool, of 8 bits or more";

constexpr OpMapping kMappings[] = {
    {"Constant", 0, 0, MapConstant, "a value of numbers"},
    {"ConstantOfShape", 1, 1, MapConstantOfShape, "a constant 'input'"},
    {"Range", 3, 3, MapRange, "constant 'start', 'limit' and 'delta'"},
    {"NonZero", 1, 1, MapNonZero,
     "a constant operand: how many elements there are depends on its values"},
    {"Identity", 1, 1, MapIdentity},
    {"Dropout", 1, 3, MapDropout, "not in training mode"},
    {"Cast", 1, 1, MapCast, kTypes},
    {"CastLike", 2, 2, MapCastLike, kTypes},
};

}  // namespace

absl::Span<const OpMapping> ConstantMappings() { return kMappings; }

}  // namespace synap_internal::onnx_import

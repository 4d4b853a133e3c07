// Operators that hand on their operand or change the type of its values.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/onnx/narrow_tensors.h"
#include "compiler/import/onnx/narrow_types.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

// Of sequences and optional values too.
absl::Status MapIdentity(NodeContext& node) {
  ASSIGN_OR_RETURN(Value value, node.Operand(0));
  return node.SetValue(0, std::move(value));
}

// Whether elements are dropped in training mode: unless the ratio is 0.
bool HasRatio(NodeContext& node) {
  if (node.Float("ratio", 0.5f) == 0) return false;
  if (!node.HasInput(1)) return true;
  const absl::StatusOr<float> ratio = ConstantReal(*node.input(1), "ratio");
  return !ratio.ok() || *ratio != 0;
}

bool IsTraining(const NodeContext& node) {
  if (!node.HasInput(2)) return false;
  const absl::StatusOr<bool> training = ConstantBool(*node.input(2), "training_mode");
  return !training.ok() || *training;
}

absl::Status MapDropout(NodeContext& node) {
  node.IgnoreAttribute("seed");
  node.IgnoreAttribute("is_test");  // of opset 1 and 6, whose default is training
  node.IgnoreAttribute("consumed_inputs");
  if (HasRatio(node) && IsTraining(node)) {
    return absl::UnimplementedError("it is in training mode; export the model for inference");
  }
  if (node.HasOutput(1)) {
    const TensorType type{DataType::kBool, node.shape(0), {}};
    RETURN_IF_ERROR(node.builder().Charge(type.bytes()));
    std::vector<uint8_t> ones(static_cast<size_t>(type.bytes()), 1);
    RETURN_IF_ERROR(node.SetOutput(1, node.Bools(type.shape, std::move(ones), ".mask")));
  }
  return node.SetOutput(node.input(0));
}

absl::StatusOr<PowerRounding> ReadPowerRounding(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string mode,
                   node.Choice("round_mode", "up", {"up", "down", "nearest"}));
  return mode == "up"     ? PowerRounding::kUp
         : mode == "down" ? PowerRounding::kDown
                          : PowerRounding::kNearest;
}

// To one of the types of narrow_types.h. ONNX leaves open what becomes of a number beyond an
// integer type: its own code clamped it until opset 23, and keeps the low bits since.
absl::Status SetNarrow(NodeContext& node, int to) {
  constexpr int kKeepsLowBits = 24;
  NarrowConversion conversion;
  conversion.clamps_integers = node.opset() < kKeepsLowBits;
  conversion.saturates_floats = node.Int("saturate", 1) != 0;
  ASSIGN_OR_RETURN(conversion.powers, ReadPowerRounding(node));
  return node.SetOutput(NarrowConstant(node, node.input(0), to, conversion));
}

absl::Status SetCast(NodeContext& node, DataType to) {
  // Of narrow floats alone.
  for (const char* name : {"saturate", "round_mode"}) node.IgnoreAttribute(name);
  const Tensor& x = *node.input(0);
  if (x.type.dtype == to && node.state().NarrowTypeOf(&x) != 0) {
    // Now of the type that the graph has it in.
    return node.SetOutput(
        node.builder().graph().AddConstant(node.Name(), x.type, Constant(*x.constant)));
  }
  if (!x.type.quant.quantized() || x.type.dtype == to) {
    return node.SetOutput(node.Cast(node.input(0), to));
  }
  return node.SetOutput(node.Cast(Widened(node, node.input(0), ".integers"), to));
}

absl::Status MapCast(NodeContext& node) {
  const auto type = static_cast<int>(node.Int("to", 0));
  if (IsNarrowType(type)) return SetNarrow(node, type);
  ASSIGN_OR_RETURN(const DataType to, ImportedDataType(type));
  return SetCast(node, to);
}

absl::Status MapCastLike(NodeContext& node) {
  const int narrow = node.state().NarrowTypeOf(node.input(1));
  return narrow != 0 ? SetNarrow(node, narrow) : SetCast(node, node.input(1)->type.dtype);
}

// Bits of elements that the graph has in a type of their own; 0 for those that int64 or float32
// stands for.
int OwnBits(DataType type) {
  switch (type) {
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kUint8:
      return 8;
    case DataType::kInt16:
    case DataType::kUint16:
      return 16;
    case DataType::kUint32:
      return 32;
    default:
      return 0;
  }
}

// A constant's bits of 32 as another type. int64 stands for int32 here, as the node reads it.
Emitted WordsAs(NodeContext& node, const Tensor& x, bool floats) {
  if (!x.is_constant()) return NotConstant("input", x);
  if (floats) {
    std::vector<float> values;
    for (const int64_t wide : x.values<int64_t>()) {
      const auto bits = static_cast<uint32_t>(wide);
      float value;
      std::memcpy(&value, &bits, sizeof(value));
      values.push_back(value);
    }
    return node.Values(x.type.shape, std::move(values));
  }
  std::vector<int64_t> values;
  for (const float value : x.values<float>()) {
    int32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    values.push_back(bits);
  }
  return node.Values(x.type.shape, std::move(values), ".bits");
}

// Integers keep their low bits when they are cast. float32 is taken for what it is in most models,
// where it could also stand for a float of another size.
absl::Status MapBitCast(NodeContext& node) {
  const auto to = static_cast<int>(node.Int("to", 0));
  Tensor* x = node.input(0);
  const DataType from = x->type.dtype;
  const bool to_int32 = to == onnx::TensorProto::INT32, to_uint32 = to == onnx::TensorProto::UINT32;
  if (to == onnx::TensorProto::FLOAT && from == DataType::kInt64) {
    return node.SetOutput(WordsAs(node, *x, true));
  }
  if (from == DataType::kFloat32 && (to_int32 || to_uint32)) {
    Emitted bits = WordsAs(node, *x, false);
    return node.SetOutput(to_int32 ? bits : node.Cast(bits, DataType::kUint32));
  }
  if (from == DataType::kInt64 && to_uint32) return node.SetOutput(node.Cast(x, DataType::kUint32));
  if (from == DataType::kUint32 && to_int32) {
    // Those from 2^31 on are negative.
    GraphBuilder& builder = node.builder();
    Emitted wide = node.Cast(x, DataType::kInt64, ".wide");
    const auto low = node.Emit(
        "less", {wide, builder.AddScalar(node.Name(".half"), int64_t{1} << 31)}, {}, ".low");
    const auto moved = node.Emit(
        "sub", {wide, builder.AddScalar(node.Name(".whole"), int64_t{1} << 32)}, {}, ".moved");
    return node.SetOutput(node.Emit("where", {low, wide, moved}));
  }
  ASSIGN_OR_RETURN(const DataType type, ImportedDataType(to));
  const bool bools = type == DataType::kBool && from != DataType::kBool;
  if (OwnBits(from) != 0 && OwnBits(from) == OwnBits(type) && !bools) {
    return node.SetOutput(node.Cast(x, type));
  }
  return absl::UnimplementedError(
      absl::StrCat("it reads ", synap_internal::Name(from), " as ", OnnxTypeName(to)));
}

constexpr char kCastTypes[] =
    "numbers and bool; of constants also integers of 2 and 4 bits and floats of 4 and 8 bits";

constexpr OpMapping kConversionMappings[] = {
    {"Identity", 0, 1, MapIdentity},
    {"Dropout", 1, 3, MapDropout, "not in training mode"},
    {"Cast", 1, 1, MapCast, kCastTypes},
    {"CastLike", 2, 2, MapCastLike, kCastTypes},
    {"BitCast", 1, 1, MapBitCast,
     "integers of 8, 16 and 32 bits as such; constants of float32 and int32 as each other"},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::onnx_import

// Operators that hand on their operand or change the type of its values.
#include <memory>

#include "base/status_macros.h"
#include "compiler/import/torchscript/complex.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

// Hands on its operand: what it changes doesn't matter for an NPU.
absl::Status MapIdentity(NodeContext& node) { return node.SetOutput(node.GetTensor(0)); }

// (x, p, train)
absl::Status MapDropout(NodeContext& node) {
  ASSIGN_OR_RETURN(const float p, node.GetRealOr(1, 0));
  ASSIGN_OR_RETURN(const bool train, node.GetBoolOr(2, false));
  if (train && p != 0) {
    return absl::UnimplementedError(
        "it drops values although the network isn't being trained; export it after eval()");
  }
  return MapIdentity(node);
}

// (x, p, train): x, and which elements were kept, which training alone reads.
absl::Status MapNativeDropout(NodeContext& node) {
  RETURN_IF_ERROR(MapDropout(node));
  node.outputs().push_back(Value{Other{"mask of what it kept"}});
  return absl::OkStatus();
}

// Another type or device: the first argument that is the number of a type or another tensor says
// which.
absl::Status MapTo(NodeContext& node) {
  const Emitted x = node.GetTensor(0);
  for (size_t i = 1; i < node.size(); ++i) {
    const Value& argument = node.argument(i);
    if (argument.Get<int64_t>() != nullptr) {
      ASSIGN_OR_RETURN(const int64_t number, node.GetInt(i));
      if (IsComplexType(number)) return SetComplexOfReal(node, x);
      ASSIGN_OR_RETURN(const DataType type, FlowDataType(number));
      return node.SetOutput(node.Cast(x, type), IsUint8(number));
    }
    if (const auto* variable = argument.Get<std::shared_ptr<Variable>>(); variable != nullptr) {
      ASSIGN_OR_RETURN(const Tensor* other, node.GetTensor(i));
      return node.SetOutput(node.Cast(x, other->type.dtype), (*variable)->is_uint8.value_or(false));
    }
    if (argument.Get<bool>() != nullptr) break;  // non_blocking
  }
  return node.SetOutput(x);
}

constexpr char kInference[] = "not in training mode";

constexpr OpMapping kConversionMappings[] = {
    {"aten::contiguous", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::clone", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::detach", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::alias", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::alias_copy", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::detach_copy", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::cpu", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::dropout", 1, MapDropout, Quantized::kOwn, Result::kView, kInference},
    {"aten::feature_dropout", 1, MapDropout, Quantized::kOwn, Result::kView, kInference},
    {"aten::alpha_dropout", 1, MapDropout, Quantized::kOwn, Result::kView, kInference},
    {"aten::lift", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::native_dropout", 1, MapNativeDropout, Quantized::kOwn, Result::kAlike, kInference},
    {"aten::positive", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::resolve_conj", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::resolve_neg", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::lift_fresh", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::lift_fresh_copy", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::_to_copy", 1, MapTo},
    {"aten::to", 1, MapTo, Result::kView},
    {"aten::type_as", 2, MapTo, Result::kView},
    {"prims::convert_element_type", 2, MapTo},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::torchscript_import

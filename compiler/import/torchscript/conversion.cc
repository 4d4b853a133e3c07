// Operators that hand on their operand or change the type of its values.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status_macros.h"
#include "compiler/import/torchscript/complex.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

// Hands on its operand: what it changes doesn't matter for an NPU.
absl::Status MapIdentity(NodeContext& node) { return node.SetOutput(node.GetTensor(0)); }

// The output's elements are laid out in memory as `format` says.
void LayOut(NodeContext& node, int64_t format) {
  const auto* variable = node.outputs()[0].Get<std::shared_ptr<Variable>>();
  if (variable == nullptr || format == kPreserveFormat) return;
  (*variable)->is_contiguous = format == kContiguousFormat;
  (*variable)->is_strided = format != kContiguousFormat;
}

// contiguous and clone (x, memory format)
absl::Status MapLaidOut(NodeContext& node) {
  RETURN_IF_ERROR(MapIdentity(node));
  const bool is_clone = node.kind() == "aten::clone";
  ASSIGN_OR_RETURN(const int64_t format,
                   node.GetIntOr(1, is_clone ? kPreserveFormat : kContiguousFormat));
  LayOut(node, format);
  return absl::OkStatus();
}

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
  node.AddUnread("mask of what it kept");
  return absl::OkStatus();
}

// x in another type.
absl::Status SetConverted(NodeContext& node) {
  const Emitted x = node.GetTensor(0);
  ASSIGN_OR_RETURN(const ConversionType type, ReadConversionType(node));
  if (type.complex) return SetComplexOfReal(node, x);
  if (!type.real.has_value()) return node.SetOutput(x);
  return node.SetOutput(node.Cast(x, type.real->dtype), type.real->is_uint8);
}

// Another type, device or memory format. The last of these ends all lists of arguments that are
// long enough to have it.
absl::Status MapTo(NodeContext& node) {
  constexpr size_t kLeastWithFormat = 5;
  RETURN_IF_ERROR(SetConverted(node));
  if (node.size() < kLeastWithFormat) return absl::OkStatus();
  const auto* format = node.argument(node.size() - 1).Get<int64_t>();
  if (format != nullptr) LayOut(node, *format);
  return absl::OkStatus();
}

// _cast_Float (x) and the like.
template <DataType kType>
absl::Status MapCast(NodeContext& node) {
  const bool is_uint8 = node.kind() == "aten::_cast_Byte";
  return node.SetOutput(node.Cast(node.GetTensor(0), kType), is_uint8);
}

constexpr char kInference[] = "not in training mode";

constexpr OpMapping kConversionMappings[] = {
    {"aten::contiguous", 1, MapLaidOut, Quantized::kOwn, Result::kViewOrCopy},
    {"aten::clone", 1, MapLaidOut, Quantized::kOwn, Result::kAlike},
    {"aten::detach", 1, MapIdentity, Quantized::kOwn, Result::kOrderedView},
    {"aten::alias", 1, MapIdentity, Quantized::kOwn, Result::kOrderedView},
    {"aten::alias_copy", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::detach_copy", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::cpu", 1, MapIdentity, Quantized::kOwn, Result::kViewOrCopy},
    {"aten::cuda", 1, MapIdentity, Quantized::kOwn, Result::kViewOrCopy},
    {"aten::pin_memory", 1, MapIdentity, Quantized::kOwn, Result::kViewOrCopy},
    {"aten::dropout", 1, MapDropout, Quantized::kOwn, Result::kOrderedView, kInference},
    {"aten::feature_dropout", 1, MapDropout, Quantized::kOwn, Result::kOrderedView, kInference},
    {"aten::feature_alpha_dropout", 1, MapDropout, Quantized::kOwn, Result::kOrderedView,
     kInference},
    {"aten::alpha_dropout", 1, MapDropout, Quantized::kOwn, Result::kOrderedView, kInference},
    {"aten::lift", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::native_dropout", 1, MapNativeDropout, Quantized::kOwn, Result::kAlike, kInference},
    {"aten::positive", 1, MapIdentity, Quantized::kOwn, Result::kView},
    {"aten::resolve_conj", 1, MapIdentity, Quantized::kOwn, Result::kViewOrCopy},
    {"aten::resolve_neg", 1, MapIdentity, Quantized::kOwn, Result::kViewOrCopy},
    {"aten::lift_fresh", 1, MapIdentity, Quantized::kOwn, Result::kOrderedView},
    {"aten::lift_fresh_copy", 1, MapIdentity, Quantized::kOwn, Result::kAlike},
    {"aten::_to_copy", 1, MapTo},
    {"aten::to", 1, MapTo, Result::kViewOrCopy},
    {"aten::_cast_Byte", 1, MapCast<DataType::kInt64>, Result::kViewOrCopy},
    {"aten::_cast_Char", 1, MapCast<DataType::kInt64>, Result::kViewOrCopy},
    {"aten::_cast_Short", 1, MapCast<DataType::kInt64>, Result::kViewOrCopy},
    {"aten::_cast_Int", 1, MapCast<DataType::kInt64>, Result::kViewOrCopy},
    {"aten::_cast_Long", 1, MapCast<DataType::kInt64>, Result::kViewOrCopy},
    {"aten::_cast_Half", 1, MapCast<DataType::kFloat32>, Result::kViewOrCopy},
    {"aten::_cast_Float", 1, MapCast<DataType::kFloat32>, Result::kViewOrCopy},
    {"aten::_cast_Double", 1, MapCast<DataType::kFloat32>, Result::kViewOrCopy},
    {"aten::type_as", 2, MapTo, Result::kViewOrCopy},
    {"prims::convert_element_type", 2, MapTo},
};

}  // namespace

absl::Span<const OpMapping> ConversionMappings() { return kConversionMappings; }

}  // namespace synap_internal::torchscript_import

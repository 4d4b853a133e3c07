#include "compiler/import/torchscript/node_context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::torchscript_import {
namespace {

std::string FirstOutput(const torchscript::Node& node) {
  return node.outputs_size() > 0 ? node.outputs(0).name() : node.kind();
}

}  // namespace

NodeContext::NodeContext(const torchscript::Node& node, std::string kind, std::string origin,
                         std::vector<Value> arguments, ImportState& state)
    : OpEmitter(state.builder, std::move(origin), FirstOutput(node)),
      node_(node),
      kind_(std::move(kind)),
      arguments_(std::move(arguments)),
      state_(state) {}

absl::Status NodeContext::Mismatch(size_t i, absl::string_view expected) const {
  const std::string found = i < size() ? arguments_[i].TypeName() : "missing";
  return absl::InvalidArgumentError(
      absl::StrCat("its argument ", i, " is ", found, ", expected ", expected));
}

Emitted NodeContext::GetTensor(size_t i) const {
  if (i >= size() || !arguments_[i].IsTensor()) return Mismatch(i, "a tensor");
  return TensorOf(arguments_[i]);
}

Emitted NodeContext::GetNumbers(size_t i) {
  if (i < size() && arguments_[i].IsTensor()) return TensorOf(arguments_[i]);
  const std::string suffix = Name(absl::StrCat(".argument", i));
  if (i < size() && (arguments_[i].Get<int64_t>() || arguments_[i].Get<bool>())) {
    ASSIGN_OR_RETURN(const int64_t number, GetInt(i));
    Tensor* scalar = builder().AddScalar(suffix, number);
    return arguments_[i].Get<bool>() ? Cast(scalar, DataType::kBool, ".flag") : scalar;
  }
  ASSIGN_OR_RETURN(const float real, GetReal(i));
  return builder().AddScalar(suffix, real);
}

absl::StatusOr<std::vector<Tensor*>> NodeContext::GetTensors(size_t i) const {
  ASSIGN_OR_RETURN(std::vector<Tensor*> tensors, GetOptionalTensors(i));
  const auto none = std::find(tensors.begin(), tensors.end(), nullptr);
  if (none == tensors.end()) return tensors;
  return absl::InvalidArgumentError(absl::StrCat("its argument ", i, " has None at ",
                                                 none - tensors.begin(), ", expected tensors"));
}

Emitted NodeContext::GetOptionalTensor(size_t i) const { return Has(i) ? GetTensor(i) : nullptr; }

absl::StatusOr<std::vector<Tensor*>> NodeContext::GetOptionalTensors(size_t i) const {
  const List* list = i < size() ? arguments_[i].AsList() : nullptr;
  if (list == nullptr) return Mismatch(i, "a list of tensors");
  std::vector<Tensor*> tensors;
  for (const Value& item : *list) {
    if (item.IsNone()) {
      tensors.push_back(nullptr);
      continue;
    }
    ASSIGN_OR_RETURN(Tensor * tensor, TensorOf(item));
    tensors.push_back(tensor);
  }
  return tensors;
}

absl::StatusOr<int64_t> NodeContext::GetInt(size_t i) const {
  if (i >= size()) return Mismatch(i, "an integer");
  return Annotate(IntOf(arguments_[i]), absl::StrCat("its argument ", i));
}

absl::StatusOr<int64_t> NodeContext::GetAxis(size_t i, size_t rank) const {
  ASSIGN_OR_RETURN(const int64_t axis, GetInt(i));
  return ResolveAxis(axis, rank);
}

absl::StatusOr<int64_t> NodeContext::GetAxisOr(size_t i, size_t rank, int64_t fallback) const {
  ASSIGN_OR_RETURN(const int64_t axis, GetIntOr(i, fallback));
  return ResolveAxis(axis, rank);
}

absl::StatusOr<float> NodeContext::GetReal(size_t i) const {
  ASSIGN_OR_RETURN(const double value, GetDouble(i));
  return static_cast<float>(value);
}

absl::StatusOr<double> NodeContext::GetDouble(size_t i) const {
  if (i >= size()) return Mismatch(i, "a number");
  return Annotate(NumberOf(arguments_[i]), absl::StrCat("its argument ", i));
}

absl::StatusOr<bool> NodeContext::GetBool(size_t i) const {
  ASSIGN_OR_RETURN(const float value, GetReal(i));
  return value != 0;
}

absl::StatusOr<std::string> NodeContext::GetString(size_t i) const {
  const std::string* text = i < size() ? arguments_[i].Get<std::string>() : nullptr;
  if (text == nullptr) return Mismatch(i, "a string");
  return *text;
}

template <typename T>
absl::StatusOr<std::vector<T>> NodeContext::GetItems(
    size_t i, absl::string_view expected, absl::StatusOr<T> (*read)(const Value&)) const {
  const List* list = i < size() ? arguments_[i].AsList() : nullptr;
  if (list == nullptr) return Mismatch(i, expected);
  std::vector<T> items;
  for (const Value& item : *list) {
    ASSIGN_OR_RETURN(const T value, Annotate(read(item), absl::StrCat("in its argument ", i)));
    items.push_back(value);
  }
  return items;
}

absl::StatusOr<std::vector<int64_t>> NodeContext::GetInts(size_t i) const {
  return GetItems(i, "a list of integers", IntOf);
}

absl::StatusOr<std::vector<double>> NodeContext::GetDoubles(size_t i) const {
  return GetItems(i, "a list of numbers", NumberOf);
}

absl::StatusOr<const torchscript::PackedWeights*> NodeContext::GetPacked(size_t i) const {
  const auto* packed =
      i < size() ? arguments_[i].Get<const torchscript::PackedWeights*>() : nullptr;
  if (packed == nullptr) return Mismatch(i, "packed weights");
  return *packed;
}

absl::StatusOr<std::vector<int64_t>> NodeContext::GetIntOrInts(size_t i) const {
  const bool list = i < size() && arguments_[i].AsList() != nullptr;
  return list ? GetInts(i) : GetIntsOf(i, 1);
}

absl::StatusOr<std::vector<int64_t>> NodeContext::GetAxes(size_t i, size_t rank) const {
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, GetIntOrInts(i));
  return ResolveAxes(std::move(axes), rank);
}

absl::StatusOr<std::vector<int64_t>> NodeContext::GetAxesOrAll(size_t i, size_t rank) const {
  if (!Has(i)) return AxesFrom(0, rank);
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, GetAxes(i, rank));
  return axes.empty() ? AxesFrom(0, rank) : axes;
}

absl::StatusOr<std::vector<int64_t>> NodeContext::GetIntsOf(size_t i, size_t count) const {
  if (i < size() && arguments_[i].AsList() == nullptr) {
    ASSIGN_OR_RETURN(const int64_t value, GetInt(i));
    return std::vector<int64_t>(count, value);
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> values, GetInts(i));
  if (values.size() == 1) values.resize(count, values[0]);
  if (values.size() == count) return values;
  return absl::InvalidArgumentError(
      absl::StrCat("its argument ", i, " has ", values.size(), " integers, expected ", count));
}

Emitted NodeContext::Dequantize(Tensor* x, absl::string_view suffix) {
  if (!x->is_constant()) return Emit("dequantize", {x}, {}, suffix);
  // Not through the builder, which would compute it.
  ASSIGN_OR_RETURN(
      Op * op, builder().graph().AddInferredOp("dequantize", {x}, {}, {origin()}, Name(suffix)));
  return op->output();
}

Emitted NodeContext::Quantize(const Emitted& x, const TensorType& type, absl::string_view suffix) {
  ASSIGN_OR_RETURN(Tensor * real, Cast(x, DataType::kFloat32, ".float"));
  return builder().Emit("quantize", {real}, {}, origin(), Name(suffix), &type);
}

absl::Status NodeContext::SetOutput(absl::StatusOr<Value> value) {
  RETURN_IF_ERROR(value.status());
  return SetOutputs({*std::move(value)});
}

absl::Status NodeContext::SetOutput(const Emitted& tensor, std::optional<bool> is_uint8) {
  RETURN_IF_ERROR(tensor.status());
  return SetOutput(Value::Of(*tensor, is_uint8));
}

absl::Status NodeContext::SetTensors(const std::vector<Emitted>& tensors) {
  std::vector<Value> values;
  for (const Emitted& tensor : tensors) {
    RETURN_IF_ERROR(tensor.status());
    values.push_back(Value::Of(*tensor));
  }
  return SetOutputs(std::move(values));
}

bool NodeContext::IsRead(size_t i) const {
  return i < static_cast<size_t>(node_.outputs_size()) &&
         state_.read[node_.outputs(static_cast<int>(i)).id()];
}

void NodeContext::AddUnread(absl::string_view what) {
  while (outputs_.size() < static_cast<size_t>(node_.outputs_size())) {
    outputs_.push_back(Value{Other{std::string(what)}});
  }
}

absl::Status NodeContext::SetList(absl::StatusOr<std::vector<Tensor*>> tensors) {
  RETURN_IF_ERROR(tensors.status());
  List list;
  for (Tensor* tensor : *tensors) list.push_back(Value::Of(tensor));
  return SetOutput(Value::Of(std::move(list)));
}

absl::Status NodeContext::SetOutputs(std::vector<Value> values) {
  outputs_ = std::move(values);
  return absl::OkStatus();
}

}  // namespace synap_internal::torchscript_import

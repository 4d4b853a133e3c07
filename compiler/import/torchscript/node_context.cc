#include "compiler/import/torchscript/node_context.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"

namespace synap_internal::torchscript_import {
namespace {

std::string FirstOutput(const torchscript::Node& node) {
  return node.outputs_size() > 0 ? node.outputs(0).name() : node.kind();
}

// The one element of a constant tensor as what Python would make of it.
Value ItemOf(const Tensor& tensor) {
  if (tensor.type.dtype == DataType::kInt64) return {tensor.values<int64_t>()[0]};
  if (tensor.type.dtype == DataType::kBool) return {tensor.values<uint8_t>()[0] != 0};
  return {static_cast<double>(tensor.values<float>()[0])};
}

// Tensors of one element that are constant become numbers.
absl::StatusOr<Value> AsNumber(const Value& value) {
  if (!value.IsTensor()) return value;
  ASSIGN_OR_RETURN(const Tensor* tensor, TensorOf(value));
  if (!tensor->is_constant()) return NotConstant("value", *tensor);
  const DataType dtype = tensor->type.dtype;
  const bool number =
      dtype == DataType::kInt64 || dtype == DataType::kBool || dtype == DataType::kFloat32;
  if (tensor->type.shape.elements() != 1 || !number) return value;
  return ItemOf(*tensor);
}

}  // namespace

absl::StatusOr<int64_t> IntOf(const Value& given) {
  ASSIGN_OR_RETURN(const Value value, AsNumber(given));
  if (const auto* number = value.Get<int64_t>()) return *number;
  if (const auto* flag = value.Get<bool>()) return int64_t{*flag};
  return absl::InvalidArgumentError(absl::StrCat("a ", value.TypeName(), ", expected an integer"));
}

absl::StatusOr<double> NumberOf(const Value& given) {
  ASSIGN_OR_RETURN(const Value value, AsNumber(given));
  if (const auto* real = value.Get<double>()) return *real;
  if (const auto* number = value.Get<int64_t>()) return static_cast<double>(*number);
  if (const auto* flag = value.Get<bool>()) return *flag ? 1.0 : 0.0;
  return absl::InvalidArgumentError(absl::StrCat("a ", value.TypeName(), ", expected a number"));
}

absl::StatusOr<Tensor*> TensorOf(const Value& value) {
  const auto* variable = value.Get<std::shared_ptr<Variable>>();
  if (variable == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("a ", value.TypeName(), ", expected a tensor"));
  }
  if ((*variable)->current()) return (*variable)->tensor;
  return absl::UnimplementedError(absl::StrCat(
      "'", (*variable)->tensor->name, "' shares its memory with what was changed in place before"));
}

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

absl::StatusOr<Tensor*> NodeContext::GetTensor(size_t i) const {
  if (i >= size() || !arguments_[i].IsTensor()) return Mismatch(i, "a tensor");
  return TensorOf(arguments_[i]);
}

absl::StatusOr<Tensor*> NodeContext::GetNumbers(size_t i) {
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

absl::StatusOr<Tensor*> NodeContext::GetOptionalTensor(size_t i) const {
  return Has(i) ? GetTensor(i) : nullptr;
}

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

absl::Status NodeContext::SetOutput(absl::StatusOr<Value> value) {
  RETURN_IF_ERROR(value.status());
  return SetOutputs({*std::move(value)});
}

absl::Status NodeContext::SetOutput(absl::StatusOr<Tensor*> tensor) {
  RETURN_IF_ERROR(tensor.status());
  return SetOutput(Value::Of(*tensor));
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

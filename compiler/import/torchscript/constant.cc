// Operators that make tensors of constants.
#include "compiler/import/emit/constant.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

using Dims = std::vector<int64_t>;

// torch.get_default_dtype()
constexpr DataType kDefaultReal = DataType::kFloat32;

// `value` everywhere, of the type that argument `at` names, or the fallback.
absl::Status SetFilled(NodeContext& node, Tensor* value, size_t at, DataType fallback, Dims dims) {
  const Shape shape(dims);
  RETURN_IF_ERROR(shape.Validate());
  ASSIGN_OR_RETURN(const NamedType type, GetTypeOr(node, at, fallback));
  const Emitted typed = node.Cast(value, type.dtype, ".value");
  return node.SetOutput(node.Emit("expand", {typed}, {{"shape", std::move(dims)}}), type.is_uint8);
}

// A tensor of `dims` full of 0, of 1 or of the number at argument `at`, of the type that the next
// argument names or, without one, `fallback`.
absl::Status SetNumber(NodeContext& node, Dims dims, size_t at, std::optional<DataType> fallback) {
  const std::string& kind = node.kind();
  if (absl::StrContains(kind, "full")) {
    ASSIGN_OR_RETURN(Tensor * value, node.GetNumbers(at));
    return SetFilled(node, value, at + 1, fallback.value_or(value->type.dtype), std::move(dims));
  }
  Tensor* value = node.Scalar(absl::StrContains(kind, "one") ? 1 : 0, ".value");
  return SetFilled(node, value, at, fallback.value_or(DataType::kFloat32), std::move(dims));
}

// zeros, ones, empty (size, dtype, ...): here the last has zeros; full (size, value, dtype, ...);
// empty_strided (size, stride, dtype, ...) and empty_permuted (size, order, dtype, ...), with what
// comes next at `kNext`
template <size_t kNext>
absl::Status MapFull(NodeContext& node) {
  ASSIGN_OR_RETURN(Dims dims, node.GetInts(0));
  return SetNumber(node, std::move(dims), kNext, std::nullopt);
}

// zero (x); zeros_like, ones_like, empty_like (x, dtype, ...); full_like (x, value, dtype, ...)
absl::Status MapFullLike(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  return SetNumber(node, x->type.shape.dims(), 1, x->type.dtype);
}

// (number, dtype, ...)
absl::Status MapScalarTensor(NodeContext& node) {
  ASSIGN_OR_RETURN(Tensor * value, node.GetNumbers(0));
  const DataType number = value->type.dtype;
  return SetTypedConstant(node, value, 1, node.argument(0).IsTensor() ? number : kDefaultReal);
}

// new_zeros, new_ones, new_empty (x, size, dtype, ...); new_full (x, size, value, dtype, ...);
// new_empty_strided (x, size, stride, dtype, ...), likewise
template <size_t kNext>
absl::Status MapNewFull(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  ASSIGN_OR_RETURN(Dims dims, node.GetInts(1));
  return SetNumber(node, std::move(dims), kNext, x->type.dtype);
}

// Whether the first `count` numbers are integers.
bool AreIntegers(const NodeContext& node, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Value& value = node.argument(i);
    if (value.Get<double>() != nullptr) return false;
    const auto* variable = value.Get<std::shared_ptr<Variable>>();
    if (variable != nullptr && (*variable)->tensor->type.dtype == DataType::kFloat32) return false;
  }
  return true;
}

// As many float32 as `size`, of which a file may ask for too many.
absl::Status ChargeReals(NodeContext& node, int64_t size) {
  return node.builder().Charge(
      size <= Shape::kMaxElements ? size * static_cast<int64_t>(sizeof(float)) : size);
}

// start, start + step, ... before `end`, each computed in double.
Emitted EmitRealArange(NodeContext& node, const double (&range)[3]) {
  const auto [start, end, step] = range;
  const double size = std::ceil((end - start) / step);
  if (!(size <= static_cast<double>(Shape::kMaxElements)) || !std::isfinite(start)) {
    return absl::InvalidArgumentError(absl::StrCat("its range from ", start, " to ", end,
                                                   " in steps of ", step,
                                                   " has no end that can be held, expected fewer "
                                                   "elements"));
  }
  const auto count = static_cast<int64_t>(std::max(size, 0.0));
  RETURN_IF_ERROR(ChargeReals(node, count));
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(start + step * static_cast<double>(i)));
  }
  return node.builder().AddFloats(node.Name(".range"), values);
}

// (end, dtype, layout, device, pin_memory), (start, end, ...) or (start, end, step, ...): four
// options follow the numbers.
absl::Status MapArange(NodeContext& node) {
  const size_t count = node.size() - kConstantOptions;
  if (count < 1 || count > 3) {
    return absl::UnimplementedError(
        absl::StrCat("it has ", node.size(), " arguments, expected 1 to 3 numbers and 4 options"));
  }
  const bool integers = AreIntegers(node, count);
  int64_t whole[] = {0, 0, 1};
  double real[] = {0, 0, 1};
  for (size_t i = 0; i < count; ++i) {
    const size_t to = count == 1 ? 1 : i;
    ASSIGN_OR_RETURN(real[to], node.GetDouble(i));
    if (integers) {
      ASSIGN_OR_RETURN(whole[to], node.GetInt(i));
    }
  }
  const Emitted y = integers ? EmitRange(node, whole[0], whole[1], whole[2], ".range")
                             : EmitRealArange(node, real);
  return SetTypedConstant(node, y, count, integers ? DataType::kInt64 : kDefaultReal);
}

// (start, end, steps, ...): both ends are included.
Emitted EmitLinspace(NodeContext& node, absl::string_view suffix) {
  ASSIGN_OR_RETURN(const float start, node.GetReal(0));
  ASSIGN_OR_RETURN(const float end, node.GetReal(1));
  ASSIGN_OR_RETURN(const int64_t steps, node.GetInt(2));
  if (steps < 0) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", steps, " steps, expected 0 or more"));
  }
  RETURN_IF_ERROR(ChargeReals(node, steps));
  // From both ends, as PyTorch does.
  const float step = steps > 1 ? (end - start) / static_cast<float>(steps - 1) : 0;
  std::vector<float> values;
  for (int64_t i = 0; i < steps; ++i) {
    values.push_back(i < steps / 2 ? start + step * static_cast<float>(i)
                                   : end - step * static_cast<float>(steps - 1 - i));
  }
  if (steps == 1) values[0] = start;
  return node.builder().AddFloats(node.Name(suffix), values);
}

// (start, end, steps, dtype, ...)
absl::Status MapLinspace(NodeContext& node) {
  return SetTypedConstant(node, EmitLinspace(node, ".steps"), 3, kDefaultReal);
}

// (start, end, steps, base, dtype, ...): powers of the base.
absl::Status MapLogspace(NodeContext& node) {
  ASSIGN_OR_RETURN(const float base, node.GetRealOr(3, 10));
  const Emitted exponents = EmitLinspace(node, ".exponents");
  const Emitted y = node.Emit("pow", {node.Scalar(base, ".base"), exponents}, {}, ".powers");
  return SetTypedConstant(node, y, 4, kDefaultReal);
}

// Collects the numbers of nested lists in row-major order, and the lengths of the lists.
absl::Status Collect(const Value& value, size_t depth, Dims& dims, std::vector<Value>& numbers) {
  const List* list = value.AsList();
  if (list == nullptr) {
    numbers.push_back(value);
    return absl::OkStatus();
  }
  if (depth >= Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("its lists are nested deeper than ", Shape::kMaxRank, " dimensions"));
  }
  if (depth == dims.size()) dims.push_back(static_cast<int64_t>(list->size()));
  if (dims[depth] != static_cast<int64_t>(list->size())) {
    return absl::InvalidArgumentError(
        "its lists have different lengths, expected one length for each dimension");
  }
  for (const Value& item : *list) RETURN_IF_ERROR(Collect(item, depth + 1, dims, numbers));
  return absl::OkStatus();
}

// (data, dtype, ...)
absl::Status MapTensor(NodeContext& node) {
  Dims dims;
  std::vector<Value> numbers;
  RETURN_IF_ERROR(Collect(node.argument(0), 0, dims, numbers));
  bool integers = true;
  std::vector<float> reals;
  for (const Value& number : numbers) {
    integers &= number.Get<int64_t>() != nullptr || number.Get<bool>() != nullptr;
    ASSIGN_OR_RETURN(const double real, NumberOf(number));
    reals.push_back(static_cast<float>(real));
  }
  Tensor* y = nullptr;
  if (integers) {
    Dims whole;
    for (const Value& number : numbers) {
      ASSIGN_OR_RETURN(const int64_t integer, IntOf(number));
      whole.push_back(integer);
    }
    y = node.builder().AddInts(node.Name(".values"), whole);
  } else {
    y = node.builder().AddFloats(node.Name(".values"), reals);
  }
  return SetTypedConstant(node, node.Reshape(y, std::move(dims), ".shaped"), 1, y->type.dtype);
}

constexpr OpMapping kConstantMappings[] = {
    {"aten::zeros", 1, MapFull<1>},
    {"aten::ones", 1, MapFull<1>},
    {"aten::full", 2, MapFull<1>},
    {"aten::zero", 1, MapFullLike},
    {"aten::zeros_like", 1, MapFullLike},
    {"aten::ones_like", 1, MapFullLike},
    {"aten::full_like", 2, MapFullLike},
    {"aten::new_zeros", 2, MapNewFull<2>},
    {"aten::new_ones", 2, MapNewFull<2>},
    {"aten::new_full", 3, MapNewFull<2>},
    {"aten::scalar_tensor", 1, MapScalarTensor},
    {"prims::scalar_tensor", 1, MapScalarTensor},
    {"aten::empty", 1, MapFull<1>},
    {"aten::empty_like", 1, MapFullLike},
    {"aten::new_empty", 2, MapNewFull<2>},
    {"aten::empty_strided", 2, MapFull<2>},
    {"aten::empty_permuted", 2, MapFull<2>},
    {"aten::new_empty_strided", 3, MapNewFull<3>},
    {"aten::arange", 5, MapArange},
    {"aten::linspace", 3, MapLinspace},
    {"aten::logspace", 3, MapLogspace},
    {"aten::tensor", 1, MapTensor},
};

}  // namespace

absl::Span<const OpMapping> ConstantMappings() { return kConstantMappings; }

}  // namespace synap_internal::torchscript_import

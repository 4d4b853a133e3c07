// Operators of Python values (numbers, lists, questions about shapes), which are computed while a
// module is imported.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/torchscript/op_table.h"
#include "compiler/import/torchscript/scalar_type.h"

namespace synap_internal::torchscript_import {
namespace {

List ArgumentsOf(const NodeContext& node) {
  List list;
  for (size_t i = 0; i < node.size(); ++i) list.push_back(node.argument(i));
  return list;
}

absl::Status MapListConstruct(NodeContext& node) {
  return node.SetOutput(Value::Of(ArgumentsOf(node)));
}

// Keys and values take turns. Of a dictionary only its values are kept, in their order, as a list:
// its keys are strings and its values aren't, so that no index or value is taken for a key.
absl::Status MapDictConstruct(NodeContext& node) {
  absl::flat_hash_set<std::string> keys;
  List values;
  for (size_t i = 0; i + 1 < node.size(); i += 2) {
    const auto* key = node.argument(i).Get<std::string>();
    if (key == nullptr || node.argument(i + 1).Get<std::string>() != nullptr) {
      return absl::UnimplementedError(absl::StrCat("it makes a dictionary of ",
                                                   node.argument(i).TypeName(), " and ",
                                                   node.argument(i + 1).TypeName()));
    }
    if (!keys.insert(*key).second) {
      return absl::UnimplementedError(absl::StrCat("its dictionary has '", *key, "' twice"));
    }
    values.push_back(node.argument(i + 1));
  }
  return node.SetOutput(Value::Of(std::move(values)));
}

absl::StatusOr<List*> GetList(const NodeContext& node) {
  List* list = node.argument(0).AsList();
  if (list != nullptr) return list;
  return absl::UnimplementedError(absl::StrCat("its argument 0 is ", node.argument(0).TypeName()));
}

absl::Status MapUnpack(NodeContext& node) {
  ASSIGN_OR_RETURN(const List* list, GetList(node));
  if (list->size() != static_cast<size_t>(node.node().outputs_size())) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", node.node().outputs_size(),
                                                   " outputs for ", list->size(), " values"));
  }
  return node.SetOutputs(*list);
}

absl::Status MapGetItem(NodeContext& node) {
  ASSIGN_OR_RETURN(const List* list, GetList(node));
  ASSIGN_OR_RETURN(const int64_t index, node.GetAxis(1, list->size()));
  return node.SetOutput((*list)[static_cast<size_t>(index)]);
}

// Lists that others change may only get lists without lists, so that none contains itself.
absl::Status CheckItem(const List* list, const Value& item) {
  List* inner = item.AsList();
  if (inner == nullptr) return absl::OkStatus();
  const bool flat = std::none_of(inner->begin(), inner->end(),
                                 [](const Value& value) { return value.AsList() != nullptr; });
  if (inner != list && flat) return absl::OkStatus();
  return absl::UnimplementedError("it puts a list of lists into a list");
}

absl::Status MapSetItem(NodeContext& node) {
  ASSIGN_OR_RETURN(List * list, GetList(node));
  ASSIGN_OR_RETURN(const int64_t index, node.GetAxis(1, list->size()));
  RETURN_IF_ERROR(CheckItem(list, node.argument(2)));
  (*list)[static_cast<size_t>(index)] = node.argument(2);
  return node.SetOutput(node.argument(0));
}

absl::Status MapAppend(NodeContext& node) {
  ASSIGN_OR_RETURN(List * list, GetList(node));
  List items = {node.argument(1)};
  if (node.kind() == "aten::extend") {
    const List* tail = node.argument(1).AsList();
    if (tail == nullptr) return absl::InvalidArgumentError("it extends a list by something else");
    items = *tail;
  }
  for (const Value& item : items) RETURN_IF_ERROR(CheckItem(list, item));
  // Loops can double a list over and over.
  RETURN_IF_ERROR(node.builder().Charge(static_cast<int64_t>(items.size() * sizeof(Value))));
  list->insert(list->end(), items.begin(), items.end());
  return node.SetOutput(node.argument(0));
}

absl::Status MapCopyList(NodeContext& node) {
  ASSIGN_OR_RETURN(const List* list, GetList(node));
  RETURN_IF_ERROR(node.builder().Charge(static_cast<int64_t>(list->size() * sizeof(Value))));
  return node.SetOutput(Value::Of(*list));
}

absl::Status MapContains(NodeContext& node) {
  ASSIGN_OR_RETURN(const List* list, GetList(node));
  bool found = false;
  for (const Value& item : *list) {
    ASSIGN_OR_RETURN(const Value equal, ScalarBinary("aten::eq", item, node.argument(1)));
    found |= *equal.Get<bool>();
  }
  return node.SetOutput(Value{found});
}

absl::Status MapLen(NodeContext& node) {
  if (node.argument(0).IsTensor()) {
    ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
    if (x->type.shape.rank() == 0) return absl::InvalidArgumentError("a scalar has no length");
    return node.SetOutput(Value{x->type.shape[0]});
  }
  if (const auto* text = node.argument(0).Get<std::string>(); text != nullptr) {
    return node.SetOutput(Value{static_cast<int64_t>(text->size())});
  }
  ASSIGN_OR_RETURN(const List* list, GetList(node));
  return node.SetOutput(Value{static_cast<int64_t>(list->size())});
}

absl::Status MapSize(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  const Shape& shape = x->type.shape;
  if (node.Has(1)) {
    ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, shape.rank()));
    return node.SetOutput(Value{shape[static_cast<size_t>(axis)]});
  }
  List dims;
  for (const int64_t dim : shape.dims()) dims.push_back(Value{dim});
  return node.SetOutput(Value::Of(std::move(dims)));
}

// _shape_as_tensor (x)
absl::Status MapShapeAsTensor(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  Tensor* shape = node.builder().AddInts(node.Name(".shape"), x->type.shape.dims());
  return node.SetOutput(shape, false);
}

absl::Status UnknownLayout() {
  return absl::UnimplementedError(
      "it asks where a view has its elements in memory, which the compiler decides");
}

// (x, memory format): only a yes is certain, since views that may lie in another order needn't.
absl::Status MapIsContiguous(NodeContext& node) {
  RETURN_IF_ERROR(node.GetTensor(0).status());
  ASSIGN_OR_RETURN(const int64_t format, node.GetIntOr(1, kContiguousFormat));
  const auto* variable = node.argument(0).Get<std::shared_ptr<Variable>>();
  const bool in_order = variable != nullptr && (*variable)->lies_in_order();
  if (!in_order || format != kContiguousFormat) return UnknownLayout();
  return node.SetOutput(Value{true});
}

// stride (x) or (x, dim), storage_offset (x).
absl::Status MapMemoryLayout(NodeContext& node) {
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  const auto* variable = node.argument(0).Get<std::shared_ptr<Variable>>();
  if (variable == nullptr || (*variable)->is_strided) return UnknownLayout();
  if (absl::EndsWith(node.kind(), "storage_offset")) return node.SetOutput(Value{int64_t{0}});
  const Shape& shape = x->type.shape;
  List strides(shape.rank());
  int64_t stride = 1;
  for (size_t d = shape.rank(); d-- > 0; stride *= std::max<int64_t>(shape[d], 1)) {
    strides[d] = Value{stride};
  }
  if (!node.Has(1)) return node.SetOutput(Value::Of(std::move(strides)));
  ASSIGN_OR_RETURN(const int64_t axis, node.GetAxis(1, shape.rank()));
  return node.SetOutput(strides[static_cast<size_t>(axis)]);
}

absl::Status MapQuestion(NodeContext& node) {
  const std::string& kind = node.kind();
  ASSIGN_OR_RETURN(const Tensor* x, node.GetTensor(0));
  const Shape& shape = x->type.shape;
  if (kind == "aten::dim") return node.SetOutput(Value{static_cast<int64_t>(shape.rank())});
  if (kind == "aten::numel" || kind == "aten::sym_numel")
    return node.SetOutput(Value{shape.elements()});
  if (kind == "prim::dtype") return node.SetOutput(Value{ScalarTypeOf(x->type)});
  if (kind == "prim::device") return node.SetOutput(Value{std::string("cpu")});
  if (kind == "aten::is_floating_point") {
    return node.SetOutput(Value{x->type.dtype == DataType::kFloat32});
  }
  return node.SetOutput(Value{kind == "prim::is_quantized" && x->type.quant.quantized()});
}

// Modules ask whether they are trained.
absl::Status MapFalse(NodeContext& node) { return node.SetOutput(Value{false}); }

absl::Status MapDeviceType(NodeContext& node) { return node.SetOutput(Value{std::string("cpu")}); }

// A number as a tensor.
absl::Status MapNumToTensor(NodeContext& node) {
  if (node.argument(0).IsTensor()) {
    return node.SetOutput(node.argument(0));
  }
  return node.SetOutput(node.GetNumbers(0));
}

// Python code, a branch or a loop perhaps, needs the number of a tensor.
absl::Status AboutNumber(const absl::Status& error, const Value& value) {
  if (!value.IsTensor()) return error;
  return absl::Status(
      error.code(),
      absl::StrCat(error.message(), "; the module's code needs its number, which ",
                   "torch.jit.trace(model.eval(), example) takes from the example for good"));
}

// A constant tensor of one element as a number, and conversions between numbers.
absl::Status MapToNumber(NodeContext& node) {
  const std::string& kind = node.kind();
  if (const std::string* text = node.argument(0).Get<std::string>(); text != nullptr) {
    return absl::UnimplementedError(absl::StrCat("it reads the number '", *text, "'"));
  }
  const absl::StatusOr<double> number = node.GetDouble(0);
  if (!number.ok()) return AboutNumber(number.status(), node.argument(0));
  const double real = *number;
  const bool integral = absl::StartsWith(kind, "aten::Int") || kind == "aten::item" ||
                        kind == "aten::_local_scalar_dense" || kind == "aten::ScalarImplicit";
  if (absl::StartsWith(kind, "aten::Bool")) return node.SetOutput(Value{real != 0});
  absl::StatusOr<int64_t> integer = node.GetInt(0);
  if (integral && integer.ok()) return node.SetOutput(Value{*integer});
  if (kind != "aten::Int") return node.SetOutput(Value{real});
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(std::abs(real) < kLimit)) {
    return absl::InvalidArgumentError(absl::StrCat(real, " is outside of the 64-bit integers"));
  }
  return node.SetOutput(Value{static_cast<int64_t>(real)});
}

// The larger or smaller of two numbers, or of a list.
absl::Status MapNumberExtremum(NodeContext& node) {
  List items;
  if (node.size() == 1) {
    ASSIGN_OR_RETURN(const List* list, GetList(node));
    items = *list;
  } else {
    items = ArgumentsOf(node);
  }
  if (items.empty()) return absl::InvalidArgumentError("its list is empty");
  Value best = items[0];
  for (const Value& item : items) {
    ASSIGN_OR_RETURN(best, ScalarBinary(node.kind(), best, item));
  }
  return node.SetOutput(best);
}

absl::Status MapNumberBinary(NodeContext& node) {
  return node.SetOutput(ScalarBinary(node.kind(), node.argument(0), node.argument(1)));
}

absl::Status MapNot(NodeContext& node) {
  ASSIGN_OR_RETURN(const bool value, node.GetBool(0));
  return node.SetOutput(Value{!value});
}

// (condition, a, b): a if the condition is true, else b.
absl::Status MapChoice(NodeContext& node) {
  ASSIGN_OR_RETURN(const bool condition, node.GetBool(0));
  return node.SetOutput(node.argument(condition ? 1 : 2));
}

absl::Status MapSameValue(NodeContext& node) { return node.SetOutput(node.argument(0)); }

// Text for messages, which aren't shown: whether there is one may matter.
absl::Status MapText(NodeContext& node) {
  const auto* text = node.size() > 0 ? node.argument(0).Get<std::string>() : nullptr;
  return node.SetOutput(Value{text != nullptr ? *text : std::string("...")});
}

absl::Status MapNothing(NodeContext& node) { return node.SetOutputs({}); }

absl::Status MapUninitialized(NodeContext& node) {
  return node.SetOutput(Value{Other{"uninitialized"}});
}

absl::Status MapRaise(NodeContext& node) {
  (void)node;
  return absl::InvalidArgumentError("the module raises an exception for inputs of these shapes");
}

// The number of steps of a for loop over range(start, end, step), and its variable.
absl::Status MapRangeLength(NodeContext& node) {
  ASSIGN_OR_RETURN(const int64_t start, node.GetInt(0));
  ASSIGN_OR_RETURN(const int64_t end, node.GetInt(1));
  ASSIGN_OR_RETURN(const int64_t step, node.GetInt(2));
  ASSIGN_OR_RETURN(const AxisSlice range, ResolveRange(start, end, step));
  return node.SetOutput(Value{range.size});
}

absl::Status MapDeriveIndex(NodeContext& node) {
  ASSIGN_OR_RETURN(const Value scaled,
                   ScalarBinary("aten::mul", node.argument(0), node.argument(2)));
  return node.SetOutput(ScalarBinary("aten::add", scaled, node.argument(1)));
}

constexpr char kConstantNumbers[] = "constants; compute with tensors of one element instead";
constexpr char kLists[] = "a list or a tuple";
constexpr char kNumbers[] = "numbers, or a list or a tuple of them";
constexpr char kFlatItems[] = "a list, and items that aren't lists of lists";

constexpr OpMapping kPythonMappings[] = {
    {"prim::ListConstruct", 0, MapListConstruct, Quantized::kOwn},
    {"prim::TupleConstruct", 0, MapListConstruct, Quantized::kOwn},
    {"prim::DictConstruct", 0, MapDictConstruct, Quantized::kOwn, "keys of str, each once"},
    {"prim::ListUnpack", 1, MapUnpack, Quantized::kOwn, Result::kView, kLists},
    {"prim::TupleUnpack", 1, MapUnpack, Quantized::kOwn, Result::kOperand, kLists},
    {"prim::TupleIndex", 2, MapGetItem, Quantized::kOwn, Result::kOperand, kLists},
    {"aten::__getitem__", 2, MapGetItem, Quantized::kOwn, Result::kOperand, kLists},
    {"aten::_set_item", 3, MapSetItem, Quantized::kOwn, kFlatItems},
    {"aten::append", 2, MapAppend, Quantized::kOwn, kFlatItems},
    {"aten::extend", 2, MapAppend, Quantized::kOwn, kFlatItems},
    {"aten::list", 1, MapCopyList, Quantized::kOwn, kLists},
    {"aten::__contains__", 2, MapContains, Quantized::kOwn, kLists},
    {"aten::len", 1, MapLen, Quantized::kOwn, "a tensor, a list, a tuple or a string"},
    {"aten::size", 1, MapSize, Quantized::kOwn},
    {"aten::dim", 1, MapQuestion, Quantized::kOwn},
    {"aten::numel", 1, MapQuestion, Quantized::kOwn},
    {"aten::sym_size", 1, MapSize, Quantized::kOwn},
    {"aten::sym_numel", 1, MapQuestion, Quantized::kOwn},
    {"torch::sym_ite", 3, MapChoice},
    {"aten::_shape_as_tensor", 1, MapShapeAsTensor, Quantized::kOwn},
    {"aten::is_contiguous", 1, MapIsContiguous, Quantized::kOwn},
    {"aten::sym_is_contiguous", 1, MapIsContiguous, Quantized::kOwn},
    {"aten::stride", 1, MapMemoryLayout, Quantized::kOwn},
    {"aten::sym_stride", 1, MapMemoryLayout, Quantized::kOwn},
    {"aten::storage_offset", 1, MapMemoryLayout, Quantized::kOwn},
    {"aten::sym_storage_offset", 1, MapMemoryLayout, Quantized::kOwn},
    {"aten::is_floating_point", 1, MapQuestion, Quantized::kOwn},
    {"prim::dtype", 1, MapQuestion, Quantized::kOwn},
    {"prim::device", 1, MapQuestion, Quantized::kOwn},
    {"prim::is_cuda", 1, MapQuestion, Quantized::kOwn},
    {"prim::is_nested", 1, MapQuestion, Quantized::kOwn},
    {"prim::type", 1, MapDeviceType, Quantized::kOwn},
    {"prim::requires_grad", 0, MapFalse, Quantized::kOwn},
    {"aten::is_grad_enabled", 0, MapFalse, Quantized::kOwn},
    {"aten::is_autocast_enabled", 0, MapFalse, Quantized::kOwn},
    {"prim::is_quantized", 1, MapQuestion, Quantized::kOwn},
    {"prim::NumToTensor", 1, MapNumToTensor},
    {"aten::Int", 1, MapToNumber, kConstantNumbers},
    {"aten::IntImplicit", 1, MapToNumber, kConstantNumbers},
    {"aten::Float", 1, MapToNumber, kConstantNumbers},
    {"aten::FloatImplicit", 1, MapToNumber, kConstantNumbers},
    {"aten::Bool", 1, MapToNumber, kConstantNumbers},
    {"aten::ScalarImplicit", 1, MapToNumber, kConstantNumbers},
    {"aten::item", 1, MapToNumber, kConstantNumbers},
    {"aten::_local_scalar_dense", 1, MapToNumber, kConstantNumbers},
    {"prim::min", 1, MapNumberExtremum, kNumbers},
    {"prim::max", 1, MapNumberExtremum, kNumbers},
    {"aten::floordiv", 2, MapNumberBinary},
    {"aten::__is__", 2, MapNumberBinary, Quantized::kOwn},
    {"aten::__isnot__", 2, MapNumberBinary, Quantized::kOwn},
    {"aten::__not__", 1, MapNot},
    {"aten::__range_length", 3, MapRangeLength},
    {"aten::__derive_index", 3, MapDeriveIndex},
    {"prim::unchecked_cast", 1, MapSameValue, Quantized::kOwn, Result::kOperand},
    {"prim::unchecked_unwrap_optional", 1, MapSameValue, Quantized::kOwn, Result::kOperand},
    {"aten::_unwrap_optional", 1, MapSameValue, Quantized::kOwn, Result::kOperand},
    {"prim::data", 1, MapSameValue, Quantized::kOwn, Result::kOperand},
    {"prim::Uninitialized", 0, MapUninitialized},
    {"prim::RaiseException", 0, MapRaise},
    {"aten::format", 0, MapText, Quantized::kOwn},
    {"aten::str", 0, MapText, Quantized::kOwn},
    {"aten::warn", 0, MapNothing, Quantized::kOwn},
    {"prim::Print", 0, MapNothing, Quantized::kOwn},
    {"aten::_assert_async", 0, MapNothing, Quantized::kOwn},
    {"aten::_assert_scalar", 0, MapNothing, Quantized::kOwn},
    {"aten::_assert_tensor_metadata", 0, MapNothing, Quantized::kOwn},
    {"aten::sym_constrain_range", 0, MapNothing, Quantized::kOwn},
    {"aten::sym_constrain_range_for_size", 0, MapNothing, Quantized::kOwn},
};

}  // namespace

absl::Span<const OpMapping> PythonMappings() { return kPythonMappings; }

}  // namespace synap_internal::torchscript_import

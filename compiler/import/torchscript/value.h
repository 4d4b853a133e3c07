// Value of a TorchScript graph during import: a tensor of our graph, or a Python value
// (number, string, list, ...), with Python's arithmetic on numbers, by which modules compute
// shapes.
#ifndef COMPILER_IMPORT_TORCHSCRIPT_VALUE_H_
#define COMPILER_IMPORT_TORCHSCRIPT_VALUE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/graph/graph.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/graph_builder.h"
#include "compiler/import/torchscript/script_graph.pb.h"

namespace synap_internal::torchscript_import {

struct Variable;

// The part of a tensor that a slice, or with one element a selection, is.
struct Region {
  int64_t axis = 0;
  AxisSlice slice;
};

// Complex numbers as two tensors of float32 of one shape.
struct Complex {
  Tensor* real = nullptr;
  Tensor* imaginary = nullptr;  // null if all are 0: real numbers

  bool is_real() const { return imaginary == nullptr; }
};

// Write `number` of a storage, to a part of `whole`.
struct Write {
  int number = 0;
  std::weak_ptr<const Variable> whole;
  Region region;
};

// The memory that a tensor shares with its views: how often it was written to.
struct Storage {
  int writes = 0;
  bool kept = false;       // from one call of forward() to the next
  std::vector<Write> log;  // of writes to parts, one for each whole that they are parts of
};

// A tensor variable. A write in place makes it, and the tensor that it is a view of, stand for
// another tensor of the graph; other views of the same memory are then out of date (views.h).
struct Variable {
  Tensor* tensor = nullptr;
  // Of complex numbers, whose real parts `tensor` has; null of others.
  Tensor* imaginary = nullptr;
  std::shared_ptr<Storage> storage = std::make_shared<Storage>();
  int seen_writes = 0;
  int shape_changes = 0;  // in place
  // What it is a view of; null if it is none, or may be a copy.
  std::shared_ptr<Variable> whole;
  int whole_shape = 0;           // the whole's shape_changes when the view was made
  std::optional<Region> region;  // of the whole; nothing: all of it
  bool in_order = false;         // without a region: its elements are in the order of the whole's
  // Emits the view again, of what its whole is by then; null if that isn't possible.
  std::function<Emitted()> remake = nullptr;
  // A view, or what was computed of one, whose elements may lie in memory in another order than its
  // own.
  bool is_strided = false;
  // Its elements are in their own order all the same, though they may begin within those of another
  // tensor: what aten::contiguous gives.
  bool is_contiguous = false;

  // Whether its elements lie in memory in their order, one after the other, as far as that is
  // known.
  bool lies_in_order() const { return !is_strided || is_contiguous; }
  // Whether PyTorch has it as uint8, which flows as int64: as an index it is a mask. Nothing: as
  // what it is a view of or was computed of, or no.
  std::optional<bool> is_uint8;

  bool current() const { return seen_writes == storage->writes; }
};

struct Value;
using List = std::vector<Value>;

struct None {};

// A value that no supported operator reads: its type in the module.
struct Other {
  std::string type;
};

// Lists are shared, as Python's are: all holders see an appended item. Tuples
// and dictionaries (their values) are lists.
struct Value {
  std::variant<None, std::shared_ptr<Variable>, int64_t, double, bool, std::string,
               std::shared_ptr<List>, const torchscript::PackedWeights*, Other>
      data;

  static Value Of(Tensor* tensor, std::optional<bool> is_uint8 = std::nullopt) {
    auto variable = std::make_shared<Variable>();
    variable->tensor = tensor;
    variable->is_uint8 = is_uint8;
    return {variable};
  }
  static Value Of(const Complex& numbers) {
    auto variable = std::make_shared<Variable>();
    variable->tensor = numbers.real;
    variable->imaginary = numbers.imaginary;
    return {variable};
  }
  static Value Of(List items) { return {std::make_shared<List>(std::move(items))}; }

  template <typename T>
  const T* Get() const {
    return std::get_if<T>(&data);
  }
  bool IsNone() const { return Get<None>() != nullptr; }
  bool IsTensor() const { return Get<std::shared_ptr<Variable>>() != nullptr; }
  bool IsComplex() const { return IsTensor() && (*Get<std::shared_ptr<Variable>>())->imaginary; }
  bool IsScalar() const { return Get<int64_t>() || Get<double>() || Get<bool>(); }
  // Null unless it is a list.
  List* AsList() const {
    const auto* list = Get<std::shared_ptr<List>>();
    return list == nullptr ? nullptr : list->get();
  }

  // "int", "Tensor", for messages.
  std::string TypeName() const;
};

// A number, also that of a constant tensor of one element; InvalidArgument for others.
absl::StatusOr<int64_t> IntOf(const Value& value);
absl::StatusOr<double> NumberOf(const Value& value);
// The tensor of a value that is one, up to date. Unimplemented if it has complex numbers.
Emitted TensorOf(const Value& value);
// The same with the imaginary parts.
absl::StatusOr<Complex> ComplexOf(const Value& value);

// `kind` ("aten::add") of two numbers, strings, lists or Nones. Integers wrap.
// InvalidArgument where Python raises an exception, Unimplemented for other
// operators and for tensors.
absl::StatusOr<Value> ScalarBinary(absl::string_view kind, const Value& a, const Value& b);

// 2^53: up to it a double holds every integer.
inline constexpr double kMaxExactInteger = 9007199254740992.0;

}  // namespace synap_internal::torchscript_import

#endif  // COMPILER_IMPORT_TORCHSCRIPT_VALUE_H_

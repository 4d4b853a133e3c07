// Sequences of tensors that the model makes itself, and optional values: lists, and what may be
// absent, exist only while it is imported.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/constant_operand.h"
#include "compiler/import/emit/axes.h"
#include "compiler/import/emit/slice.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal::onnx_import {
namespace {

absl::StatusOr<Sequence> ReadSequence(const NodeContext& node) {
  absl::StatusOr<Value> value = node.Operand(0);
  if (value.ok() && value->is_sequence()) return *std::move(value->sequence);
  const std::string name = node.node().input_size() > 0 ? node.node().input(0) : "";
  return absl::UnimplementedError(
      absl::StrCat("its operand '", name, "' isn't a sequence that the model makes itself"));
}

// The list takes memory, and a loop may make a longer one in each step.
absl::Status SetSequence(NodeContext& node, Sequence sequence) {
  RETURN_IF_ERROR(node.builder().Charge(static_cast<int64_t>(sequence.size() * sizeof(Tensor*))));
  return node.SetValue(0, {nullptr, std::move(sequence)});
}

// Operand i as a position up to `last` in a sequence of `size` tensors; negative
// ones count from the end.
absl::StatusOr<size_t> Position(NodeContext& node, size_t i, size_t size, size_t last) {
  ASSIGN_OR_RETURN(const int64_t position, ConstantInt(*node.input(i), "position"));
  const auto count = static_cast<int64_t>(size);
  if (position >= -count && position <= static_cast<int64_t>(last)) {
    return static_cast<size_t>(position < 0 ? position + count : position);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("its 'position' is ", position, ", expected ", -count, " to ", last));
}

absl::Status MapSequenceEmpty(NodeContext& node) {
  node.IgnoreAttribute("dtype");
  return SetSequence(node, {});
}

absl::Status MapSequenceConstruct(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::vector<Value> operands, node.OperandsFrom(0));
  ASSIGN_OR_RETURN(Sequence sequence, TensorsOf(operands));
  return SetSequence(node, std::move(sequence));
}

absl::Status MapSequenceInsert(NodeContext& node) {
  ASSIGN_OR_RETURN(Sequence sequence, ReadSequence(node));
  if (!node.HasInput(1)) return absl::InvalidArgumentError("its tensor is missing");
  size_t at = sequence.size();
  if (node.HasInput(2)) {
    // It may also come after the last one.
    ASSIGN_OR_RETURN(at, Position(node, 2, sequence.size(), sequence.size()));
  }
  sequence.insert(sequence.begin() + static_cast<ptrdiff_t>(at), node.input(1));
  return SetSequence(node, std::move(sequence));
}

absl::Status MapSequenceErase(NodeContext& node) {
  ASSIGN_OR_RETURN(Sequence sequence, ReadSequence(node));
  if (sequence.empty()) return absl::InvalidArgumentError("its sequence is empty");
  size_t at = sequence.size() - 1;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(at, Position(node, 1, sequence.size(), at));
  }
  sequence.erase(sequence.begin() + static_cast<ptrdiff_t>(at));
  return SetSequence(node, std::move(sequence));
}

absl::Status MapSequenceAt(NodeContext& node) {
  ASSIGN_OR_RETURN(const Sequence sequence, ReadSequence(node));
  if (!node.HasInput(1) || sequence.empty()) {
    return absl::InvalidArgumentError("its position is missing, or its sequence is empty");
  }
  ASSIGN_OR_RETURN(const size_t at, Position(node, 1, sequence.size(), sequence.size() - 1));
  return node.SetOutput(sequence[at]);
}

absl::Status MapSequenceLength(NodeContext& node) {
  ASSIGN_OR_RETURN(const Sequence sequence, ReadSequence(node));
  return node.SetOutput(
      node.builder().AddScalar(node.Name(), static_cast<int64_t>(sequence.size())));
}

absl::Status MapConcatFromSequence(NodeContext& node) {
  ASSIGN_OR_RETURN(Sequence sequence, ReadSequence(node));
  if (sequence.empty()) return absl::InvalidArgumentError("its sequence is empty");
  const int64_t axis = node.Int("axis", 0);
  if (node.Int("new_axis", 0) == 0) {
    return node.SetOutput(EmitConcat(node, std::move(sequence), axis));
  }
  return node.SetOutput(EmitPack(node, sequence, axis));
}

// Lengths of the parts: those given, all of one given length (the last may be shorter), or 1,
// which drops the dimension unless 'keepdims' is set.
absl::StatusOr<std::vector<int64_t>> PartLengths(NodeContext& node, int64_t dim) {
  int64_t length = 1;
  if (node.HasInput(1)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> split, node.ConstantInts(1, "split"));
    if (node.shape(1).rank() > 0) return split;
    length = split[0];
  }
  if (length < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("its 'split' is ", length, ", expected 1 or more"));
  }
  RETURN_IF_ERROR(node.builder().ChargeOps(dim / length));
  std::vector<int64_t> lengths;
  for (int64_t left = dim; left > 0; left -= length) lengths.push_back(std::min(left, length));
  return lengths;
}

absl::Status MapSplitToSequence(NodeContext& node) {
  if (!node.HasInput(0)) return absl::InvalidArgumentError("its input is missing");
  const Shape x = node.shape(0);
  ASSIGN_OR_RETURN(const int64_t axis, ResolveAxis(node.Int("axis", 0), x.rank()));
  const bool drops = node.Int("keepdims", 1) == 0 && !node.HasInput(1);
  const auto at = static_cast<size_t>(axis);
  ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, PartLengths(node, x[at]));
  std::vector<int64_t> dropped = x.dims();  // without the dimension
  dropped.erase(dropped.begin() + axis);
  Sequence sequence;
  int64_t start = 0;
  for (const int64_t length : lengths) {
    const UnrolledStep step(node.state(), static_cast<int64_t>(sequence.size()));
    Emitted part = EmitAxisSlice(node, node.input(0), at, start, length, ".part");
    if (drops) part = node.Reshape(part, dropped, ".part");
    ASSIGN_OR_RETURN(sequence.emplace_back(), part);
    // Op slice has checked that this part lies inside of x.
    start += length;
  }
  if (start != x[at]) {
    return absl::InvalidArgumentError(absl::StrCat("its 'split' adds up to ", start, ", expected ",
                                                   x[at], ", the size of its dimension"));
  }
  return SetSequence(node, std::move(sequence));
}

// The results of a body for the tensors at each position of the first operand and of those others
// that are sequences too.
absl::Status MapSequenceMap(NodeContext& node) {
  ASSIGN_OR_RETURN(const Sequence first, ReadSequence(node));
  ASSIGN_OR_RETURN(const std::vector<Value> operands, node.OperandsFrom(0));
  ASSIGN_OR_RETURN(const onnx::GraphProto* body, node.Body("body"));
  std::vector<Value> results(static_cast<size_t>(body->output_size()), Value{nullptr, Sequence()});
  for (size_t i = 0; i < first.size(); ++i) {
    const UnrolledStep step(node.state(), static_cast<int64_t>(i));
    std::vector<Value> inputs;
    for (const Value& operand : operands) {
      if (operand.is_sequence() && operand.sequence->size() != first.size()) {
        return absl::InvalidArgumentError(absl::StrCat("its sequences have ", first.size(), " and ",
                                                       operand.sequence->size(), " tensors"));
      }
      inputs.push_back(operand);
      if (operand.is_sequence()) inputs.back() = Value{(*operand.sequence)[i]};
    }
    ASSIGN_OR_RETURN(const std::vector<Value> outputs, node.state().run_body(*body, inputs));
    ASSIGN_OR_RETURN(const std::vector<Tensor*> tensors, TensorsOf(outputs));
    for (size_t k = 0; k < tensors.size(); ++k) results[k].sequence->push_back(tensors[k]);
  }
  return node.SetValues(std::move(results));
}

// Without an operand its value is empty.
absl::Status MapOptional(NodeContext& node) {
  node.IgnoreAttribute("type");
  if (node.node().input_size() == 0 || node.node().input(0).empty()) return node.SetValue(0, {});
  ASSIGN_OR_RETURN(Value value, node.Operand(0));
  return node.SetValue(0, std::move(value));
}

absl::Status MapOptionalHasElement(NodeContext& node) {
  const absl::StatusOr<Value> value = node.Operand(0);
  return node.SetOutput(node.builder().AddBool(node.Name(), value.ok() && !value->is_empty()));
}

absl::Status MapOptionalGetElement(NodeContext& node) {
  ASSIGN_OR_RETURN(Value value, node.Operand(0));
  if (value.is_empty()) return absl::InvalidArgumentError("its optional value has no element");
  return node.SetValue(0, std::move(value));
}

constexpr char kOwnSequencesByPosition[] =
    "sequences that the model makes itself; a constant 'position'";
constexpr char kOwnSequences[] = "sequences that the model makes itself";

// Operands that are sequences count as absent: the functions ask for them.
constexpr OpMapping kSequenceMappings[] = {
    {"SequenceEmpty", 0, 0, MapSequenceEmpty},
    {"SequenceConstruct", 1, kAnyCount, MapSequenceConstruct},
    {"SequenceInsert", 0, 3, MapSequenceInsert, kOwnSequencesByPosition},
    {"SequenceErase", 0, 2, MapSequenceErase, kOwnSequencesByPosition},
    {"SequenceAt", 0, 2, MapSequenceAt, kOwnSequencesByPosition},
    {"SequenceLength", 0, 1, MapSequenceLength, kOwnSequences},
    {"ConcatFromSequence", 0, 1, MapConcatFromSequence, kOwnSequences},
    {"Optional", 0, 1, MapOptional},
    {"OptionalHasElement", 0, 1, MapOptionalHasElement},
    {"OptionalGetElement", 0, 1, MapOptionalGetElement},
    {"SequenceMap", 0, kAnyCount, MapSequenceMap, kOwnSequences},
    {"SplitToSequence", 0, 2, MapSplitToSequence, "a constant 'split'"},
};

}  // namespace

absl::Span<const OpMapping> SequenceMappings() { return kSequenceMappings; }

}  // namespace synap_internal::onnx_import

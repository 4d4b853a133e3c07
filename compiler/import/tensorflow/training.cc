// Operators that training leaves in a graph: the choice between training and inference, the random
// numbers of dropout and simulated quantization.
#include <cmath>

#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// --- Switch and Merge. The choice has to be known: only one branch is imported.

// Output 0 is for false, output 1 for true; the other one is dead.
absl::Status MapSwitch(NodeContext& node) {
  ASSIGN_OR_RETURN(const bool predicate, node.ConstantBool(1, "pred"));
  const int taken = predicate ? 1 : 0;
  const size_t index = node.state().graph.by_name.at(node.def().name());
  node.state().dead.insert({index, 1 - taken});
  return node.SetOutput(static_cast<size_t>(taken), node.input(0));
}

// The result of the live branch, and the number of that branch.
absl::Status MapMerge(NodeContext& node) {
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) == nullptr) continue;
    RETURN_IF_ERROR(node.SetOutput(0, node.input(i)));
    return node.SetOutput(1,
                          node.builder().AddScalar(node.Name(".branch"), static_cast<int64_t>(i)));
  }
  return absl::InternalError("no branch is live");
}

// --- Simulated quantization

// Hands on its input: numbers are real until the metafile asks for quantized ones.
absl::Status MapFakeQuant(NodeContext& node) { return node.SetOutput(node.input(0)); }

// --- Random numbers as far as dropout that drops nothing needs them: it compares them with bounds
// that they can't pass.

absl::Status SetRandom(NodeContext& node, RandomRange range) {
  Tensor* marker = node.Scalar(0, "");
  node.state().random[marker] = range;
  return node.SetOutput(0, marker);
}

absl::Status MapRandomUniform(NodeContext& node) { return SetRandom(node, {0, 1}); }

absl::Status SetBool(NodeContext& node, bool value) {
  return node.SetOutput(0, node.builder().AddBool(node.Name(), value));
}

absl::Status RandomValuesError() {
  return absl::UnimplementedError(
      "it depends on random numbers; set dropout off when exporting the graph");
}

constexpr char kConstantPredicate[] = "a predicate that is one constant bool";

constexpr OpMapping kTrainingMappings[] = {
    {"Switch", 2, 2, MapSwitch, kConstantPredicate},
    {"Merge", 1, kAnyCount, MapMerge, kConstantPredicate},
    {"RandomUniform", 1, 1, MapRandomUniform, "where it drops nothing"},
    {"FakeQuantWithMinMaxArgs", 1, 1, MapFakeQuant},
    {"FakeQuantWithMinMaxVars", 3, 3, MapFakeQuant},
    {"FakeQuantWithMinMaxVarsPerChannel", 3, 3, MapFakeQuant},
};

}  // namespace

absl::Status MapRandomOperand(NodeContext& node) {
  const auto& random = node.state().random;
  if (node.input_count() > 2) return RandomValuesError();
  const auto first = random.find(node.input(0));
  // The other operand, if there is one, has to be a number.
  const bool swapped = first == random.end();
  const RandomRange range = swapped ? random.at(node.input(1)) : first->second;
  const std::string& op = node.op();
  if (node.input_count() == 1) {
    if (op == "Identity") return SetRandom(node, range);
    const float low = std::floor(range.low);
    if (op != "Floor" || range.high > low + 1) return RandomValuesError();
    return node.SetOutput(0, node.Scalar(low, ""));
  }
  const size_t other = swapped ? 0 : 1;
  if (random.contains(node.input(other))) return RandomValuesError();
  ASSIGN_OR_RETURN(const float number, node.ConstantReal(other, "operand beside random numbers"));
  if (op == "Add" || op == "AddV2") {
    return SetRandom(node, {range.low + number, range.high + number});
  }
  if (op == "Mul" && number >= 0) {
    return SetRandom(node, {range.low * number, range.high * number});
  }
  if (op == "Sub" && !swapped) return SetRandom(node, {range.low - number, range.high - number});
  if (op == "GreaterEqual" && !swapped && range.low >= number) return SetBool(node, true);
  if (op == "Less" && !swapped && range.low >= number) return SetBool(node, false);
  return RandomValuesError();
}

absl::Span<const OpMapping> TrainingMappings() { return kTrainingMappings; }

}  // namespace synap_internal::tensorflow_import

// Random numbers as far as dropout that drops nothing needs them: it compares them with bounds
// that they can't pass.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

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

constexpr OpMapping kRandomMappings[] = {
    {"RandomUniform", 1, 1, MapRandomUniform, "where it drops nothing"}};

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

absl::Span<const OpMapping> RandomMappings() { return kRandomMappings; }

}  // namespace synap_internal::tensorflow_import

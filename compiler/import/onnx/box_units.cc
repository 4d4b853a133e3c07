#include "compiler/import/onnx/box_units.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace synap_internal::onnx_import {
namespace {

using OpNames = absl::flat_hash_set<absl::string_view>;

// Boxes relative to a picture, added up with their largest strides and cells, stay below it, and
// pixels of the smallest picture above it.
constexpr double kLargestPart = 16;
// The largest float16. Where only one end is to be clipped, exporters write the largest number of
// the type as the other one: that of float16, float32 or int64, or infinity.
constexpr double kNoLimit = 65504;
// Nodes from the boxes back. Decoding takes fewer.
constexpr int kDeepest = 100;

const OpNames& Moving() {
  static const OpNames* const kOps =
      new OpNames{"Identity", "Cast",      "Reshape", "Flatten", "Unsqueeze", "Squeeze",
                  "Concat",   "Transpose", "Slice",   "Split",   "Gather",    "Expand"};
  return *kOps;
}

class UnitFinder {
 public:
  UnitFinder(const onnx::GraphProto& graph, const GraphIndex& index,
             const absl::flat_hash_map<std::string, Tensor*>& tensors)
      : graph_(graph), index_(index), tensors_(tensors) {}

  // The limits that boxes are clipped to, in the order of the nodes that clip.
  std::vector<double> Limits(const std::string& boxes) {
    AddLimits(boxes, 0);
    return limits_;
  }

  // About the largest value of a tensor.
  double Magnitude(const std::string& name, int depth) {
    if (const absl::optional<double> constant = LargestOf(name)) return *constant;
    const onnx::NodeProto* node = Producer(name);
    if (node == nullptr || depth > kDeepest) return 1;
    if (const auto known = magnitudes_.find(name); known != magnitudes_.end()) {
      return known->second;
    }
    magnitudes_[name] = 1;  // of a cycle
    return magnitudes_[name] = MagnitudeOf(*node, depth + 1);
  }

 private:
  const onnx::NodeProto* Producer(const std::string& name) const {
    const auto it = index_.producer.find(name);
    return it == index_.producer.end() ? nullptr : &graph_.node(it->second);
  }

  // The largest magnitude in a constant.
  absl::optional<double> LargestOf(const std::string& name) const {
    const auto it = tensors_.find(name);
    if (it == tensors_.end() || !it->second->is_constant()) return absl::nullopt;
    const Tensor& tensor = *it->second;
    double largest = 0;
    if (tensor.type.dtype == DataType::kFloat32) {
      for (const float x : tensor.values<float>()) largest = std::max<double>(largest, std::abs(x));
    } else if (tensor.type.dtype == DataType::kInt64) {
      for (const int64_t x : tensor.values<int64_t>()) {
        largest = std::max(largest, std::abs(static_cast<double>(x)));
      }
    } else {
      return absl::nullopt;
    }
    return largest;
  }

  // The upper limit that a Clip or Min states.
  absl::optional<double> StatedLimit(const onnx::NodeProto& node) const {
    if (node.op_type() == "Min") {
      for (const std::string& operand : node.input()) {
        if (const absl::optional<double> limit = LargestOf(operand)) return limit;
      }
    }
    if (node.op_type() != "Clip") return absl::nullopt;
    if (node.input_size() > 2) return LargestOf(node.input(2));
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.name() == "max") return attribute.f();
    }
    return absl::nullopt;
  }

  // The upper limit of a node that clips; nothing for others.
  absl::optional<double> LimitOf(const onnx::NodeProto& node) const {
    const absl::optional<double> limit = StatedLimit(node);
    return limit.has_value() && *limit < kNoLimit ? limit : absl::nullopt;
  }

  // Whether the limits of its operands are its own.
  bool KeepsLimits(const onnx::NodeProto& node) const {
    const std::string& op = node.op_type();
    return op == "Concat" || op == "Max" || (op == "Min" && StatedLimit(node).has_value());
  }

  void AddLimits(const std::string& name, int depth) {
    const onnx::NodeProto* node = Producer(name);
    if (node == nullptr || depth > kDeepest || !seen_.insert(name).second) return;
    if (const absl::optional<double> limit = LimitOf(*node)) {
      limits_.push_back(*limit);
    } else if (KeepsLimits(*node)) {
      for (const std::string& operand : node->input()) AddLimits(operand, depth + 1);
    } else if (node->op_type() == "Clip" || Moving().contains(node->op_type())) {
      AddLimits(node->input(0), depth + 1);
    }
  }

  double MagnitudeOf(const onnx::NodeProto& node, int depth) {
    const std::string& op = node.op_type();
    std::vector<double> operands;
    const bool only_first = Moving().contains(op) && op != "Concat";
    const bool is_known = only_first || op == "Add" || op == "Sub" || op == "Sum" || op == "Mul" ||
                          op == "Div" || op == "Concat" || op == "Max" || op == "Min" ||
                          op == "Clip" || op == "Neg" || op == "Abs";
    if (!is_known) return 1;
    for (const std::string& operand : node.input()) {
      if (operand.empty() || (!operands.empty() && (only_first || op == "Clip"))) break;
      operands.push_back(Magnitude(operand, depth));
    }
    if (operands.empty()) return 1;
    double result = operands[0];
    for (size_t i = 1; i < operands.size(); ++i) {
      if (op == "Add" || op == "Sub" || op == "Sum") result += operands[i];
      if (op == "Mul") result *= operands[i];
      if (op == "Div" && LargestOf(node.input(1)).has_value() && operands[i] > 0) {
        result /= operands[i];
      }
      if (op == "Concat" || op == "Max") result = std::max(result, operands[i]);
      if (op == "Min") result = std::min(result, operands[i]);
    }
    if (op == "Clip") result = std::min(result, LimitOf(node).value_or(result));
    return result;
  }

  const onnx::GraphProto& graph_;
  const GraphIndex& index_;
  const absl::flat_hash_map<std::string, Tensor*>& tensors_;
  absl::flat_hash_set<std::string> seen_;
  std::vector<double> limits_;
  absl::flat_hash_map<std::string, double> magnitudes_;
};

}  // namespace

BoxUnits FindBoxUnits(const onnx::GraphProto& graph, const GraphIndex& index,
                      const absl::flat_hash_map<std::string, Tensor*>& tensors,
                      const std::string& boxes, bool y_first,
                      const absl::optional<BoxUnits>& pixels) {
  UnitFinder finder(graph, index, tensors);
  const std::vector<double> limits = finder.Limits(boxes);
  if (!limits.empty()) {
    const double first = limits[0];
    const double second = limits[limits.size() > 1 ? 1 : 0];
    return y_first ? BoxUnits{second, first} : BoxUnits{first, second};
  }
  const bool are_pixels = finder.Magnitude(boxes, 0) > kLargestPart;
  return are_pixels ? pixels.value_or(BoxUnits()) : BoxUnits();
}

}  // namespace synap_internal::onnx_import

#include "compiler/import/tflite/model_graph.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal::tflite_import {
namespace {

// Finds the unknown custom operators at the end of a model, detections for example.
class CustomOperatorCutter {
 public:
  explicit CustomOperatorCutter(const Model& model)
      : model_(model), producers_(model.tensor_names.size()), readers_(model.tensor_names.size()) {
    for (size_t i = 0; i < model.op_count(); ++i) {
      for (const int32_t output : Elements(model.op(i).outputs())) producers_[At(output)] = i;
      for (const int32_t input : Elements(model.op(i).inputs())) {
        if (input >= 0) ++readers_[At(input)];
      }
    }
  }

  // The outputs before them. Where they are all there is, nothing is cut.
  std::vector<size_t> Run(std::vector<std::string>& warnings) const {
    const auto model_outputs = Elements(model_.graph->outputs());
    std::vector<size_t> outputs, cut;
    for (const int32_t output : model_outputs) {
      const std::optional<size_t> producer = producers_[At(output)];
      if (!producer.has_value() || !IsCutable(*producer)) {
        outputs.push_back(At(output));
      } else if (std::find(cut.begin(), cut.end(), *producer) == cut.end()) {
        cut.push_back(*producer);
        AddOperands(*producer, outputs);
      }
    }
    if (outputs.empty()) return {model_outputs.begin(), model_outputs.end()};
    for (const size_t op : cut) {
      warnings.push_back(absl::StrCat("skipping unimplemented custom layer: ",
                                      OperatorName(model_.code(model_.op(op)))));
    }
    return outputs;
  }

 private:
  static size_t At(int32_t tensor) { return static_cast<size_t>(tensor); }

  bool IsCutable(size_t op) const {
    const auto outputs = Elements(model_.op(op).outputs());
    const tflite::OperatorCode& code = model_.code(model_.op(op));
    return BuiltinCode(code) == tflite::BuiltinOperator::CUSTOM && !Mapping(code).supported() &&
           std::all_of(outputs.begin(), outputs.end(),
                       [&](int32_t output) { return readers_[At(output)] == 0; });
  }

  // Adds the operands that another operator computes.
  void AddOperands(size_t op, std::vector<size_t>& outputs) const {
    for (const int32_t input : Elements(model_.op(op).inputs())) {
      if (input < 0 || !producers_[At(input)].has_value()) continue;
      const bool listed = std::find(outputs.begin(), outputs.end(), At(input)) != outputs.end();
      if (!listed) outputs.push_back(At(input));
    }
  }

  const Model& model_;
  std::vector<std::optional<size_t>> producers_;  // by tensor
  std::vector<int> readers_;                      // by tensor
};

}  // namespace

ModelGraph ModelGraphOf(const Model& model, const ImportOptions& options,
                        std::vector<std::string>& warnings) {
  ModelGraph graph;
  graph.values = model.tensor_names;
  for (size_t i = 0; i < model.op_count(); ++i) {
    ModelGraph::Node& node = graph.nodes.emplace_back();
    const auto outputs = Elements(model.op(i).outputs());
    node.makes.assign(outputs.begin(), outputs.end());
    if (const auto read = model.variable_reads.find(&model.op(i));
        read != model.variable_reads.end()) {
      // Not the handle.
      if (read->second.assigned >= 0) {
        node.reads.push_back(static_cast<size_t>(read->second.assigned));
      }
      continue;
    }
    for (const int32_t input : Elements(model.op(i).inputs())) {
      if (input >= 0) node.reads.push_back(static_cast<size_t>(input));
    }
  }
  for (const Model::State& state : model.states) {
    graph.nodes[state.op].makes.push_back(graph.values.size());
    graph.values.push_back(state.next);
  }
  const auto inputs = Elements(model.graph->inputs());
  graph.inputs.assign(inputs.begin(), inputs.end());
  if (options.outputs.empty()) graph.outputs = CustomOperatorCutter(model).Run(warnings);
  return graph;
}

OpenShape ShapeOf(const tflite::Tensor& tensor) {
  const auto dims = Elements(tensor.shape());
  const auto signature = Elements(tensor.shape_signature());
  OpenShape shape;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool open = dims[i] < 1 || (i < signature.size() && signature[i] < 0);
    shape.push_back(open ? std::nullopt : std::optional<int64_t>(dims[i]));
  }
  return shape;
}

}  // namespace synap_internal::tflite_import

#include "compiler/import/tflite/graph_border.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "compiler/import/input_shape.h"

namespace synap_internal::tflite_import {
namespace {

class BorderFinder {
 public:
  BorderFinder(const Model& model, const ImportOptions& options)
      : model_(model),
        options_(options),
        producers_(model.tensor_names.size()),
        readers_(model.tensor_names.size()) {
    for (size_t i = 0; i < model.op_count(); ++i) {
      for (const int32_t output : Elements(model.op(i).outputs())) producers_[At(output)] = i;
      for (const int32_t input : Elements(model.op(i).inputs())) {
        if (input >= 0) ++readers_[At(input)];
      }
    }
  }

  absl::StatusOr<Border> Run() {
    RETURN_IF_ERROR(FindOutputs());
    RETURN_IF_ERROR(FindInputs());
    Select();
    if (options_.inputs.empty()) {
      DropUnneededInputs();
    } else {
      RETURN_IF_ERROR(CheckInputsSuffice());
    }
    return std::move(border_);
  }

 private:
  static size_t At(int32_t tensor) { return static_cast<size_t>(tensor); }
  const std::string& Name(int32_t tensor) const { return model_.tensor_names[At(tensor)]; }

  absl::StatusOr<int32_t> Find(absl::string_view what, const std::string& name) const {
    const auto& names = model_.tensor_names;
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) return static_cast<int32_t>(it - names.begin());
    return absl::NotFoundError(
        absl::StrCat(what, " '", name, "' is not a tensor of the model", DidYouMean(name, names)));
  }

  absl::Status CheckListedOnce(absl::string_view what, std::vector<int32_t> tensors) const {
    std::sort(tensors.begin(), tensors.end());
    const auto twice = std::adjacent_find(tensors.begin(), tensors.end());
    if (twice == tensors.end()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(what, " '", Name(*twice), "' is listed twice"));
  }

  absl::Status FindOutputs() {
    for (const std::string& name : options_.outputs) {
      ASSIGN_OR_RETURN(const int32_t output, Find("output", name));
      border_.outputs.push_back(output);
    }
    if (options_.outputs.empty()) {
      const auto outputs = Elements(model_.graph->outputs());
      border_.outputs.assign(outputs.begin(), outputs.end());
      CutCustomOperators();
    }
    if (border_.outputs.empty()) return absl::InvalidArgumentError("has no outputs");
    return CheckListedOnce("output", border_.outputs);
  }

  bool IsCustom(size_t op) const {
    return BuiltinCode(model_.code(model_.op(op))) == tflite::BuiltinOperator::CUSTOM;
  }

  bool IsCutable(size_t op) const {
    const auto outputs = Elements(model_.op(op).outputs());
    return IsCustom(op) && std::all_of(outputs.begin(), outputs.end(),
                                       [&](int32_t output) { return readers_[At(output)] == 0; });
  }

  // Where one is all there is, nothing would be left.
  void CutCustomOperators() {
    std::vector<int32_t> outputs;
    std::vector<size_t> cut;
    for (const int32_t output : border_.outputs) {
      const std::optional<size_t> producer = producers_[At(output)];
      if (!producer.has_value() || !IsCutable(*producer)) {
        outputs.push_back(output);
      } else if (std::find(cut.begin(), cut.end(), *producer) == cut.end()) {
        cut.push_back(*producer);
        AddOperands(*producer, outputs);
      }
    }
    if (outputs.empty()) return;
    border_.outputs = std::move(outputs);
    for (const size_t op : cut) {
      border_.warnings.push_back(absl::StrCat("skipping unimplemented custom layer: ",
                                              OperatorName(model_.code(model_.op(op)))));
    }
  }

  // What an operator reads and another computes.
  void AddOperands(size_t op, std::vector<int32_t>& outputs) const {
    for (const int32_t input : Elements(model_.op(op).inputs())) {
      const bool computed = input >= 0 && producers_[At(input)].has_value();
      const bool listed = std::find(outputs.begin(), outputs.end(), input) != outputs.end();
      if (computed && !listed) outputs.push_back(input);
    }
  }

  absl::Status FindInputs() {
    const auto model_inputs = Elements(model_.graph->inputs());
    for (size_t i = 0; i < options_.inputs.size(); ++i) {
      BorderInput input;
      input.shape = options_.inputs[i].shape;
      if (!options_.inputs[i].name.empty()) {
        ASSIGN_OR_RETURN(input.tensor, Find("input", options_.inputs[i].name));
      } else if (i < model_inputs.size()) {
        input.tensor = model_inputs[i];
      } else {
        return absl::InvalidArgumentError(absl::StrCat(
            "has ", model_inputs.size(), " inputs, the metafile ", options_.inputs.size()));
      }
      border_.inputs.push_back(std::move(input));
    }
    if (options_.inputs.empty()) {
      for (const int32_t input : model_inputs) border_.inputs.push_back({input, std::nullopt});
    }
    std::vector<int32_t> tensors;
    for (const BorderInput& input : border_.inputs) tensors.push_back(input.tensor);
    return CheckListedOnce("input", std::move(tensors));
  }

  // Operators run in the file's order, so that one walk back meets every reader
  // of a tensor before its producer.
  void Select() {
    needed_.assign(model_.tensor_names.size(), false);
    for (const int32_t output : border_.outputs) needed_[At(output)] = true;
    std::vector<bool> given(needed_.size());
    for (const BorderInput& input : border_.inputs) given[At(input.tensor)] = true;
    for (size_t i = model_.op_count(); i-- > 0;) {
      const auto outputs = Elements(model_.op(i).outputs());
      const bool needed = std::any_of(outputs.begin(), outputs.end(), [&](int32_t output) {
        return needed_[At(output)] && !given[At(output)];
      });
      if (!needed) continue;
      border_.operators.push_back(i);
      for (const int32_t input : Elements(model_.op(i).inputs())) {
        if (input >= 0) needed_[At(input)] = true;
      }
    }
    std::reverse(border_.operators.begin(), border_.operators.end());
  }

  void DropUnneededInputs() {
    auto& inputs = border_.inputs;
    inputs.erase(
        std::remove_if(inputs.begin(), inputs.end(),
                       [&](const BorderInput& input) { return !needed_[At(input.tensor)]; }),
        inputs.end());
  }

  absl::Status CheckInputsSuffice() const {
    for (const int32_t tensor : Elements(model_.graph->inputs())) {
      const bool given =
          std::any_of(border_.inputs.begin(), border_.inputs.end(),
                      [&](const BorderInput& input) { return input.tensor == tensor; });
      if (given || !needed_[At(tensor)]) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the outputs also depend on input '", Name(tensor),
                       "', which is not among the inputs of the metafile"));
    }
    return absl::OkStatus();
  }

  const Model& model_;
  const ImportOptions& options_;
  std::vector<std::optional<size_t>> producers_;  // by tensor
  std::vector<int> readers_;                      // by tensor
  std::vector<bool> needed_;                      // by tensor
  Border border_;
};

}  // namespace

absl::StatusOr<Border> FindBorder(const Model& model, const ImportOptions& options) {
  return BorderFinder(model, options).Run();
}

absl::StatusOr<Shape> InputShape(const Model& model, const BorderInput& input) {
  const tflite::Tensor& tensor = model.tensor(input.tensor);
  const auto dims = Elements(tensor.shape());
  const auto signature = Elements(tensor.shape_signature());
  OpenShape shape;
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool open = dims[i] < 1 || (i < signature.size() && signature[i] < 0);
    shape.push_back(open ? std::nullopt : std::optional<int64_t>(dims[i]));
  }
  return ResolveInputShape(shape, input.shape);
}

}  // namespace synap_internal::tflite_import

#include "compiler/import/tflite/import_tflite.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/graph_border.h"
#include "compiler/import/operator_table.h"
#include "compiler/import/tflite/detection_anchors.h"
#include "compiler/import/tflite/graph_border.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/operator_context.h"
#include "compiler/import/tflite/tensor_data.h"
#include "compiler/import/unsupported_ops.h"

namespace synap_internal {
namespace tflite_import {
namespace {

const OpMapping* MappingOf(const Model& model, const tflite::Operator& op) {
  return Operators().Find(BuiltinCode(model.code(op)));
}

absl::Status CheckSupported(const Model& model, const std::vector<size_t>& operators) {
  UnsupportedOps unsupported("operator", "node");
  for (const size_t i : operators) {
    const tflite::Operator& op = model.op(i);
    if (MappingOf(model, op) != nullptr) continue;
    const tflite::OperatorCode& code = model.code(op);
    const bool custom = BuiltinCode(code) == tflite::BuiltinOperator::CUSTOM;
    const auto output = static_cast<size_t>(op.outputs()->Get(0));
    unsupported.Add(absl::StrCat(custom ? "custom " : "", OperatorName(code)),
                    model.tensor_names[output]);
  }
  return unsupported.ToStatus();
}

// The type of an input or output of the network, which can't be int64.
absl::StatusOr<TensorType> NetworkType(const tflite::Tensor& tensor) {
  ASSIGN_OR_RETURN(TensorType type, BorderType(tensor));
  if (type.dtype == DataType::kInt64) type.dtype = DataType::kInt32;
  return type;
}

// Turns one parsed model into a graph.
class Importer {
 public:
  Importer(const Model& model, const ImportOptions& options)
      : model_(model),
        options_(options),
        state_{GraphBuilder(graph_, options.max_folded_bytes),
               model,
               std::vector<Tensor*>(model.tensor_names.size()),
               {}} {}

  absl::StatusOr<ImportedModel> Run() {
    std::vector<std::string> warnings;
    ASSIGN_OR_RETURN(const GraphBorder border,
                     FindBorder(ModelGraphOf(model_, options_, warnings), options_));
    RETURN_IF_ERROR(CheckSupported(model_, border.nodes));
    for (const BorderInput& input : border.inputs) {
      RETURN_IF_ERROR(Annotate(AddInput(input), absl::StrCat("input '", NameOf(input.value), "'")));
    }
    for (const size_t i : border.nodes) {
      RETURN_IF_ERROR(Annotate(MapOperator(model_.op(i)), OperatorLabel(model_, i)));
    }
    RETURN_IF_ERROR(AddOutputs(border.outputs));
    if (has_state_) {
      warnings.push_back("the state of recurrent layers begins with zeros in each inference");
    }
    ReadAnchors(warnings);
    RETURN_IF_ERROR(state_.builder.Finish(kTfliteFramework.layout));
    return ImportedModel{std::move(graph_), std::move(warnings)};
  }

 private:
  const std::string& NameOf(size_t tensor) const { return model_.tensor_names[tensor]; }

  absl::Status AddInput(const BorderInput& input) {
    const tflite::Tensor& tensor = model_.tensor(static_cast<int32_t>(input.value));
    ASSIGN_OR_RETURN(TensorType type, NetworkType(tensor));
    ASSIGN_OR_RETURN(type.shape, ResolveInputShape(ShapeOf(tensor), input.given));
    if (type.quant.scheme == QuantScheme::kPerChannelSymmetric) {
      return absl::UnimplementedError("has a scale for each channel, which is not supported");
    }
    ASSIGN_OR_RETURN(state_.values[input.value],
                     state_.builder.AddInput(NameOf(input.value), std::move(type)));
    return absl::OkStatus();
  }

  // The tensor of an operand; constants are read when they are needed.
  absl::StatusOr<Tensor*> Value(int32_t index) {
    const auto at = static_cast<size_t>(index);
    if (Tensor* known = state_.values[at]) return known;
    const tflite::Tensor& tensor = model_.tensor(index);
    const bool constant = model_.HasData(tensor) || IsEmpty(tensor);
    if (!constant) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor '", NameOf(at), "' has no data, and nothing has computed it before"));
    }
    absl::StatusOr<TensorData> data = ReadFlowing(model_, tensor, state_.builder);
    if (!data.ok()) {
      return Annotate(data.status(), absl::StrCat("tensor '", NameOf(at), "'"));
    }
    Tensor* added = graph_.AddConstant(NameOf(at), data->type, std::move(data->constant));
    state_.Bind(index, added);
    return added;
  }

  // A detection isn't imported: its faults only cost the anchors.
  void ReadAnchors(std::vector<std::string>& warnings) {
    absl::StatusOr<std::vector<float>> anchors = DetectionAnchors(model_, state_.builder);
    if (anchors.ok()) {
      graph_.anchors = *std::move(anchors);
    } else {
      warnings.push_back(absl::StrCat("no ${ANCHORS}: ", anchors.status().message()));
    }
  }

  static bool IsEmpty(const tflite::Tensor& tensor) {
    const auto dims = Elements(tensor.shape());
    return std::find(dims.begin(), dims.end(), 0) != dims.end();
  }

  // Whether it is what a recurrent operator keeps from one inference to the next; absent here.
  bool IsState(int32_t index) {
    const tflite::Tensor& tensor = model_.tensor(index);
    const bool known = state_.values[static_cast<size_t>(index)] != nullptr;
    if (known || !tensor.is_variable() || model_.HasData(tensor)) return false;
    has_state_ = true;
    return true;
  }

  absl::Status MapOperator(const tflite::Operator& op) {
    const OpMapping& mapping = *MappingOf(model_, op);
    std::vector<Tensor*> inputs;
    for (const int32_t index : Elements(op.inputs())) {
      inputs.push_back(nullptr);
      if (index < 0 || IsState(index)) continue;
      ASSIGN_OR_RETURN(inputs.back(), Value(index));
    }
    RETURN_IF_ERROR(CheckOperands(mapping.required, mapping.max, inputs));
    OperatorContext context(op, std::move(inputs), state_);
    RETURN_IF_ERROR(context.ReadDeclared());
    return mapping.Map(context);
  }

  absl::Status AddOutputs(const std::vector<size_t>& values) {
    std::vector<GraphBuilder::Output> outputs;
    for (const size_t value : values) {
      const auto index = static_cast<int32_t>(value);
      GraphBuilder::Output& output = outputs.emplace_back();
      output.name = NameOf(value);
      const absl::StatusOr<Tensor*> tensor = Value(index);
      const absl::StatusOr<TensorType> type = NetworkType(model_.tensor(index));
      const absl::Status status = tensor.ok() ? type.status() : tensor.status();
      RETURN_IF_ERROR(Annotate(status, absl::StrCat("output '", output.name, "'")));
      output.tensor = *tensor;
      output.as_int32 =
          type->dtype == DataType::kInt32 && output.tensor->type.dtype == DataType::kInt64;
    }
    return state_.builder.AddOutputs(outputs);
  }

  const Model& model_;
  const ImportOptions& options_;
  Graph graph_;
  ImportState state_;
  bool has_state_ = false;
};

// The file's buffers are aligned to 16 within it.
constexpr size_t kAlignment = 16;

absl::StatusOr<ImportedModel> Import(absl::Span<const uint8_t> bytes,
                                     std::shared_ptr<const void> owner, absl::string_view name,
                                     const ImportOptions& options) {
  ASSIGN_OR_RETURN(const Model model, ParseModel(bytes, std::move(owner)));
  ASSIGN_OR_RETURN(ImportedModel import, Importer(model, options).Run());
  import.graph.name = std::string(name);
  return import;
}

}  // namespace
}  // namespace tflite_import

absl::StatusOr<ImportedModel> ImportTfliteBytes(absl::string_view bytes, absl::string_view name,
                                                const ImportOptions& options) {
  constexpr size_t kAlignment = tflite_import::kAlignment;
  const auto copy = std::make_shared<std::vector<uint8_t>>(bytes.size() + kAlignment);
  const size_t misaligned = reinterpret_cast<uintptr_t>(copy->data()) % kAlignment;
  uint8_t* begin = copy->data() + (misaligned == 0 ? 0 : kAlignment - misaligned);
  std::copy(bytes.begin(), bytes.end(), begin);
  return tflite_import::Import({begin, bytes.size()}, copy, name, options);
}

absl::StatusOr<ImportedModel> ImportTflite(const ModelFiles& files, const ImportOptions& options) {
  ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(files.model));
  const auto file = std::make_shared<const MappedFile>(std::move(mapped));
  return Annotate(tflite_import::Import(file->bytes(), file, Stem(files.model), options),
                  files.model);
}

}  // namespace synap_internal

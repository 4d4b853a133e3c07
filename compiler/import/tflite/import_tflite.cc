#include "compiler/import/tflite/import_tflite.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/op_limits.h"
#include "compiler/import/tflite/detection_anchors.h"
#include "compiler/import/tflite/graph_border.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/tflite/operator_context.h"
#include "compiler/import/tflite/tensor_data.h"

namespace synap_internal {
namespace tflite_import {
namespace {

const OpMapping* MappingOf(const Model& model, const tflite::Operator& op) {
  return FindMapping(BuiltinCode(model.code(op)));
}

// All that isn't supported, at once: "2 operators are not supported: WHERE (2
// times: #3 'a', #7 'b'), custom Foo (once: #9 'c')".
absl::Status CheckSupported(const Model& model, const std::vector<size_t>& operators) {
  std::map<std::string, std::vector<std::string>> missing;
  for (const size_t i : operators) {
    const tflite::Operator& op = model.op(i);
    if (MappingOf(model, op) != nullptr) continue;
    const tflite::OperatorCode& code = model.code(op);
    const bool custom = BuiltinCode(code) == tflite::BuiltinOperator::CUSTOM;
    const auto output = static_cast<size_t>(op.outputs()->Get(0));
    missing[absl::StrCat(custom ? "custom " : "", OperatorName(code))].push_back(
        absl::StrCat("#", i, " '", model.tensor_names[output], "'"));
  }
  if (missing.empty()) return absl::OkStatus();
  std::vector<std::string> lines;
  for (auto& [name, places] : missing) {
    constexpr size_t kMaxShown = 5;
    const size_t count = places.size();
    if (count > kMaxShown) places.resize(kMaxShown);
    lines.push_back(absl::StrCat(name, " (", count == 1 ? "once" : absl::StrCat(count, " times"),
                                 ": ", absl::StrJoin(places, ", "),
                                 count > kMaxShown ? ", ..." : "", ")"));
  }
  return absl::UnimplementedError(
      absl::StrCat(missing.size(), missing.size() == 1 ? " operator is" : " operators are",
                   " not supported: ", absl::StrJoin(lines, ", ")));
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

  absl::StatusOr<TfliteImport> Run() {
    ASSIGN_OR_RETURN(Border border, FindBorder(model_, options_));
    RETURN_IF_ERROR(CheckSupported(model_, border.operators));
    for (const BorderInput& input : border.inputs) {
      RETURN_IF_ERROR(Annotate(AddInput(input), InputLabel(input.tensor)));
    }
    for (const size_t i : border.operators) {
      RETURN_IF_ERROR(Annotate(MapOperator(model_.op(i)), OperatorLabel(model_, i)));
    }
    for (const int32_t output : border.outputs) {
      wanted_.insert(NameOf(output));
    }
    for (const int32_t output : border.outputs) {
      RETURN_IF_ERROR(Annotate(AddOutput(output), absl::StrCat("output '", NameOf(output), "'")));
    }
    if (has_state_) {
      border.warnings.push_back(
          "the state of recurrent layers begins with zeros in each inference");
    }
    ReadAnchors(border.warnings);
    graph_.RemoveDead();
    graph_.layout = "nhwc";
    RETURN_IF_ERROR(VerifyGraph(graph_));
    return TfliteImport{std::move(graph_), std::move(border.warnings)};
  }

 private:
  const std::string& NameOf(int32_t tensor) const {
    return model_.tensor_names[static_cast<size_t>(tensor)];
  }
  std::string InputLabel(int32_t tensor) const {
    return absl::StrCat("input '", NameOf(tensor), "'");
  }
  bool IsInput(const Tensor* tensor) const { return inputs_.contains(tensor); }

  // The input itself, and what its readers get.
  absl::Status AddInput(const BorderInput& input) {
    const std::string& name = NameOf(input.tensor);
    ASSIGN_OR_RETURN(TensorType type, NetworkType(model_.tensor(input.tensor)));
    ASSIGN_OR_RETURN(type.shape, InputShape(model_, input));
    if (type.quant.scheme == QuantScheme::kPerChannelSymmetric) {
      return absl::UnimplementedError("has a scale for each channel, which is not supported");
    }
    Tensor* tensor = graph_.AddTensor(name, type);
    graph_.inputs.push_back(tensor);
    inputs_.insert(tensor);
    state_.Bind(input.tensor, tensor);
    Tensor*& flowing = state_.values[static_cast<size_t>(input.tensor)];
    if (type.dtype == DataType::kInt32) {
      ASSIGN_OR_RETURN(flowing,
                       state_.builder.Emit("cast", {tensor}, {{"to", std::string("int64")}}, name,
                                           absl::StrCat(name, ".int64")));
    }
    return absl::OkStatus();
  }

  // What an operand stands for; constants are read when they are needed.
  absl::StatusOr<Tensor*> Value(int32_t index) {
    if (Tensor* known = state_.values[static_cast<size_t>(index)]) return known;
    const tflite::Tensor& tensor = model_.tensor(index);
    const bool constant = model_.HasData(tensor) || IsEmpty(tensor);
    if (!constant) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor '", NameOf(index), "' has no data, and nothing has computed it before"));
    }
    absl::StatusOr<TensorData> data = ReadFlowing(model_, tensor, state_.builder);
    if (!data.ok()) {
      return Annotate(data.status(), absl::StrCat("tensor '", NameOf(index), "'"));
    }
    Tensor* added = graph_.AddConstant(NameOf(index), data->type, std::move(data->constant));
    state_.Bind(index, added);
    return added;
  }

  // A detection doesn't belong to what is imported: what is wrong with it matters only to whoever
  // wants its anchors.
  void ReadAnchors(std::vector<std::string>& warnings) {
    absl::StatusOr<std::vector<float>> anchors = DetectionAnchors(model_, state_.builder);
    if (anchors.ok()) {
      graph_.anchors = *std::move(anchors);
    } else {
      warnings.push_back(absl::StrCat("there are no ${ANCHORS}: ", anchors.status().message()));
    }
  }

  static bool IsEmpty(const tflite::Tensor& tensor) {
    const auto dims = Elements(tensor.shape());
    return std::find(dims.begin(), dims.end(), 0) != dims.end();
  }

  // What a recurrent operator keeps from one inference to the next; absent here.
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
    return WithLimits(mapping.map(context), mapping.limits);
  }

  // Outputs bear their own names; what stands under another one is renamed or,
  // if that is needed too, copied.
  absl::Status AddOutput(int32_t index) {
    ASSIGN_OR_RETURN(Tensor * tensor, Value(index));
    const std::string& name = NameOf(index);
    if (Tensor* input = graph_.FindTensor(name); IsInput(input)) tensor = input;
    ASSIGN_OR_RETURN(const TensorType border, NetworkType(model_.tensor(index)));
    if (border.dtype == DataType::kInt32 && tensor->type.dtype == DataType::kInt64) {
      return state_.builder.AddConvertedOutput(tensor, name, "cast",
                                               {{"to", std::string("int32")}});
    }
    const bool name_needed = IsInput(tensor) || wanted_.contains(tensor->name);
    return state_.builder.AddOutput(tensor, name, name_needed);
  }

  const Model& model_;
  const ImportOptions& options_;
  Graph graph_;
  absl::flat_hash_set<const Tensor*> inputs_;
  absl::flat_hash_set<absl::string_view> wanted_;  // names of the outputs
  ImportState state_;
  bool has_state_ = false;
};

// The file's buffers are aligned to 16 within it.
constexpr size_t kAlignment = 16;

absl::StatusOr<TfliteImport> Import(absl::Span<const uint8_t> bytes,
                                    std::shared_ptr<const void> owner, absl::string_view name,
                                    const ImportOptions& options) {
  ASSIGN_OR_RETURN(const Model model, ParseModel(bytes, std::move(owner)));
  ASSIGN_OR_RETURN(TfliteImport import, Importer(model, options).Run());
  import.graph.name = std::string(name);
  return import;
}

}  // namespace
}  // namespace tflite_import

absl::StatusOr<TfliteImport> ImportTfliteBytes(absl::string_view bytes, absl::string_view name,
                                               const ImportOptions& options) {
  constexpr size_t kAlignment = tflite_import::kAlignment;
  const auto copy = std::make_shared<std::vector<uint8_t>>(bytes.size() + kAlignment);
  const size_t misaligned = reinterpret_cast<uintptr_t>(copy->data()) % kAlignment;
  uint8_t* begin = copy->data() + (misaligned == 0 ? 0 : kAlignment - misaligned);
  std::copy(bytes.begin(), bytes.end(), begin);
  return tflite_import::Import({begin, bytes.size()}, copy, name, options);
}

absl::StatusOr<TfliteImport> ImportTflite(const std::string& path, const ImportOptions& options) {
  ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(path));
  const auto file = std::make_shared<const MappedFile>(std::move(mapped));
  return Annotate(tflite_import::Import(file->bytes(), file, Stem(path), options), path);
}

}  // namespace synap_internal

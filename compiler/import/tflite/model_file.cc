#include "compiler/import/tflite/model_file.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal::tflite_import {
namespace {

constexpr uint32_t kVersion = 3;

absl::Status NotTflite(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("is not a TensorFlow Lite model: ", why));
}

absl::Status CheckBytes(absl::Span<const uint8_t> bytes) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const absl::string_view why = WhyUnreadable(text); !why.empty()) return NotTflite(why);
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return NotTflite("it has more than 2 GiB");
  if (bytes.size() < 8 || text.substr(4, 4) != tflite::ModelIdentifier()) {
    return NotTflite("bytes 4 to 7 are not 'TFL3'");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!tflite::VerifyModelBuffer(verifier)) return NotTflite("it is truncated or damaged");
  return absl::OkStatus();
}

absl::Status CheckHeader(const tflite::Model& root) {
  if (root.version() != kVersion) {
    return absl::UnimplementedError(
        absl::StrCat("has version ", root.version(), " of the format, supported is ", kVersion));
  }
  const size_t graphs = root.subgraphs() == nullptr ? 0 : root.subgraphs()->size();
  if (graphs == 0) return NotTflite("it has no subgraph");
  if (graphs > 1) {
    return absl::UnimplementedError(
        absl::StrCat("has ", graphs,
                     " subgraphs, supported is one: export the network without control flow "
                     "(IF, WHILE) and with one signature"));
  }
  if (root.operator_codes() == nullptr) return NotTflite("it has no operator codes");
  const tflite::SubGraph& graph = *root.subgraphs()->Get(0);
  if (graph.tensors() == nullptr) return NotTflite("it has no tensors");
  if (graph.operators() == nullptr) return NotTflite("it has no operators");
  return absl::OkStatus();
}

absl::Status BadIndex(absl::string_view what, int64_t index, size_t count) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", index, " does not exist: there are ", count));
}

absl::Status CheckTensors(const Model& model) {
  const size_t buffers = model.root->buffers() == nullptr ? 0 : model.root->buffers()->size();
  for (size_t i = 0; i < model.tensor_names.size(); ++i) {
    const uint32_t buffer = model.tensor(static_cast<int32_t>(i)).buffer();
    // Buffer 0 stands for none, and may be left out.
    if (buffer == 0 || buffer < buffers) continue;
    return Annotate(BadIndex("buffer", buffer, buffers),
                    absl::StrCat("tensor '", model.tensor_names[i], "'"));
  }
  return absl::OkStatus();
}

// The tensors that have a value so far; a tensor gets one once.
class Definitions {
 public:
  explicit Definitions(const Model& model)
      : model_(model), defined_(model.graph->tensors()->size()) {}

  absl::Status CheckTensor(int32_t index) const {
    if (index >= 0 && static_cast<size_t>(index) < defined_.size()) return absl::OkStatus();
    return BadIndex("tensor", index, defined_.size());
  }

  absl::Status Define(int32_t index) {
    RETURN_IF_ERROR(CheckTensor(index));
    if (defined_[static_cast<size_t>(index)]) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", index, " ('", model_.tensor_names[static_cast<size_t>(index)],
                       "') gets its value twice"));
    }
    defined_[static_cast<size_t>(index)] = true;
    return absl::OkStatus();
  }

 private:
  const Model& model_;
  std::vector<bool> defined_;
};

absl::Status CheckOperator(const Model& model, const tflite::Operator& op,
                           Definitions& definitions) {
  const size_t codes = model.root->operator_codes()->size();
  if (op.opcode_index() >= codes) return BadIndex("operator code", op.opcode_index(), codes);
  for (const int32_t input : Elements(op.inputs())) {
    if (input != -1) RETURN_IF_ERROR(definitions.CheckTensor(input));
  }
  if (Elements(op.outputs()).empty()) return absl::InvalidArgumentError("it has no output");
  for (const int32_t output : Elements(op.outputs())) {
    RETURN_IF_ERROR(definitions.Define(output));
  }
  return absl::OkStatus();
}

absl::Status CheckIndices(const Model& model) {
  Definitions definitions(model);
  for (const int32_t input : Elements(model.graph->inputs())) {
    RETURN_IF_ERROR(Annotate(definitions.Define(input), "an input"));
  }
  for (const int32_t output : Elements(model.graph->outputs())) {
    RETURN_IF_ERROR(Annotate(definitions.CheckTensor(output), "an output"));
  }
  for (size_t i = 0; i < model.op_count(); ++i) {
    RETURN_IF_ERROR(
        Annotate(CheckOperator(model, model.op(i), definitions), absl::StrCat("operator #", i)));
  }
  return absl::OkStatus();
}

// Names are for people; files may leave them out or repeat them.
std::vector<std::string> UniqueNames(const tflite::SubGraph& graph) {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> taken;
  for (const tflite::Tensor* tensor : *graph.tensors()) {
    std::string name = tensor->name() == nullptr ? "" : tensor->name()->str();
    if (name.empty()) name = absl::StrCat("tensor_", names.size());
    if (taken.contains(name)) name = absl::StrCat(name, "#", names.size());
    while (!taken.insert(name).second) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

const tflite::Buffer* Model::buffer(const tflite::Tensor& tensor) const {
  return tensor.buffer() == 0 ? nullptr : root->buffers()->Get(tensor.buffer());
}

const flatbuffers::Vector<uint8_t>* Model::data(const tflite::Tensor& tensor) const {
  const tflite::Buffer* data_buffer = buffer(tensor);
  const auto* data = data_buffer == nullptr ? nullptr : data_buffer->data();
  return data == nullptr || data->size() == 0 ? nullptr : data;
}

bool Model::HasData(const tflite::Tensor& tensor) const {
  return data(tensor) != nullptr || tensor.sparsity() != nullptr || HasDataAfterFlatbuffer(tensor);
}

bool Model::HasDataAfterFlatbuffer(const tflite::Tensor& tensor) const {
  return buffer(tensor) != nullptr && buffer(tensor)->offset() > 1;
}

tflite::BuiltinOperator BuiltinCode(const tflite::OperatorCode& code) {
  const auto old = static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code());
  return std::max(old, code.builtin_code());
}

std::string OperatorName(const tflite::OperatorCode& code) {
  const tflite::BuiltinOperator builtin = BuiltinCode(code);
  if (builtin == tflite::BuiltinOperator::CUSTOM) {
    return code.custom_code() == nullptr ? "CUSTOM" : code.custom_code()->str();
  }
  const std::string name = tflite::EnumNameBuiltinOperator(builtin);
  return name.empty() ? absl::StrCat("BUILTIN_", static_cast<int>(builtin)) : name;
}

std::string OperatorLabel(const Model& model, size_t index) {
  const tflite::Operator& op = model.op(index);
  const auto output = static_cast<size_t>(op.outputs()->Get(0));
  return absl::StrCat("operator #", index, " ", OperatorName(model.code(op)), " ('",
                      model.tensor_names[output], "')");
}

absl::StatusOr<Model> ParseModel(absl::Span<const uint8_t> bytes,
                                 std::shared_ptr<const void> owner) {
  RETURN_IF_ERROR(CheckBytes(bytes));
  Model model;
  model.owner = std::move(owner);
  model.root = tflite::GetModel(bytes.data());
  RETURN_IF_ERROR(CheckHeader(*model.root));
  model.graph = model.root->subgraphs()->Get(0);
  model.tensor_names = UniqueNames(*model.graph);
  RETURN_IF_ERROR(CheckTensors(model));
  RETURN_IF_ERROR(CheckIndices(model));
  return model;
}

}  // namespace synap_internal::tflite_import

#include "compiler/import/framework.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/metadata.h"
#include "compiler/import/tflite/model_file.h"
#include "compiler/import/tflite/model_graph.h"
#include "compiler/import/tflite/op_table.h"
#include "compiler/import/unreadable_file.h"

namespace synap_internal {
namespace tflite_import {
namespace {

std::string TextOf(const Model& model, int32_t index) {
  const tflite::Tensor& tensor = model.tensor(index);
  return InputOutputText(model.tensor_names[static_cast<size_t>(index)],
                         tflite::EnumNameTensorType(tensor.type()), ShapeOf(tensor));
}

ModelSummary Summarize(const Model& model) {
  ModelSummary summary;
  summary.framework = absl::StrCat("TensorFlow Lite, version ", model.root->version());
  if (model.root->description() != nullptr && model.root->description()->size() > 0) {
    absl::StrAppend(&summary.framework, ", ", model.root->description()->str());
  }
  for (const int32_t index : Elements(model.graph->inputs())) {
    summary.inputs.push_back(TextOf(model, index));
  }
  for (const int32_t index : Elements(model.graph->outputs())) {
    summary.outputs.push_back(TextOf(model, index));
  }
  for (size_t i = 0; i < model.tensor_names.size(); ++i) {
    const tflite::Tensor& tensor = model.tensor(static_cast<int32_t>(i));
    if (!model.HasData(tensor)) continue;
    const auto dims = Elements(tensor.shape());
    const auto* data = model.data(tensor);
    summary.AddParameters({dims.begin(), dims.end()},
                          data == nullptr ? 0 : static_cast<int64_t>(data->size()));
  }
  for (size_t i = 0; i < model.op_count(); ++i) {
    const tflite::OperatorCode& code = model.code(model.op(i));
    summary.Count(OperatorName(code), Mapping(code).supported());
  }
  return summary;
}

constexpr absl::string_view kSuffixes[] = {".tflite"};

std::vector<OperatorList> Lists() {
  return {ListOperators("TensorFlow Lite, operators", Operators(), tflite::EnumNameBuiltinOperator),
          ListOperators("TensorFlow Lite, custom operators", CustomOperators())};
}

}  // namespace
}  // namespace tflite_import

absl::StatusOr<ModelSummary> SummarizeTflite(const ModelFiles& files) {
  ASSIGN_OR_RETURN(MappedFile mapped, MappedFile::Open(files.model));
  const auto file = std::make_shared<const MappedFile>(std::move(mapped));
  const auto model = tflite_import::ParseModel(file->bytes(), file);
  if (!model.ok()) return Annotate(model.status(), files.model);
  ModelSummary summary = tflite_import::Summarize(*model);
  summary.metadata = tflite_import::ReadMetadata(*model, BytesOf(*file));
  return summary;
}

const Framework kTfliteFramework = {
    .name = "TensorFlow Lite",
    .suffixes = tflite_import::kSuffixes,
    .layout = "nhwc",
    .format = "TensorFlow Lite, one signature",
    .needs = "",
    .import = ImportTflite,
    .summarize = SummarizeTflite,
    .operators = tflite_import::Lists,
};

}  // namespace synap_internal

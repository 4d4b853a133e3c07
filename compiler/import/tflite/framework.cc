#include "compiler/import/framework.h"

#include <vector>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".tflite"};

absl::StatusOr<ImportedModel> Import(const ModelFiles& files, const ImportOptions& options) {
  return ImportTflite(files.model, options);
}

absl::StatusOr<ModelSummary> Summarize(const ModelFiles& files) {
  return SummarizeTflite(files.model);
}

std::vector<OperatorList> Lists() {
  return {ListOperators("TensorFlow Lite, operators", tflite_import::Operators().rows(),
                        [](const auto& row) { return tflite::EnumNameBuiltinOperator(row.op); })};
}

}  // namespace

const Framework kTfliteFramework = {
    .name = "TensorFlow Lite",
    .suffixes = kSuffixes,
    .layout = "nhwc",
    .format = "TensorFlow Lite, one subgraph",
    .needs = "",
    .import = Import,
    .summarize = Summarize,
    .operators = Lists,
};

}  // namespace synap_internal

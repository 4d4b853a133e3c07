#include "compiler/import/framework.h"

#include <string>
#include <vector>

#include "compiler/import/onnx/external_data_files.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".onnx"};

absl::StatusOr<ImportedModel> Import(const ModelFiles& files, const ImportOptions& options) {
  return ImportOnnx(files.model, options);
}

absl::StatusOr<ModelSummary> Summarize(const ModelFiles& files) {
  return SummarizeOnnx(files.model);
}

std::vector<OperatorList> Lists() {
  const auto name_of = [](const onnx_import::OpMapping& row) { return std::string(row.op); };
  std::vector<const onnx_import::OpMapping*> contributed;
  for (const auto& row : onnx_import::ContributedMappings()) contributed.push_back(&row);
  return {ListOperators("ONNX, operators of the default domain", onnx_import::Operators().rows(),
                        name_of),
          ListOperators("ONNX, operators of `com.microsoft`", contributed, name_of)};
}

}  // namespace

const Framework kOnnxFramework = {
    .name = "ONNX",
    .suffixes = kSuffixes,
    .layout = "nchw",
    .format = "ONNX, any opset; changes are known up to 28",
    .needs = "",
    .import = Import,
    .summarize = Summarize,
    .operators = Lists,
    .data_files = ExternalDataFiles,
};

}  // namespace synap_internal

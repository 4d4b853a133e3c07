#include "compiler/import/framework.h"

#include <vector>

#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/onnx/model_file.h"
#include "compiler/import/onnx/op_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".onnx"};

std::vector<OperatorList> Lists() {
  return {ListOperators("ONNX, operators of the default domain", onnx_import::Operators()),
          ListOperators("ONNX, operators of `com.microsoft`", onnx_import::ContributedOperators()),
          ListOperators("ONNX, operators of `ai.onnx.preview`", onnx_import::PreviewOperators())};
}

}  // namespace

const Framework kOnnxFramework = {
    .name = "ONNX",
    .suffixes = kSuffixes,
    .layout = "nchw",
    .format = "ONNX, any opset; changes are known up to 28",
    .needs = "",
    .import = ImportOnnx,
    .summarize = SummarizeOnnx,
    .operators = Lists,
    .data_files = onnx_import::ExternalDataFiles,
};

}  // namespace synap_internal

#include "compiler/import/framework.h"

#include <string>
#include <vector>

#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/caffe/layer_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".prototxt"};

absl::StatusOr<ImportedModel> Import(const ModelFiles& files, const ImportOptions& options) {
  return ImportCaffe(files.model, files.weights, options);
}

absl::StatusOr<ModelSummary> Summarize(const ModelFiles& files) {
  return SummarizeCaffe(files.model, files.weights);
}

std::vector<OperatorList> Lists() {
  return {ListOperators("Caffe, types of layers", caffe_import::LayerTypes().rows(),
                        [](const auto& row) { return std::string(row.op); })};
}

}  // namespace

const Framework kCaffeFramework = {
    .name = "Caffe",
    .suffixes = kSuffixes,
    .layout = "nchw",
    .format = "Caffe 1.0",
    .needs = "`--weights` (in Bazel, `weights`): the `.caffemodel`",
    .import = Import,
    .summarize = Summarize,
    .operators = Lists,
    .weights_suffix = ".caffemodel",
};

}  // namespace synap_internal

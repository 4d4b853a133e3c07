#include "compiler/import/framework.h"

#include <vector>

#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".pb"};

std::vector<OperatorList> Lists() {
  return {ListOperators("TensorFlow, operators", tensorflow_import::Operators())};
}

}  // namespace

const Framework kTensorflowFramework = {
    .name = "TensorFlow",
    .suffixes = kSuffixes,
    .layout = "nhwc",
    .format = "TensorFlow, a frozen graph",
    .needs = "a metafile with `name` and `shape` of all inputs and `name` of all outputs",
    .import = ImportTensorflow,
    .summarize = SummarizeTensorflow,
    .operators = Lists,
    .weights_refusal = "Caffe2 models (.pb and --weights) are not supported",
};

}  // namespace synap_internal

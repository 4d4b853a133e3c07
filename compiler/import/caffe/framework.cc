#include "compiler/import/framework.h"

#include <vector>

#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/caffe/layer_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".prototxt"};

std::vector<OperatorList> Lists() {
  return {ListOperators("Caffe, types of layers", caffe_import::LayerTypes())};
}

}  // namespace

const Framework kCaffeFramework = {
    .name = "Caffe",
    .suffixes = kSuffixes,
    .layout = "nchw",
    .format = "Caffe 1.0",
    .needs = "`--weights` (in Bazel, `weights`): the `.caffemodel`",
    .import = ImportCaffe,
    .summarize = SummarizeCaffe,
    .operators = Lists,
    .weights_suffix = ".caffemodel",
};

}  // namespace synap_internal

#include "compiler/import/framework.h"

#include <vector>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/op_table.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kSuffixes[] = {".tflite"};

std::vector<OperatorList> Lists() {
  return {ListOperators("TensorFlow Lite, operators", tflite_import::Operators(),
                        tflite::EnumNameBuiltinOperator),
          ListOperators("TensorFlow Lite, custom operators", tflite_import::CustomOperators())};
}

}  // namespace

const Framework kTfliteFramework = {
    .name = "TensorFlow Lite",
    .suffixes = kSuffixes,
    .layout = "nhwc",
    .format = "TensorFlow Lite, one signature",
    .needs = "",
    .import = ImportTflite,
    .summarize = SummarizeTflite,
    .operators = Lists,
};

}  // namespace synap_internal

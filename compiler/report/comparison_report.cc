#include "compiler/report/comparison_report.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

std::string TextReport(const FolderComparison& comparison) {
  constexpr absl::string_view kLayer = "layer", kTensor = "tensor";
  size_t layer_width = kLayer.size(), name_width = kTensor.size();
  for (const ComparedTensor& tensor : comparison.tensors) {
    layer_width = std::max(layer_width, tensor.layer.size());
    name_width = std::max(name_width, tensor.name.size());
  }
  const int layers = static_cast<int>(layer_width), names = static_cast<int>(name_width);
  std::string text = absl::StrFormat("%-*s  %-*s  %9s  %9s  %9s  %7s\n", layers, kLayer, names,
                                     kTensor, "elements", "differing", "steps", "SQNR/dB");
  for (const ComparedTensor& tensor : comparison.tensors) {
    const Difference& difference = tensor.difference;
    absl::StrAppendFormat(&text, "%-*s  %-*s  %9d  %9d  %9.4g  %7.1f\n", layers, tensor.layer,
                          names, tensor.name, difference.elements, difference.differing,
                          difference.steps, difference.sqnr_db);
  }
  if (!comparison.unused.empty()) {
    absl::StrAppend(&text, "not compared, since no tensor of the model has the name: ",
                    absl::StrJoin(comparison.unused, ", "), "\n");
  }
  return text;
}

absl::Status CheckWithin(const FolderComparison& comparison, double tolerance) {
  for (const ComparedTensor& tensor : comparison.tensors) {
    if (tensor.difference.differing == 0 || tensor.difference.steps <= tolerance) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        tensor.file, ": ", tensor.layer, ", tensor '", tensor.name,
        "', is the first that differs: ", DifferenceText(tensor.difference, tensor.shape)));
  }
  return absl::OkStatus();
}

}  // namespace synap_internal

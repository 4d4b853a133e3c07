#include "runtime/vision/detector/row_tensors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/list_layout.h"

namespace synap_internal {

absl::StatusOr<std::vector<RowTensor>> ReadRowTensors(absl::Span<const DetectionTensor> tensors) {
  std::vector<RowTensor> rows;
  for (size_t i = 0; i < tensors.size(); ++i) {
    ASSIGN_OR_RETURN(const ListLayout layout, Annotate(ReadListLayout(tensors[i].shape, false, 1),
                                                       absl::StrCat("output ", i)));
    rows.push_back({i, layout.count, layout.values});
  }
  return rows;
}

absl::Status UnexpectedTensors(absl::Span<const DetectionTensor> tensors,
                               const DetectionOptions& options, absl::string_view expected) {
  const std::string shapes =
      absl::StrJoin(tensors, ", ", [](std::string* text, const DetectionTensor& tensor) {
        absl::StrAppend(text, tensor.shape.ToString());
      });
  return absl::InvalidArgumentError(absl::StrCat("shapes of the outputs are ", shapes,
                                                 ", expected of ", options.type, " ", expected));
}

}  // namespace synap_internal

// Readers of label files: a list of classes, YOLO's boxes, COCO's instances.
#ifndef COMPILER_CONVERT_TUNE_PARSE_LABELS_H_
#define COMPILER_CONVERT_TUNE_PARSE_LABELS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compiler/convert/stages/accuracy.h"

namespace synap_internal {

// A label, and what it names its sample by.
struct NamedLabel {
  std::string sample;
  SampleLabel label;
};

// The index of a class that is written as its number or as one of `names`, the class names of the
// network in their order. InvalidArgument for other words.
absl::StatusOr<int> ParseClass(absl::string_view word, const std::vector<std::string>& names);

// Lines "<sample> <class>", the class as ParseClass takes it; in lines with a tab it separates the
// two. Empty lines don't count. A label's place is its line, ":3". InvalidArgument naming the line.
absl::StatusOr<std::vector<NamedLabel>> ParseClassList(absl::string_view text,
                                                       const std::vector<std::string>& names);

// Lines "<class> <centre x> <centre y> <width> <height>", the last four in parts of the picture.
// Empty lines don't count. InvalidArgument naming the line.
absl::StatusOr<std::vector<LabelledObject>> ParseYoloLabels(absl::string_view text);

struct CocoInstances {
  std::vector<NamedLabel> labels;
  int classes = 0;  // as Labels::classes
};

// COCO's instances: the members images (id, file_name, width, height), annotations (image_id,
// category_id, bbox in pixels, iscrowd) and categories (id, name). A category's class is that of
// its name, if `names` have those of all categories, or else its place in the order of the ids.
// Pictures without annotations have labels without objects. InvalidArgument for other texts, and
// for ids that are no whole numbers or that two pictures or categories have.
absl::StatusOr<CocoInstances> ParseCocoInstances(const std::string& text,
                                                 const std::vector<std::string>& names);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_TUNE_PARSE_LABELS_H_

#include "compiler/convert/stages/check_labels.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/name_list.h"
#include "base/shape.h"
#include "base/status_macros.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

using synaptics::synap::Network;
using synaptics::synap::Tensor;
using Task = ModelLoss::Task;

constexpr size_t kMostPlaces = 8;  // that an error names

// Class indices from `first` on; a `count` of 0: any.
struct ClassIndices {
  int64_t first = 0;
  int64_t count = 0;

  bool Has(int64_t index) const { return count == 0 || (index >= first && index < first + count); }
};

absl::StatusOr<ClassIndices> DetectedClasses(const Network& network) {
  std::vector<DetectionTensor> tensors;
  for (const Tensor& output : network.outputs) {
    tensors.push_back({output.format(), Shape({output.shape().begin(), output.shape().end()})});
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<DetectionDecoder> decoder,
                   MakeDetectionDecoder(tensors, /*score_threshold=*/0.5f));
  ASSIGN_OR_RETURN(const int first, ReadClassIndexBase(tensors));
  return ClassIndices{first, decoder->classes()};
}

absl::StatusOr<ClassIndices> ClassesOf(const Network& network, Task task) {
  if (task == Task::kDetection) return DetectedClasses(network);
  const Tensor& output = network.outputs[0];
  ASSIGN_OR_RETURN(const int first,
                   FormatString::Parse(output.format()).Int("class_index_base", 0));
  return ClassIndices{first, static_cast<int64_t>(output.item_count())};
}

absl::Status CheckTask(const Labels& labels, Task task, const Network& network) {
  if (task == Task::kOther) {
    return absl::InvalidArgumentError(absl::StrCat(
        labels.path, ": the network's first output has the format '",
        network.outputs.size() == 0 ? "" : network.outputs[0].format(),
        "', expected confidence_array or that of a detector (docs/detection.md) for labels; write "
        "it into 'outputs' of the metafile"));
  }
  if (labels.have_boxes == (task == Task::kDetection)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      labels.have_boxes
          ? absl::StrCat(labels.path, ": found boxes, expected a class for each sample, since the ",
                         "network is a classifier")
          : absl::StrCat(labels.path, ": found a class for each sample, expected boxes, since the ",
                         "network is a detector"));
}

absl::Status CheckIndices(const Labels& labels, const ClassIndices& classes) {
  std::vector<std::string> wrong;
  for (const auto& [name, label] : labels.samples) {
    std::set<int64_t> indices;
    if (!labels.have_boxes) indices.insert(label.class_index);
    for (const LabelledObject& object : label.objects) indices.insert(object.class_index);
    for (const int64_t index : indices) {
      if (!classes.Has(index)) wrong.push_back(absl::StrCat(label.place, ": class ", index));
    }
  }
  if (wrong.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(FirstNames(wrong, kMostPlaces), ", expected ", classes.first, " to ",
                   classes.first + classes.count - 1, ", the network's classes"));
}

}  // namespace

absl::Status CheckLabels(const Labels& labels, ModelLoss::Task task,
                         const synaptics::synap::Network& network) {
  RETURN_IF_ERROR(CheckTask(labels, task, network));
  const absl::StatusOr<ClassIndices> classes = ClassesOf(network, task);
  if (!classes.ok()) return Annotate(classes.status(), labels.path);
  const int64_t named = classes->first + classes->count;
  if (labels.classes > 0 && classes->count > 0 && labels.classes != named) {
    return absl::InvalidArgumentError(
        absl::StrCat(labels.path, ": found ", labels.classes, " classes, expected ", named,
                     " as the network has, since their order is their number; name them ",
                     labels.have_boxes ? "" : "by their numbers or ", "as info.json does"));
  }
  return CheckIndices(labels, *classes);
}

}  // namespace synap_internal

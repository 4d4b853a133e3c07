// Class names of a model, from info.json.
#ifndef RUNTIME_VISION_LABEL_INFO_H_
#define RUNTIME_VISION_LABEL_INFO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace synaptics::synap {

// The labels of an info.json, {"labels": ["person", "car"]}. A value type.
class LabelInfo {
 public:
  LabelInfo() = default;

  // Reads a file. Errors begin with its path.
  static absl::StatusOr<LabelInfo> Read(const std::string& path);

  // Reads the info.json in the folder of `model_file` or in the nearest folder
  // above it that has one. Empty if none has one, or if it can't be read, which
  // logs a warning.
  static LabelInfo Find(const std::string& model_file);

  // Whether there are no labels.
  bool empty() const { return labels_.empty(); }

  // The name of class `index`, "" if it has none.
  const std::string& label(int32_t index) const;

 private:
  static absl::StatusOr<LabelInfo> ReadFrom(const std::string& path);
  static LabelInfo FindFor(const std::string& model_file);

  std::vector<std::string> labels_;
};

}  // namespace synaptics::synap

#endif  // RUNTIME_VISION_LABEL_INFO_H_

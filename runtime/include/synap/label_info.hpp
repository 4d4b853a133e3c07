// Class names of a model, from info.json.
#ifndef SYNAP_LABEL_INFO_HPP_
#define SYNAP_LABEL_INFO_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace synaptics::synap {

// The labels of an info.json, {"labels": ["person", "car"]}. A value type.
class LabelInfo {
 public:
  // No labels.
  LabelInfo() = default;

  // Reads a file. If it can't be read or isn't an info.json, an error is logged and there are no
  // labels.
  explicit LabelInfo(const std::string& info_file);

  // Reads the info.json in the folder of `model_file`, or in the nearest folder above it that has
  // one. No labels if none has one, or, with an error logged, if it can't be read.
  static LabelInfo find(const std::string& model_file);

  // Whether there are no labels.
  bool empty() const { return labels_.empty(); }
  size_t size() const { return labels_.size(); }

  // The name of class `index`, "" if it has none.
  const std::string& label(int32_t index) const;

 private:
  std::vector<std::string> labels_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_LABEL_INFO_HPP_

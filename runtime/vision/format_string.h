// The format string of a tensor: what its data means, for pre- and
// postprocessing, e.g. "yolov5 landmarks=5 anchors=[[],[],[],[4,5,8,10,13,16]]".
#ifndef RUNTIME_VISION_FORMAT_STRING_H_
#define RUNTIME_VISION_FORMAT_STRING_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap {

// A value type. The type is the text up to the first blank, empty if that token
// holds a '='; then come key=value tokens, separated by blanks (a blank inside
// [] doesn't separate). Of a key that is repeated, the last value counts; tokens
// without '=' are ignored, as they have always been.
class FormatString {
 public:
  FormatString() = default;
  static FormatString Parse(absl::string_view text);

  const std::string& type() const { return type_; }
  bool Has(absl::string_view key) const { return attributes_.count(std::string(key)) > 0; }

  // The value as written, without blanks inside of brackets; "" where absent.
  std::string Get(absl::string_view key) const;

  // The value of `key`, `fallback` where it is absent. InvalidArgument naming
  // the key, the value and what was expected. Bool takes 0, 1, false, true.
  absl::StatusOr<int> Int(absl::string_view key, int fallback) const;
  absl::StatusOr<float> Float(absl::string_view key, float fallback) const;
  absl::StatusOr<bool> Bool(absl::string_view key, bool fallback) const;

  // "[1,2,3]"; empty where absent.
  absl::StatusOr<std::vector<float>> Floats(absl::string_view key) const;
  // "[[],[1,2],[3]]": empty inner lists keep their place; a flat list is one
  // list; empty where absent.
  absl::StatusOr<std::vector<std::vector<float>>> FloatLists(absl::string_view key) const;

 private:
  const std::string* Find(absl::string_view key) const;

  std::string type_;
  std::map<std::string, std::string> attributes_;
};

}  // namespace synap

#endif  // RUNTIME_VISION_FORMAT_STRING_H_

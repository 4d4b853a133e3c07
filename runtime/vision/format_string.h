// Format string of a tensor, which describes its data for pre- and
// postprocessing, e.g. "yolov5 landmarks=5 anchors=[[],[],[],[4,5,8,10,13,16]]".
#ifndef RUNTIME_VISION_FORMAT_STRING_H_
#define RUNTIME_VISION_FORMAT_STRING_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// A value type. The type is the text up to the first blank, empty if that token
// contains a '='; key=value tokens follow, separated by blanks (a blank inside []
// doesn't separate). The last value of a repeated key is used; tokens without '='
// are ignored, for compatibility.
class FormatString {
 public:
  FormatString() = default;
  static FormatString Parse(absl::string_view text);

  const std::string& type() const { return type_; }
  bool Has(absl::string_view key) const { return attributes_.count(std::string(key)) > 0; }

  // The value as written, without blanks inside of brackets; "" if absent.
  std::string Get(absl::string_view key) const;

  // The value of `key`, `fallback` if it is absent. InvalidArgument naming the
  // key, the value and the expected values. Bool takes 0, 1, false, true.
  absl::StatusOr<int> Int(absl::string_view key, int fallback) const;
  absl::StatusOr<float> Float(absl::string_view key, float fallback) const;
  absl::StatusOr<bool> Bool(absl::string_view key, bool fallback) const;

  // "[1,2,3]"; empty if absent.
  absl::StatusOr<std::vector<float>> Floats(absl::string_view key) const;
  // "[[],[1,2],[3]]", with empty inner lists; a flat list is one inner list; empty
  // if absent.
  absl::StatusOr<std::vector<std::vector<float>>> FloatLists(absl::string_view key) const;

 private:
  const std::string* Find(absl::string_view key) const;

  std::string type_;
  std::map<std::string, std::string> attributes_;
};

// The type of a format string, for those who read no attributes.
std::string FormatType(absl::string_view text);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_FORMAT_STRING_H_

// Class names of a model in its info.json, {"labels": ["person", "car"]}.
#ifndef RUNTIME_VISION_INFO_FILE_H_
#define RUNTIME_VISION_INFO_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace synap_internal {

// The path of the info.json in the folder of `model_file`, or in the nearest folder above it that
// has one; "" if none has one.
std::string FindInfoFile(const std::string& model_file);

// The class names in the file at `path`. An error begins with the path: InvalidArgument for other
// content, or as ReadFile().
absl::StatusOr<std::vector<std::string>> ReadLabels(const std::string& path);

}  // namespace synap_internal

#endif  // RUNTIME_VISION_INFO_FILE_H_

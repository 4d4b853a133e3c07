// Profile files: a vendor's tool as data, in YAML. README.md of profiles/ describes the fields.
#ifndef COMPILER_EXPORT_ONNX_PARSE_PROFILE_H_
#define COMPILER_EXPORT_ONNX_PARSE_PROFILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "compiler/export/onnx/export_profile.h"

namespace synap_internal {

struct ProfileFile {
  // Its last part, without ".yaml", is the profile's name.
  std::string path;
  std::string text;
};

// InvalidArgument "<path>:<line>:<column>: <field>: ..." for anything but the documented fields and
// values, for a wish or a limit without a sentence and for a wish that is there twice.
absl::StatusOr<ExportProfile> ParseProfile(const ProfileFile& file);

}  // namespace synap_internal

#endif  // COMPILER_EXPORT_ONNX_PARSE_PROFILE_H_

// Results of stages, found by what they were made from.
#ifndef COMPILER_CLI_STAGE_CACHE_H_
#define COMPILER_CLI_STAGE_CACHE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap {

// Files in one folder, named by the SHA-256 of the stage, the toolkit's version
// and the parts of the key. Each holds the SHA-256 of its content, so that a
// damaged file is a miss.
class StageCache {
 public:
  explicit StageCache(std::string folder) : folder_(std::move(folder)) {}

  // What stands for a large part in a key: its SHA-256, as hexadecimal digits.
  static std::string Digest(absl::string_view part);

  std::string FileOf(absl::string_view stage, const std::vector<std::string>& key) const;
  // NotFound for a miss.
  absl::StatusOr<std::string> Read(const std::string& file) const;
  // Makes the folder if need be.
  absl::Status Write(const std::string& file, absl::string_view content) const;

 private:
  std::string folder_;
};

}  // namespace synap

#endif  // COMPILER_CLI_STAGE_CACHE_H_

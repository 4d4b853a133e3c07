// On-disk cache of stage results, addressed by the content of their inputs.
#ifndef COMPILER_CLI_STAGE_CACHE_H_
#define COMPILER_CLI_STAGE_CACHE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"

namespace synap_internal {

// The result of a stage with the warnings that it returned.
struct StageResult {
  std::string content;
  std::vector<Warning> warnings;

  friend bool operator==(const StageResult& a, const StageResult& b) {
    return a.content == b.content && a.warnings == b.warnings;
  }
};

// Files in one folder, named by the SHA-256 of the stage, the program and the parts of the key.
// Each holds the SHA-256 of the rest of it. A damaged file is a miss, and so is anything that isn't
// a regular file: a pipe, a folder, a device, a link to one of them.
class StageCache {
 public:
  // `program`: the identity of the code that makes the results (program_identity.h).
  StageCache(std::string folder, std::string program)
      : folder_(std::move(folder)), program_(std::move(program)) {}

  // `key`: all inputs of the result, large ones as their digest.
  std::string FileOf(absl::string_view stage, const std::vector<std::string>& key) const;
  // Any error is a miss.
  absl::StatusOr<StageResult> Read(const std::string& file) const;
  // Makes the folder if need be. Never waits for a reader of a pipe: it is replaced.
  absl::Status Write(const std::string& file, const StageResult& result) const;

 private:
  std::string folder_;
  std::string program_;
};

// Removes the oldest results of a cache's folder until they had `bytes` together. False if there
// was none.
bool DropOldestResults(const std::string& folder, uint64_t bytes);

}  // namespace synap_internal

#endif  // COMPILER_CLI_STAGE_CACHE_H_

// On-disk cache of stage results, addressed by the content of their inputs.
#ifndef COMPILER_CONVERT_CLI_STAGE_CACHE_H_
#define COMPILER_CONVERT_CLI_STAGE_CACHE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/warnings.h"
#include "runtime/security/key_files.h"

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
// Each holds its own name and the SHA-256 of the rest of it. A damaged file is a miss, and so are
// the result of another key or stage and anything that isn't a regular file: a link, a pipe, a
// folder, a device. Nothing is written through a link. Files are replaced and removed whole, so
// that several processes may use the folder: a reader has all of a result or a miss.
class StageCache {
 public:
  // `program`: the identity of the code that makes the results (program_identity.h).
  // `max_bytes`: of all results in the folder together.
  // `encryption`: encrypts results, which another key and none don't read; null: they are in clear.
  // It must outlive this.
  StageCache(std::string folder, std::string program,
             uint64_t max_bytes = std::numeric_limits<uint64_t>::max(),
             const EncryptionKey* encryption = nullptr)
      : folder_(std::move(folder)),
        program_(std::move(program)),
        max_bytes_(max_bytes),
        encryption_(encryption) {}

  // `key`: all inputs of the result, large ones as their digest.
  std::string FileOf(absl::string_view stage, const std::vector<std::string>& key) const;
  // Any error is a miss. What was read counts as used now, without a look at other files.
  absl::StatusOr<StageResult> Read(const std::string& file) const;
  // Makes the folder if need be. Never waits for a reader of a pipe: it is replaced.
  // Then removes the results that were used least recently until the others fit; those that are
  // dated in the future count as the oldest. ResourceExhausted, and nothing happens, for a result
  // that alone exceeds the limit.
  absl::Status Write(const std::string& file, const StageResult& result) const;

 private:
  std::string folder_;
  std::string program_;
  uint64_t max_bytes_;
  const EncryptionKey* encryption_;
};

struct CacheSize {
  uint64_t results = 0;
  uint64_t bytes = 0;
};

// Of the results in a cache's folder; zero of one that doesn't exist.
CacheSize SizeOfCache(const std::string& folder);

// Removes the results of a cache's folder that were used least recently until they had `bytes`
// together. False if there was none.
bool DropOldestResults(const std::string& folder, uint64_t bytes);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_STAGE_CACHE_H_

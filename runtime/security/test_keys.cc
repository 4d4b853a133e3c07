#include "runtime/security/test_keys.h"

#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "runtime/security/key_folder.h"

namespace synap_internal {

std::string MakeTestKeys(const std::string& name) {
  const char* const parent = std::getenv("TEST_TMPDIR");
  CHECK(parent != nullptr);
  const std::string folder = JoinPath(parent, name);
  KeyFolderOptions options;
  options.bits = kMinRsaBits;  // the quickest to make
  CHECK(WriteKeyFolder(folder, options).ok());
  return folder;
}

SealKeys TestSealKeys(const std::string& folder) {
  absl::StatusOr<SealKeys> keys = LoadSealKeys(SealKeyFilesIn(folder));
  CHECK(keys.ok());
  return *std::move(keys);
}

}  // namespace synap_internal

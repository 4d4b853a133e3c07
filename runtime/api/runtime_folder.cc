#include "runtime/api/runtime_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace synap_internal {

std::string XdgRuntimeFolder() {
  const char* parent = std::getenv("XDG_RUNTIME_DIR");
  return parent == nullptr || *parent != '/' ? "" : absl::StrCat(parent, "/synap");
}

std::string RuntimeFolder() {
  const std::string folder = XdgRuntimeFolder();
  return folder.empty() ? absl::StrCat("/tmp/synap-", geteuid()) : folder;
}

absl::Status MakeRuntimeFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::UnavailableError(
        absl::StrCat(folder, ": can't be created: ", std::strerror(errno)));
  }
  struct stat status = {};
  if (lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
      status.st_uid == geteuid()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(folder, ": isn't a folder of this user, expected one; delete it"));
}

}  // namespace synap_internal

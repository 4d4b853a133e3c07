#include "runtime/api/runtime_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/api/logging.h"

namespace synap_internal {

std::string XdgRuntimeFolder() {
  const char* parent = std::getenv("XDG_RUNTIME_DIR");
  return parent == nullptr || *parent != '/' ? "" : absl::StrCat(parent, "/synap");
}

std::string RuntimeFolder() {
  const std::string folder = XdgRuntimeFolder();
  return folder.empty() ? absl::StrCat("/tmp/synap-", geteuid()) : folder;
}

bool MakeRuntimeFolder() {
  const std::string folder = RuntimeFolder();
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    SYNAP_LOG(kError, folder, ": can't be created: ", std::strerror(errno));
    return false;
  }
  struct stat status = {};
  if (lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
      status.st_uid == geteuid()) {
    return true;
  }
  SYNAP_LOG(kError, folder, ": isn't a folder of this user, expected one; delete it");
  return false;
}

}  // namespace synap_internal

#include "runtime/api/runtime_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace synap_internal {
namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

// Descriptor of a folder of this user, -1 if it is none.
int OpenOwn(const std::string& folder, struct stat* status) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return -1;
  if (fstat(fd, status) == 0 && status->st_uid == geteuid()) return fd;
  close(fd);
  return -1;
}

}  // namespace

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
  const int fd = OpenOwn(folder, &status);
  if (fd < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(folder, ": isn't a folder of this user, expected one; delete it"));
  }
  const bool is_closed = (status.st_mode & kOthers) == 0 || fchmod(fd, 0700) == 0;
  close(fd);
  if (is_closed) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(folder, ": other users have access, expected mode 700: ", std::strerror(errno)));
}

int OpenRuntimeFolder(const std::string& folder) {
  struct stat status = {};
  const int fd = OpenOwn(folder, &status);
  if (fd < 0 || (status.st_mode & kOthers) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace synap_internal

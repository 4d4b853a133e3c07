#include "compiler/convert/programs/writable_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace synap_internal {

absl::Status CheckCanWrite(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    struct stat info;
    const bool exists = !path.empty() && stat(path.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, expected a file"));
    }
    // Pipes and devices are written to directly, without a temporary file.
    const bool is_stream = exists && !S_ISREG(info.st_mode);
    if (path.empty() || is_stream || absl::StartsWith(path, "/dev/")) continue;
    const std::string probe = TemporaryPath(LinkTarget(path));
    const int fd = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno != ENOSPC && errno != EDQUOT) {
      return absl::UnavailableError(
          absl::StrCat(path, ": can't be written: ", std::strerror(errno)));
    }
    if (fd < 0) continue;
    close(fd);
    unlink(probe.c_str());
  }
  return absl::OkStatus();
}

}  // namespace synap_internal

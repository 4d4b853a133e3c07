#include "runtime/api/npu_lock.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/api/logging.h"
#include "runtime/api/runtime_folder.h"

namespace synap_internal {
namespace {

constexpr char kFile[] = "npu.lock";

// The locks are those of open file descriptions (fcntl): the kernel releases them when the process
// ends, and nothing else that the process opens and closes does. A write lock of the file decides
// who has the NPU, and a read lock of the folder shows it: deleting the file doesn't hide the
// holder. The file's content is the holder's process id.
struct LockState {
  std::mutex mutex;
  int folder = -1;  // descriptors
  int file = -1;    // while the lock is held
  const void* owner = nullptr;

  bool is_held() const { return owner != nullptr; }
};
constinit LockState state;

// A child made by fork() has the parent's descriptors, which would keep the lock when the parent
// ends; closing them leaves the parent's lock. The mutex is held during fork(): else the child
// could find it locked by a thread that it doesn't have.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { state.mutex.lock(); }, [] { state.mutex.unlock(); },
                   [] {
                     if (state.folder >= 0) close(state.folder);
                     if (state.file >= 0) close(state.file);
                     state.folder = state.file = -1;
                     state.owner = nullptr;
                     state.mutex.unlock();
                   });

struct flock WholeFile(int type) {
  struct flock lock = {};
  lock.l_type = static_cast<short>(type);  // NOLINT(google-runtime-int): its type in flock
  lock.l_whence = SEEK_SET;
  return lock;
}

bool SetLock(int fd, int type) {
  struct flock lock = WholeFile(type);
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

// Whether another process has a lock.
bool IsLockedByAnother(int fd) {
  struct flock lock = WholeFile(F_WRLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// The same folder for the whole process, even if the environment changes.
const std::string& LockFolder() {
  static const auto* const folder = new std::string(RuntimeFolder());
  return *folder;
}

bool IsDeleted(int fd) {
  struct stat status = {};
  return fstat(fd, &status) == 0 && status.st_nlink == 0;
}

// What follows REQUIRES that state.mutex is locked, and logs nothing: a receiver of messages may
// ask for the lock itself, or wait for a thread that does.

// Opens the folder if it is there and nobody else's. No allocation after the first call: this is
// part of predict().
bool OpenExisting() {
  if (state.folder >= 0 && !state.is_held() && IsDeleted(state.folder)) {
    close(std::exchange(state.folder, -1));
  }
  if (state.folder < 0) state.folder = OpenRuntimeFolder(LockFolder());
  return state.folder >= 0;
}

absl::Status Open() {
  if (OpenExisting()) return absl::OkStatus();
  RETURN_IF_ERROR(MakeRuntimeFolder(LockFolder()));
  if (OpenExisting()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(LockFolder(), ": ", std::strerror(errno)));
}

// "process 17", the one that has written its id to the file.
std::string Holder() {
  char text[16] = {};
  const int fd = openat(state.folder, kFile, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd >= 0) {
    const ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
    text[std::max<ssize_t>(size, 0)] = '\0';
    close(fd);
  }
  const int pid = std::atoi(text);
  const bool is_running = pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
  return is_running ? absl::StrCat("process ", pid) : std::string("another process");
}

absl::Status OpenFile() {
  state.file = openat(state.folder, kFile, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0600);
  struct stat status = {};
  if (state.file < 0 || fstat(state.file, &status) != 0) {
    return absl::UnavailableError(
        absl::StrCat(LockFolder(), "/", kFile, ": ", std::strerror(errno)));
  }
  if (S_ISREG(status.st_mode) && status.st_uid == geteuid()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      LockFolder(), "/", kFile, ": isn't a file of this user, expected one; delete it"));
}

absl::Status TakeLocks() {
  RETURN_IF_ERROR(OpenFile());
  // The folder is asked a second time for a process that has locked a new file at the same time.
  const bool is_locked = !SetLock(state.file, F_WRLCK) || IsLockedByAnother(state.folder) ||
                         !SetLock(state.folder, F_RDLCK) || IsLockedByAnother(state.folder);
  if (is_locked) {
    const int error = errno;
    const bool is_by_another = IsLockedByAnother(state.file) || IsLockedByAnother(state.folder);
    return absl::UnavailableError(
        absl::StrCat("can't lock the NPU: ",
                     is_by_another ? Holder() + " has locked it" : std::strerror(error)));
  }
  char text[16] = {};
  const int size = std::snprintf(text, sizeof(text), "%d\n", static_cast<int>(getpid()));
  // Only messages need it.
  if (ftruncate(state.file, 0) != 0 || pwrite(state.file, text, size, 0) != size) errno = 0;
  return absl::OkStatus();
}

void ReleaseLocks() {
  SetLock(state.folder, F_UNLCK);
  if (state.file >= 0) close(std::exchange(state.file, -1));
  state.owner = nullptr;
}

absl::Status Acquire(const void* owner) {
  if (state.is_held()) {
    return absl::FailedPreconditionError("the NPU is locked by another Npu object of this process");
  }
  RETURN_IF_ERROR(Open());
  const absl::Status status = TakeLocks();
  if (status.ok()) {
    state.owner = owner;
  } else {
    ReleaseLocks();
  }
  return status;
}

// Whether `status` is OK; else it is logged.
bool IsOk(const absl::Status& status) {
  if (!status.ok()) SYNAP_LOG(kError, status.message());
  return status.ok();
}

}  // namespace

bool OpenNpuLock() {
  std::unique_lock<std::mutex> lock(state.mutex);
  const absl::Status status = Open();
  lock.unlock();
  return IsOk(status);
}

bool AcquireNpuLock(const void* owner) {
  std::unique_lock<std::mutex> lock(state.mutex);
  if (state.is_held() && state.owner == owner) return true;
  const absl::Status status = Acquire(owner);
  lock.unlock();
  if (!IsOk(status)) return false;
  SYNAP_LOG(kInfo, "NPU locked");
  return true;
}

void ReleaseNpuLock(const void* owner) {
  std::unique_lock<std::mutex> lock(state.mutex);
  if (!state.is_held() || state.owner != owner) return;
  ReleaseLocks();
  lock.unlock();
  SYNAP_LOG(kInfo, "NPU unlocked");
}

bool HasNpuLock(const void* owner) {
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.is_held() && state.owner == owner;
}

bool MayUseNpu() {
  std::unique_lock<std::mutex> lock(state.mutex);
  if (state.is_held() || !OpenExisting() || !IsLockedByAnother(state.folder)) return true;
  const std::string holder = Holder();
  lock.unlock();
  SYNAP_LOG(kError, holder, " has locked the NPU");
  return false;
}

}  // namespace synap_internal

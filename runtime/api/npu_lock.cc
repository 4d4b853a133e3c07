#include "runtime/api/npu_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/api/logging.h"
#include "runtime/api/runtime_folder.h"

namespace synap_internal {
namespace {

// A record lock (fcntl) belongs to a process: the kernel releases it when the process ends, tells
// who has it, and doesn't give it to children. Closing any descriptor of the file would release it
// too, so that the process has only one, which it keeps.
struct State {
  std::mutex mutex;
  int fd = -1;
  const void* owner = nullptr;
  pid_t pid = 0;  // of the process that `owner` is in: after a fork, the child has this state too

  bool is_held() const { return owner != nullptr && pid == getpid(); }
};

State& GetState() {
  static auto* const state = new State;
  return *state;
}

struct flock WholeFile(int type) {
  struct flock lock = {};
  lock.l_type = static_cast<short>(type);  // NOLINT(google-runtime-int): its type in flock
  lock.l_whence = SEEK_SET;
  return lock;
}

// Whether another process has the lock, and which: "process 17".
bool IsLockedByAnother(int fd, std::string* holder) {
  struct flock lock = WholeFile(F_WRLCK);
  if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return false;
  *holder = lock.l_pid > 0 ? absl::StrCat("process ", lock.l_pid)
                           : std::string("a process of another container");
  return true;
}

// The same file for the whole process, even if the environment changes.
const std::string& Folder() {
  static const auto* const folder = new std::string(RuntimeFolder());
  return *folder;
}

const std::string& Path() {
  static const auto* const path = new std::string(Folder() + "/npu.lock");
  return *path;
}

// What follows REQUIRES that state.mutex is locked, and logs nothing: a receiver of messages may
// ask for the lock itself, or wait for a thread that does.

// Opens the file if it exists. No allocation after the first call: this is part of predict().
bool OpenExisting(State& state) {
  if (state.fd < 0) state.fd = open(Path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  return state.fd >= 0;
}

absl::Status Open(State& state) {
  if (state.fd >= 0) return absl::OkStatus();
  RETURN_IF_ERROR(MakeRuntimeFolder(Folder()));
  state.fd = open(Path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT, 0600);
  if (state.fd >= 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(Path(), ": ", std::strerror(errno)));
}

absl::Status Acquire(State& state, const void* owner) {
  if (state.is_held()) {
    return absl::FailedPreconditionError("the NPU is locked by another Npu object of this process");
  }
  RETURN_IF_ERROR(Open(state));
  struct flock whole = WholeFile(F_WRLCK);
  if (fcntl(state.fd, F_SETLK, &whole) != 0) {
    std::string reason = std::strerror(errno), holder;
    if (IsLockedByAnother(state.fd, &holder)) reason = holder + " has locked it";
    return absl::UnavailableError("can't lock the NPU: " + reason);
  }
  state.owner = owner;
  state.pid = getpid();
  return absl::OkStatus();
}

// Whether `status` is OK; else it is logged.
bool IsOk(const absl::Status& status) {
  if (!status.ok()) SYNAP_LOG(kError, status.message());
  return status.ok();
}

}  // namespace

bool OpenNpuLock() {
  State& state = GetState();
  std::unique_lock<std::mutex> lock(state.mutex);
  const absl::Status status = Open(state);
  lock.unlock();
  return IsOk(status);
}

bool AcquireNpuLock(const void* owner) {
  State& state = GetState();
  std::unique_lock<std::mutex> lock(state.mutex);
  if (state.is_held() && state.owner == owner) return true;
  const absl::Status status = Acquire(state, owner);
  lock.unlock();
  if (!IsOk(status)) return false;
  SYNAP_LOG(kInfo, "NPU locked");
  return true;
}

void ReleaseNpuLock(const void* owner) {
  State& state = GetState();
  std::unique_lock<std::mutex> lock(state.mutex);
  if (!state.is_held() || state.owner != owner) return;
  struct flock none = WholeFile(F_UNLCK);
  fcntl(state.fd, F_SETLK, &none);
  state.owner = nullptr;
  lock.unlock();
  SYNAP_LOG(kInfo, "NPU unlocked");
}

bool HasNpuLock(const void* owner) {
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.is_held() && state.owner == owner;
}

bool MayUseNpu() {
  State& state = GetState();
  std::unique_lock<std::mutex> lock(state.mutex);
  if (state.is_held() || !OpenExisting(state)) return true;
  std::string holder;
  const bool is_locked = IsLockedByAnother(state.fd, &holder);
  lock.unlock();
  if (is_locked) SYNAP_LOG(kError, holder, " has locked the NPU");
  return !is_locked;
}

}  // namespace synap_internal

#include "runtime/api/npu_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

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

// The process that has the lock; 0 if none has.
pid_t Holder(int fd) {
  struct flock lock = WholeFile(F_WRLCK);
  return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

// REQUIRES: state.mutex is locked.
bool Open(State& state, bool create) {
  if (state.fd >= 0) return true;
  if (create && !MakeRuntimeFolder()) return false;
  static const auto* const path = new std::string(RuntimeFolder() + "/npu.lock");
  state.fd = open(path->c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0600);
  if (state.fd < 0 && create) SYNAP_LOG(kError, *path, ": ", std::strerror(errno));
  return state.fd >= 0;
}

}  // namespace

bool OpenNpuLock() {
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return Open(state, /*create=*/true);
}

bool AcquireNpuLock(const void* owner) {
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.is_held()) {
    if (state.owner == owner) return true;
    SYNAP_LOG(kError, "the NPU is locked by another Npu object of this process");
    return false;
  }
  if (!Open(state, /*create=*/true)) return false;
  struct flock whole = WholeFile(F_WRLCK);
  if (fcntl(state.fd, F_SETLK, &whole) != 0) {
    const int error = errno;
    const pid_t holder = Holder(state.fd);
    SYNAP_LOG(kError, "can't lock the NPU: ",
              holder != 0 ? absl::StrCat("process ", holder, " has locked it")
                          : std::string(std::strerror(error)));
    return false;
  }
  state.owner = owner;
  state.pid = getpid();
  SYNAP_LOG(kInfo, "NPU locked");
  return true;
}

void ReleaseNpuLock(const void* owner) {
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.is_held() || state.owner != owner) return;
  struct flock none = WholeFile(F_UNLCK);
  fcntl(state.fd, F_SETLK, &none);
  state.owner = nullptr;
  SYNAP_LOG(kInfo, "NPU unlocked");
}

bool HasNpuLock(const void* owner) {
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.is_held() && state.owner == owner;
}

bool MayUseNpu() {
  State& state = GetState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.is_held() || !Open(state, /*create=*/false)) return true;
  const pid_t holder = Holder(state.fd);
  if (holder != 0) SYNAP_LOG(kError, "process ", holder, " has locked the NPU");
  return holder == 0;
}

}  // namespace synap_internal

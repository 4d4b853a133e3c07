#include "runtime/api/statistics.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "runtime/api/no_throw.h"
#include "runtime/api/runtime_folder.h"

namespace synap_internal {
namespace {

using synaptics::synap::AppendCountersLine;
using synaptics::synap::RunCounters;

constexpr int kSlots = 64;
constexpr size_t kLongestLine = 300;  // of AppendCountersLine: 107 characters and eight numbers
constexpr uint64_t kStateVersion = 0x53594e4153543031;  // of CounterState

// A loaded network.
struct Slot {
  int64_t pid = 0;  // 0: free
  int64_t id = 0;
  uint64_t runs = 0;
  uint64_t total = 0;  // microseconds
  uint64_t last = 0;   // microseconds
  uint64_t buffers = 0;
  uint64_t buffer_bytes = 0;
  uint64_t layers = 0;
  uint64_t is_profiled = 0;
};

// Content of the file .state, from which the text files follow. Any bytes are valid: counters wrap.
struct CounterState {
  uint64_t version = kStateVersion;
  uint64_t count = 0;
  uint64_t time = 0;  // microseconds
  Slot slots[kSlots];

  Slot* Find(int64_t pid, int64_t id) {
    for (Slot& slot : slots) {
      if (slot.pid == pid && slot.id == id) return &slot;
    }
    return nullptr;
  }

  void Clear() {
    count = time = 0;
    for (Slot& slot : slots) slot.runs = slot.total = slot.last = 0;
  }
};

void AppendLine(const Slot& slot, std::string& text) {
  RunCounters counters;
  counters.id = slot.id;
  counters.runs = static_cast<int64_t>(slot.runs);
  counters.total = std::chrono::microseconds(slot.total);
  counters.last = std::chrono::microseconds(slot.last);
  counters.buffers = slot.buffers;
  counters.buffer_bytes = slot.buffer_bytes;
  AppendCountersLine(static_cast<int>(slot.pid), counters, slot.layers, text);
}

// A file of the folder, created if it doesn't exist, and open as long as the object lives.
class SharedFile {
 public:
  explicit SharedFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {}
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }

  // Also true of a file that couldn't be opened.
  bool Holds(const std::string& text) const {
    std::string found(text.size() + 1, '\0');
    const ssize_t size = fd_ < 0 ? 0 : pread(fd_, found.data(), found.size(), 0);
    found.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return fd_ < 0 || found == text;
  }

  bool Write(const std::string& text) const {
    const auto size = static_cast<ssize_t>(text.size());
    return ftruncate(fd_, size) == 0 && pwrite(fd_, text.data(), text.size(), 0) == size;
  }

 private:
  int fd_;
};

// The folder's files. Used by one thread at a time.
class ProfileFolder {
 public:
  explicit ProfileFolder(const std::string& path)
      : path_(path),
        state_(path + "/.state"),
        count_(path + "/inference_count"),
        time_(path + "/inference_time"),
        networks_(path + "/networks"),
        profile_(path + "/network_profile") {
    networks_text_.reserve(kSlots * kLongestLine);
  }

  // Reads the state, changes it, and writes it and the text files. False if another process keeps
  // it locked.
  template <typename Change>
  bool Update(const Change& change) {
    if (!Lock()) return false;
    const Unlocker unlocker{state_.fd()};
    CounterState state;
    const ssize_t size = pread(state_.fd(), &state, sizeof(state), 0);
    if (size != sizeof(state) || state.version != kStateVersion) state = CounterState();
    if (!count_.Holds(Text(state.count)) || !time_.Holds(Text(state.time))) state.Clear();
    change(state);
    // A state that can't be written is as old as the text files then.
    if (pwrite(state_.fd(), &state, sizeof(state), 0) == sizeof(state)) WriteTexts(state);
    return true;
  }

  // The file of a network's table, apart from the others.
  std::string TablePath(const Slot& slot) const {
    return absl::StrCat(path_, "/.profile.", slot.pid, ".", slot.id);
  }

 private:
  // Also when memory is missing meanwhile.
  struct Unlocker {
    int fd;
    ~Unlocker() { flock(fd, LOCK_UN); }
  };

  // Other processes hold the lock for some microseconds, unless they are stopped.
  bool Lock() const {
    for (int i = 0; i < 4; ++i) {
      if (flock(state_.fd(), LOCK_EX | LOCK_NB) == 0) return true;
      if (errno != EWOULDBLOCK) return false;
      usleep(50);
    }
    return false;
  }

  static std::string Text(uint64_t value) { return absl::StrCat(value, "\n"); }

  void WriteTexts(const CounterState& state) {
    count_.Write(Text(state.count));
    time_.Write(Text(state.time));
    networks_text_.clear();
    profile_text_.clear();
    for (const Slot& slot : state.slots) {
      if (slot.pid == 0) continue;
      AppendLine(slot, networks_text_);
      if (slot.is_profiled == 0) continue;
      const absl::StatusOr<std::string> table = ReadFile(TablePath(slot));
      if (!table.ok()) continue;
      AppendLine(slot, profile_text_);
      profile_text_ += *table;
    }
    networks_.Write(networks_text_);
    profile_.Write(profile_text_);
  }

  std::string path_;
  SharedFile state_, count_, time_, networks_, profile_;
  // The first has all of its memory from the beginning, so that a run without a profile allocates
  // nothing.
  std::string networks_text_, profile_text_;
};

// "" if there are no files. What the application doesn't name is a folder of this user alone.
std::string FolderPath() {
  const char* folder = std::getenv("SYNAP_SYSFS");
  if (folder != nullptr && *folder != '\0') return folder;
  const std::string parent = XdgRuntimeFolder();
  return parent.empty() || !MakeRuntimeFolder(parent).ok() ? "" : parent + "/statistics";
}

struct Shared {
  std::mutex mutex;
  std::unique_ptr<ProfileFolder> folder;  // null: no files

  Shared() {
    const std::string path = FolderPath();
    if (!path.empty() && CreateDirectories(path).ok()) {
      folder = std::make_unique<ProfileFolder>(path);
    }
  }
};

// Updates the files, if there are any; false if they are locked.
template <typename Change>
bool UpdateFiles(const Change& change) {
  return NoThrow(__func__, false, [&] {
    static auto* const shared = new Shared;
    const std::lock_guard<std::mutex> lock(shared->mutex);
    return shared->folder == nullptr ||
           shared->folder->Update([&](CounterState& state) { change(*shared->folder, state); });
  });
}

bool IsGone(int64_t pid) { return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

// Frees the slot and the file of its table.
void Remove(const ProfileFolder& folder, Slot& slot) {
  if (slot.is_profiled != 0) unlink(folder.TablePath(slot).c_str());
  slot = Slot();
}

void Register(const ProfileFolder& folder, CounterState& state, const RunCounters& counters,
              size_t layers) {
  for (Slot& slot : state.slots) {
    if (slot.pid != 0 && IsGone(slot.pid)) Remove(folder, slot);
  }
  Slot* const slot = state.Find(0, 0);
  if (slot == nullptr) return;
  slot->pid = getpid();
  slot->id = counters.id;
  slot->buffers = counters.buffers;
  slot->buffer_bytes = counters.buffer_bytes;
  slot->layers = layers;
}

void Add(const ProfileFolder& folder, CounterState& state, const RunCounters& runs, size_t layers,
         const std::string& table) {
  const auto count = static_cast<uint64_t>(runs.runs);
  const auto time = static_cast<uint64_t>(runs.total.count());
  state.count += count;
  state.time += time;
  Slot* slot = state.Find(getpid(), runs.id);
  if (slot == nullptr) {  // the files were locked when the network was loaded, or after a fork
    Register(folder, state, runs, layers);
    slot = state.Find(getpid(), runs.id);
  }
  if (slot == nullptr) return;
  slot->runs += count;
  slot->total += time;
  slot->last = static_cast<uint64_t>(runs.last.count());
  if (table.empty()) return;
  slot->is_profiled = WriteFileAtomically(folder.TablePath(*slot), table).ok() ? 1 : 0;
}

}  // namespace

NetworkStatistics::NetworkStatistics(const RunCounters& counters, size_t layers) noexcept
    : pending_(counters), layers_(layers) {
  UpdateFiles([&](const ProfileFolder& folder, CounterState& state) {
    Register(folder, state, pending_, layers_);
  });
}

NetworkStatistics::~NetworkStatistics() {
  UpdateFiles([&](const ProfileFolder& folder, CounterState& state) {
    Slot* const slot = state.Find(getpid(), pending_.id);
    if (slot != nullptr) Remove(folder, *slot);
  });
}

void NetworkStatistics::AddRun(std::chrono::microseconds time, const std::string& table) noexcept {
  ++pending_.runs;
  pending_.total += time;
  pending_.last = time;
  const bool is_added = UpdateFiles([&](const ProfileFolder& folder, CounterState& state) {
    Add(folder, state, pending_, layers_, table);
  });
  if (!is_added) return;
  pending_.runs = 0;
  pending_.total = std::chrono::microseconds(0);
}

}  // namespace synap_internal

#include "base/file.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/aligned_file.h"
#include "base/available_memory.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// "<path>: can't be <action>: <the system's reason>", e.g. action "read".
absl::Status ErrnoStatus(absl::string_view action, const std::string& path) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": can't be ", action, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(text) : absl::UnavailableError(text);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  // Closes now; false if the close reported a delayed write error.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// O_NONBLOCK: opening a pipe without a writer would block before fstat can tell that it is one.
int OpenForReading(const std::string& path, int more_flags = 0) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | more_flags);
}

// Only regular files have a known end: /dev/zero has none.
absl::StatusOr<size_t> RegularFileSize(const FileDescriptor& file, const std::string& path) {
  struct stat info;
  if (fstat(file.get(), &info) != 0) return ErrnoStatus("read", path);
  if (S_ISREG(info.st_mode)) return static_cast<size_t>(info.st_size);
  return absl::InvalidArgumentError(
      absl::StrCat(path, S_ISDIR(info.st_mode) ? ": is a folder" : ": is a pipe or a device",
                   ", expected a file"));
}

absl::StatusOr<std::string> ReadOpened(const FileDescriptor& file, const std::string& path) {
  if (file.get() < 0) return ErrnoStatus("read", path);
  ASSIGN_OR_RETURN(const size_t size_hint, RegularFileSize(file, path));
  std::string content;
  content.reserve(size_hint);
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus("read", path);
    if (count == 0) return content;
    content.append(buffer, static_cast<size_t>(count));
  }
}

absl::Status WriteAll(const FileDescriptor& file, const absl::Cord& content,
                      const std::string& path) {
  for (absl::string_view piece : content.Chunks()) {
    while (!piece.empty()) {
      const ssize_t written = write(file.get(), piece.data(), piece.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return ErrnoStatus("written", path);
      piece.remove_prefix(static_cast<size_t>(written));
    }
  }
  return absl::OkStatus();
}

// Whether `path` is a device, a pipe, a socket or an open file descriptor of this process. Renaming
// a file to such a path would replace it.
bool IsStream(const std::string& path) {
  const bool is_open = path == "/dev/stdout" || path == "/dev/stderr" ||
                       absl::StartsWith(path, "/dev/fd/") ||
                       absl::StartsWith(path, "/proc/self/fd/");
  if (is_open) return true;
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

absl::Status WriteStream(const std::string& path, const absl::Cord& content) {
  // /dev/stdout may be redirected to a file that has earlier output: append to it.
  FileDescriptor stream(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (stream.get() < 0) return ErrnoStatus("written", path);
  RETURN_IF_ERROR(WriteAll(stream, content, path));
  return stream.Close() ? absl::OkStatus() : ErrnoStatus("written", path);
}

}  // namespace

std::string LinkTarget(const std::string& path) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  std::error_code error;
  std::filesystem::path target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    if (!std::filesystem::is_symlink(target, error)) return target.string();
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  return path;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  return ReadOpened(FileDescriptor(OpenForReading(path)), path);
}

absl::StatusOr<std::string> ReadFileUnlessLink(const std::string& path) {
  return ReadOpened(FileDescriptor(OpenForReading(path, O_NOFOLLOW)), path);
}

absl::StatusOr<AlignedFile> ReadAlignedFile(const std::string& path, size_t max_bytes) {
  FileDescriptor file(OpenForReading(path));
  if (file.get() < 0) return ErrnoStatus("read", path);
  ASSIGN_OR_RETURN(const size_t size, RegularFileSize(file, path));
  if (size > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has ", size, " bytes, expected at most ", max_bytes));
  }
  if (!IsAvailable(size)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": has ", MemorySizeText(size), ", but only ",
                     MemorySizeText(static_cast<uint64_t>(AvailableMemory())),
                     " of memory are available to read it"));
  }
  AlignedFile result{AlignedMemory(size), 0};
  if (result.memory.data() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": can't allocate ", MemorySizeText(size), " to read the file"));
  }
  while (result.size < size) {
    const ssize_t count = read(file.get(), result.memory.data() + result.size, size - result.size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoStatus("read", path);
    if (count == 0) break;  // truncated by another process since fstat
    result.size += static_cast<size_t>(count);
  }
  return result;
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view content) {
  return WriteFileAtomically(path, absl::MakeCordFromExternal(content, [] {}));
}

std::string TemporaryPath(const std::string& path) {
  uint64_t random = 0;
  // Without random numbers O_EXCL still protects what another has placed there.
  if (getrandom(&random, sizeof(random), 0) < 0) random = 0;
  return absl::StrCat(path, ".tmp", getpid(), "-", absl::Hex(random, absl::kZeroPad16));
}

absl::Status ReplaceFile(const std::string& path, const absl::Cord& content) {
  const std::string temporary = TemporaryPath(path);
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor file(open(temporary.c_str(), kNewFile, 0666));
  if (file.get() < 0) return ErrnoStatus("written", path);
  absl::Status status = WriteAll(file, content, path);
  if (status.ok() && !file.Close()) status = ErrnoStatus("written", path);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = ErrnoStatus("written", path);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::Status WriteFileAtomically(const std::string& path, const absl::Cord& content) {
  return IsStream(path) ? WriteStream(path, content) : ReplaceFile(LinkTarget(path), content);
}

absl::Status CreateDirectories(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat(path, ": the folder can't be created: ", error.message()));
  }
  return absl::OkStatus();
}

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  FileDescriptor file(OpenForReading(path));
  if (file.get() < 0) return ErrnoStatus("read", path);
  ASSIGN_OR_RETURN(const size_t size, RegularFileSize(file, path));
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return ErrnoStatus("mapped", path);
  return MappedFile(static_cast<const uint8_t*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

std::string Dirname(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string Basename(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string Stem(const std::string& path) {
  std::string stem = Basename(path);
  if (const size_t dot = stem.rfind('.'); dot != std::string::npos && dot > 0) stem.resize(dot);
  return stem;
}

std::string JoinPath(const std::string& base, const std::string& path) {
  if (path.empty() || path[0] == '/' || base.empty() || base == ".") return path;
  return absl::StrCat(base, "/", path);
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<std::string>> Glob(const std::string& pattern) {
  glob_t result = {};
  const int code = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &result);
  std::vector<std::string> files;
  for (size_t i = 0; code == 0 && i < result.gl_pathc; ++i) files.push_back(result.gl_pathv[i]);
  globfree(&result);
  if (code != 0 && code != GLOB_NOMATCH) {
    return absl::UnavailableError(absl::StrCat(pattern, ": the folder's files can't be listed"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace synap_internal

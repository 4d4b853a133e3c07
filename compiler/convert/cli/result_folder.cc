#include "compiler/convert/cli/result_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/convert/programs/writable_files.h"
#include "runtime/bundle/json.h"

namespace synap_internal {
namespace {

// All files that conversions ever write. The first one of a conversion is never missing while it is
// replaced; loaders refuse a model.nb without its model.json.
constexpr std::array<absl::string_view, 9> kNames = {"model.synap",
                                                     "model.nb",
                                                     "model.json",
                                                     "model_info.txt",
                                                     "quantization_info.yaml",
                                                     "quantization_entropy.txt",
                                                     "quantization_loss.json",
                                                     "explicit_metafile.yaml",
                                                     "cpu_profile.txt"};

// A name that no other program uses, because the folder's files are removed.
constexpr char kStaging[] = ".synap_incoming";
// List of the new results' files in the staging folder; whichever conversion finds it completes the
// swap.
constexpr char kCommitted[] = "committed";

absl::Status ErrnoStatus(absl::string_view action, const std::string& path) {
  const int error = errno;
  const std::string text = absl::StrCat(path, ": can't be ", action, ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(text);
  return absl::UnavailableError(text);
}

// Holds the lock of a folder; waits for other holders. A file system without locks has none: then
// two conversions into the same folder at the same time may mix their results.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }

 private:
  const int fd_;
};

// Makes the entries of a folder survive a power failure. Not all file systems can.
void SyncFolder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

// Writes a new file and waits until it is on the disk.
absl::Status WriteDurably(const std::string& path, absl::string_view content) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return ErrnoStatus("written", path);
  absl::Status status;
  while (status.ok() && !content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written >= 0) content.remove_prefix(static_cast<size_t>(written));
    if (written < 0 && errno != EINTR) status = ErrnoStatus("written", path);
  }
  // EINVAL: a file system that can't.
  if (status.ok() && fsync(fd) != 0 && errno != EINVAL) status = ErrnoStatus("written", path);
  if (close(fd) != 0 && status.ok()) status = ErrnoStatus("written", path);
  return status;
}

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

absl::Status Remove(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
  return ErrnoStatus("removed", path);
}

bool HasContent(const std::string& path, absl::string_view content) {
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  return file.ok() && absl::string_view(reinterpret_cast<const char*>(file->bytes().data()),
                                        file->bytes().size()) == content;
}

bool IsResult(absl::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// A ZIP file begins with the header of its first entry.
bool BeginsWithBundle(absl::string_view content) {
  constexpr absl::string_view kSignature("PK\x03\x04");
  constexpr size_t kNameSize = 26;  // offset of two bytes, and of the name:
  constexpr size_t kName = 30;
  constexpr absl::string_view kFirst = "bundle.json";
  return absl::StartsWith(content, kSignature) && content.size() >= kName + kFirst.size() &&
         content[kNameSize] == static_cast<char>(kFirst.size()) && content[kNameSize + 1] == 0 &&
         content.substr(kName, kFirst.size()) == kFirst;
}

bool IsMetadata(absl::string_view content) {
  const absl::StatusOr<JsonDocument> json = ParseJsonObject(content);
  return json.ok() && Member(json->root(), "Inputs") != nullptr &&
         Member(json->root(), "Outputs") != nullptr;
}

// Whether a conversion may have written the file. Models of other tools have the same names:
// model.json is a TensorFlow.js model, too. No other program uses the other names.
bool MayBeOurs(absl::string_view name, const std::string& path) {
  constexpr absl::string_view kProgramIdentifier = "SYNP";  // of program.fbs
  if (name != "model.synap" && name != "model.nb" && name != "model.json") return true;
  const absl::StatusOr<MappedFile> file = MappedFile::Open(path);
  if (!file.ok()) return false;
  const absl::string_view content(reinterpret_cast<const char*>(file->bytes().data()),
                                  file->bytes().size());
  if (name == "model.synap") return BeginsWithBundle(content);
  if (name == "model.json") return IsMetadata(content);
  return content.size() >= 8 && content.substr(4, 4) == kProgramIdentifier;
}

// The process that writes a file of TemporaryPath, of which earlier versions had no random digits;
// 0 for other names.
pid_t WriterOf(absl::string_view name, absl::string_view* written) {
  const size_t dot = name.rfind(".tmp");
  if (dot == absl::string_view::npos) return 0;
  const absl::string_view suffix = name.substr(dot + 4);
  pid_t process = 0;
  if (!absl::SimpleAtoi(suffix.substr(0, suffix.find('-')), &process)) return 0;
  *written = name.substr(0, dot);
  return std::max(process, 0);
}

}  // namespace

void RemoveLeftovers(const std::string& folder) {
  for (const std::string& name : NamesIn(folder)) {
    absl::string_view written;
    const pid_t writer = WriterOf(name, &written);
    const bool is_gone = writer > 0 && kill(writer, 0) != 0 && errno == ESRCH;
    if (is_gone) (void)Remove(JoinPath(folder, name));
  }
}

ResultFolder::ResultFolder(std::string folder, std::function<void()> before_step)
    : folder_(std::move(folder)), before_step_(std::move(before_step)) {}

std::string ResultFolder::In(absl::string_view name) const {
  return absl::StrCat(folder_, "/", name);
}

std::string ResultFolder::Staged(absl::string_view name) const {
  return absl::StrCat(folder_, "/", kStaging, "/", name);
}

void ResultFolder::Step() const {
  if (before_step_) before_step_();
}

absl::Status ResultFolder::Open() const {
  RETURN_IF_ERROR(CreateDirectories(folder_));
  const FolderLock lock(folder_);
  RETURN_IF_ERROR(CheckPlaces());
  RETURN_IF_ERROR(Recover());
  RETURN_IF_ERROR(CheckWritable());
  // Temporary files of earlier versions.
  for (const std::string& name : NamesIn(folder_)) {
    absl::string_view written;
    if (WriterOf(name, &written) > 0 && IsResult(written)) RETURN_IF_ERROR(Remove(In(name)));
  }
  return absl::OkStatus();
}

absl::Status ResultFolder::CheckPlaces() const {
  for (const absl::string_view name : kNames) {
    const std::string target = LinkTarget(In(name));
    struct stat info;
    const bool exists = stat(In(name).c_str(), &info) == 0;
    if (!exists || S_ISREG(info.st_mode)) {
      if (target == In(name)) continue;
      RETURN_IF_ERROR(
          Annotate(CheckCanWrite({target}), absl::StrCat(In(name), ": is a link to ", target)));
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(In(name), S_ISDIR(info.st_mode) ? ": is a folder" : ": is a pipe or a device",
                     ", expected a file that the conversion may replace; remove it"));
  }
  return absl::OkStatus();
}

// By trying, because permissions don't tell of read-only file systems. A full disk is no matter
// here: room is made when the results are written.
absl::Status ResultFolder::CheckWritable() const {
  const std::string probe = In(kStaging);
  if (mkdir(probe.c_str(), 0777) == 0) {
    rmdir(probe.c_str());
    return absl::OkStatus();
  }
  absl::Status status = ErrnoStatus("written to", folder_);
  return absl::IsResourceExhausted(status) ? absl::OkStatus() : status;
}

// The names in the list of a committed swap; none if there is no list, or one that Stage can't have
// written: a damaged one must not make results obsolete.
absl::StatusOr<std::vector<std::string>> ResultFolder::CommittedNames() const {
  if (!Exists(Staged(kCommitted))) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const std::string list, ReadFile(Staged(kCommitted)));
  std::vector<std::string> listed = absl::StrSplit(list, '\n');
  const auto is_listed = [&](absl::string_view name) {
    return std::find(listed.begin(), listed.end(), name) != listed.end();
  };
  const bool all_known = std::all_of(listed.begin(), listed.end(), [&](const std::string& name) {
    return IsResult(name) && (Exists(Staged(name)) || Exists(LinkTarget(In(name))));
  });
  const bool all_listed = std::all_of(kNames.begin(), kNames.end(), [&](absl::string_view name) {
    return is_listed(name) || !Exists(Staged(name));
  });
  if (!all_known || !all_listed) listed.clear();
  return listed;
}

// Completes a committed swap, removes any other.
absl::Status ResultFolder::Recover() const {
  if (!Exists(In(kStaging))) return absl::OkStatus();
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(In(kStaging), error))) {
    return absl::InvalidArgumentError(absl::StrCat(
        In(kStaging), " is no folder, expected that of an interrupted conversion; remove it"));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> committed, CommittedNames());
  return committed.empty() ? RemoveStaging() : Commit(committed);
}

// Removes the list first: without the files it could look like another one. Removes only files that
// Stage writes: a folder that holds more stays, with an error.
absl::Status ResultFolder::RemoveStaging() const {
  Step();
  RETURN_IF_ERROR(Remove(Staged(kCommitted)));
  Step();
  RETURN_IF_ERROR(Remove(absl::StrCat(Staged(kCommitted), ".tmp")));
  for (const absl::string_view name : kNames) RETURN_IF_ERROR(Remove(Staged(name)));
  Step();
  if (rmdir(In(kStaging).c_str()) != 0) return ErrnoStatus("removed", In(kStaging));
  return absl::OkStatus();
}

// Writes the list of files last, and renames it: it exists whole or not at all.
absl::StatusOr<std::vector<std::string>> ResultFolder::Stage(
    const std::vector<ResultFile>& files) const {
  Step();
  if (mkdir(In(kStaging).c_str(), 0777) != 0) return ErrnoStatus("created", In(kStaging));
  std::vector<std::string> names;
  for (const ResultFile& file : files) {
    if (!file.wanted && !HasContent(In(file.name), file.content)) continue;
    names.push_back(file.name);
    if (!file.wanted) continue;
    Step();
    RETURN_IF_ERROR(WriteDurably(Staged(file.name), file.content));
  }
  const std::string list = absl::StrCat(Staged(kCommitted), ".tmp");
  Step();
  RETURN_IF_ERROR(WriteDurably(list, absl::StrJoin(names, "\n")));
  SyncFolder(In(kStaging));
  Step();
  if (rename(list.c_str(), Staged(kCommitted).c_str()) != 0) return ErrnoStatus("renamed", list);
  SyncFolder(In(kStaging));
  return names;
}

// A link stays and its target is replaced, on whichever file system.
absl::Status ResultFolder::Place(const std::string& name) const {
  Step();
  const std::string target = LinkTarget(In(name));
  if (rename(Staged(name).c_str(), target.c_str()) == 0) return absl::OkStatus();
  if (errno != EXDEV) return ErrnoStatus("written", In(name));
  ASSIGN_OR_RETURN(const std::string content, ReadFile(Staged(name)));
  RETURN_IF_ERROR(WriteFileAtomically(target, content));
  return Remove(Staged(name));
}

// Can be interrupted anywhere and begun again.
absl::Status ResultFolder::Commit(const std::vector<std::string>& listed) const {
  std::vector<std::string> incoming;  // in the order of kNames; the others are in place
  std::vector<std::string> obsolete;
  bool is_first = true;  // the model itself is replaced, not removed
  for (const absl::string_view name : kNames) {
    const bool is_listed = std::find(listed.begin(), listed.end(), name) != listed.end();
    const bool is_staged = Exists(Staged(name));
    if (is_listed && is_staged) incoming.emplace_back(name);
    if (!is_listed && MayBeOurs(name, In(name))) obsolete.push_back(In(name));
    if (is_listed && is_staged && !is_first) obsolete.push_back(LinkTarget(In(name)));
    if (is_listed && is_staged) is_first = false;
  }
  for (const std::string& path : obsolete) {
    Step();
    RETURN_IF_ERROR(Remove(path));
  }
  for (const std::string& name : incoming) RETURN_IF_ERROR(Place(name));
  SyncFolder(folder_);
  return RemoveStaging();
}

absl::Status ResultFolder::Swap(const std::vector<ResultFile>& files,
                                const std::function<bool(uint64_t bytes)>& make_room) const {
  uint64_t bytes = 0;
  for (const ResultFile& file : files) bytes += file.wanted ? file.content.size() : 0;
  const FolderLock lock(folder_);
  RETURN_IF_ERROR(CheckPlaces());
  while (true) {
    RETURN_IF_ERROR(Recover());
    const absl::StatusOr<std::vector<std::string>> staged = Stage(files);
    if (staged.ok()) return Commit(*staged);
    (void)Recover();
    const bool again = absl::IsResourceExhausted(staged.status()) && make_room && make_room(bytes);
    if (!again) return staged.status();
  }
}

}  // namespace synap_internal

// Result files of a conversion, which replace those of the one before together.
#ifndef COMPILER_CONVERT_CLI_RESULT_FOLDER_H_
#define COMPILER_CONVERT_CLI_RESULT_FOLDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// One of the files that conversions write.
struct ResultFile {
  std::string name;
  absl::string_view content;
  // False: the conversion wasn't asked for this file. It stays if it has this content, because it
  // is of the same model; any other is removed.
  bool wanted = true;
};

// A folder of results. At any time, also after the process was killed, all result files in it are
// of one conversion: those of the new one are written to the subfolder `.synap_incoming`; with a
// list of them there they are committed; then the old files are removed but for the model, which is
// replaced, and the other new ones follow. After a kill the next
// Open completes a swap that was committed, and removes any other.
//
// Conversions into one folder exclude each other while they swap, by a lock on the folder.
class ResultFolder {
 public:
  // `before_step`: for tests, called before each change of the folder.
  explicit ResultFolder(std::string folder, std::function<void()> before_step = nullptr);

  // Creates the folder, and completes or removes an interrupted swap. Called before the conversion,
  // because it finds reasons for which Swap would fail: a folder that can't be written to, or
  // something else than a file in the place of a result. Errors name it.
  absl::Status Open() const;

  // Replaces all results by `files`; without a file in that list, an old result is removed, but not
  // a model.synap, model.nb or model.json of something else than a conversion. If the
  // disk is full, `make_room(bytes)` is asked to free as many, and writing is tried again as long
  // as it returns true. On error the old results stay, unless the swap was committed.
  absl::Status Swap(const std::vector<ResultFile>& files,
                    const std::function<bool(uint64_t bytes)>& make_room = nullptr) const;

 private:
  std::string In(absl::string_view name) const;
  std::string Staged(absl::string_view name) const;
  void Step() const;
  absl::Status Recover() const;
  absl::Status CheckPlaces() const;
  absl::Status CheckWritable() const;
  absl::StatusOr<std::vector<std::string>> CommittedNames() const;
  absl::Status RemoveStaging() const;
  absl::StatusOr<std::vector<std::string>> Stage(const std::vector<ResultFile>& files) const;
  absl::Status Commit(const std::vector<std::string>& listed) const;
  absl::Status Place(const std::string& name) const;

  const std::string folder_;
  const std::function<void()> before_step_;
};

// Removes temporary files (TemporaryPath of file.h) that a killed process left in `folder`.
void RemoveLeftovers(const std::string& folder);

}  // namespace synap_internal

#endif  // COMPILER_CONVERT_CLI_RESULT_FOLDER_H_

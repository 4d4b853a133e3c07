#include "compiler/metafile/variables.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kEnv = "${ENV:";
constexpr absl::string_view kFile = "${FILE:";
constexpr absl::string_view kAnchors = "${ANCHORS}";
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxBytes = size_t{16} << 20;

// "<line>:<column>" of text[offset], from 1.
std::string LineAndColumn(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t column = newline == absl::string_view::npos ? offset : offset - newline - 1;
  return absl::StrCat(1 + std::count(before.begin(), before.end(), '\n'), ":", column + 1);
}

absl::Status TooLong() {
  return absl::InvalidArgumentError(
      "the expanded format is longer than 16 MiB, expected at most that");
}

class FileExpander {
 public:
  FileExpander(const std::string& folder, const FileReader& read) : folder_(folder), read_(read) {}

  // Appends `text` to the result, files expanded.
  absl::Status Append(absl::string_view text) {
    for (size_t begin = text.find(kFile); begin != absl::string_view::npos;
         begin = text.find(kFile)) {
      const size_t end = text.find('}', begin);
      if (end == absl::string_view::npos) {
        return absl::InvalidArgumentError("'${FILE:' has no closing '}'");
      }
      RETURN_IF_ERROR(AppendText(text.substr(0, begin)));
      const size_t name = begin + kFile.size();
      RETURN_IF_ERROR(AppendFile(std::string(text.substr(name, end - name))));
      text.remove_prefix(end + 1);
    }
    return AppendText(text);
  }

  std::string Take() { return std::move(result_); }

 private:
  absl::Status AppendText(absl::string_view text) {
    if (result_.size() + text.size() > kMaxBytes) {
      return TooLong();
    }
    absl::StrAppend(&result_, text);
    return absl::OkStatus();
  }

  absl::Status AppendFile(const std::string& name) {
    if (name.empty())
      return absl::InvalidArgumentError("'${FILE:}' names no file, expected ${FILE:<path>}");
    const std::string path = JoinPath(folder_, name);
    if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'${FILE:", name, "}' includes itself: ", absl::StrJoin(open_, " -> "), " -> ", path));
    }
    if (open_.size() == kMaxDepth) {
      return absl::InvalidArgumentError(
          "${FILE:} is nested more than 16 deep, expected at most that");
    }
    // Limits the work of many tiny files, as the result's size limits that of large ones.
    if (++files_ > 10000) {
      return absl::InvalidArgumentError("${FILE:} names more than 10000 files, expected fewer");
    }
    ASSIGN_OR_RETURN(const std::string content, read_(path));
    open_.push_back(path);
    RETURN_IF_ERROR(Append(absl::StripTrailingAsciiWhitespace(content)));
    open_.pop_back();
    return absl::OkStatus();
  }

  const std::string& folder_;
  const FileReader& read_;
  std::vector<std::string> open_;  // files that are being expanded, outermost first
  int files_ = 0;
  std::string result_;
};

}  // namespace

absl::StatusOr<std::string> ExpandEnvironment(absl::string_view text,
                                              const EnvironmentLookup& lookup) {
  std::string result;
  size_t done = 0;
  for (size_t begin = text.find(kEnv); begin != absl::string_view::npos;
       begin = text.find(kEnv, done)) {
    const size_t name = begin + kEnv.size();
    const size_t end = text.find_first_of("}\n", name);
    if (end == absl::string_view::npos || text[end] != '}') {
      return absl::InvalidArgumentError(
          absl::StrCat(LineAndColumn(text, begin), ": '${ENV:' has no closing '}'"));
    }
    absl::StrAppend(&result, text.substr(done, begin - done),
                    lookup(std::string(text.substr(name, end - name))));
    done = end + 1;
  }
  absl::StrAppend(&result, text.substr(done));
  return result;
}

absl::StatusOr<std::string> ExpandFiles(absl::string_view format, const std::string& folder,
                                        const FileReader& read) {
  FileExpander expander(folder, read);
  RETURN_IF_ERROR(expander.Append(format));
  return expander.Take();
}

bool WantsAnchors(absl::string_view format) { return absl::StrContains(format, kAnchors); }

absl::StatusOr<std::string> ExpandAnchors(absl::string_view format,
                                          absl::Span<const float> anchors) {
  std::vector<std::string> numbers;
  for (const float anchor : anchors) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "%.6f", anchor);
    absl::string_view number = buffer;
    while (number.back() == '0') number.remove_suffix(1);
    if (number.back() == '.') number.remove_suffix(1);
    numbers.emplace_back(number == "-0" ? "0" : number);
  }
  const std::string list = absl::StrCat("[", absl::StrJoin(numbers, ","), "]");
  size_t bytes = format.size();
  for (size_t at = format.find(kAnchors); at != absl::string_view::npos;
       at = format.find(kAnchors, at + kAnchors.size())) {
    bytes += list.size();
  }
  if (bytes > kMaxBytes) return TooLong();
  return absl::StrReplaceAll(format, {{kAnchors, list}});
}

}  // namespace synap_internal

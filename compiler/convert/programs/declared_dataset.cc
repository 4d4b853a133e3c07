#include "compiler/convert/programs/declared_dataset.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"

namespace synap_internal {
namespace {

// An error lists this many samples.
constexpr size_t kMaxListed = 8;

using Paths = std::vector<std::string>;

std::vector<std::string> Components(absl::string_view path) {
  return absl::StrSplit(path, '/', [](absl::string_view component) {
    return !component.empty() && component != "." && component != "..";
  });
}

bool Matches(const std::string& glob, const std::string& path) {
  const std::vector<std::string> globs = Components(glob);
  const std::vector<std::string> folders = Components(path);
  if (globs.size() > folders.size()) return false;
  const auto first = folders.end() - static_cast<std::ptrdiff_t>(globs.size());
  return fnmatch(absl::StrJoin(globs, "/").c_str(),
                 absl::StrJoin(first, folders.end(), "/").c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

// A folder stands for its files.
bool MatchesFolder(const std::string& glob, const std::string& path) {
  return Matches(glob, path.substr(0, path.rfind('/') + 1));
}

std::map<size_t, Paths> PathsOfInputs(absl::string_view declared) {
  std::map<size_t, Paths> paths;
  for (const absl::string_view line : absl::StrSplit(declared, '\n', absl::SkipEmpty())) {
    const size_t equals = line.find('=');
    size_t input = 0;
    const bool has_input =
        equals != absl::string_view::npos && absl::SimpleAtoi(line.substr(0, equals), &input);
    paths[has_input ? input : 0].emplace_back(has_input ? line.substr(equals + 1) : line);
  }
  return paths;
}

absl::Status Error(const Metafile& metafile, const DatasetSpec& spec, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(metafile.Where(spec.location), ": quantization.dataset: ", what));
}

absl::Status CheckInput(const Metafile& metafile, const DatasetSpec& spec, const Paths& paths) {
  Paths others;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(others),
               [&spec](const std::string& path) {
                 return !Matches(spec.pattern, path) && !MatchesFolder(spec.pattern, path);
               });
  if (others.empty()) return absl::OkStatus();
  const size_t listed = std::min(others.size(), kMaxListed);
  const auto end = others.begin() + static_cast<std::ptrdiff_t>(listed);
  return Error(metafile, spec,
               absl::StrCat("'", spec.pattern, "' doesn't match ", others.size(), " of the rule's ",
                            paths.size(), " samples, ", absl::StrJoin(others.begin(), end, ", "),
                            listed < others.size() ? ", ..." : "",
                            "; change this pattern or the rule's dataset"));
}

}  // namespace

absl::Status CheckDeclaredDataset(const Metafile& metafile, absl::string_view declared) {
  const std::map<size_t, Paths> paths = PathsOfInputs(declared);
  if (paths.empty() || !metafile.quantized()) return absl::OkStatus();
  const std::vector<DatasetSpec>& specs = metafile.quantization->dataset;
  const size_t inputs = paths.rbegin()->first + 1;
  if (specs.size() != inputs) {
    return Error(metafile, specs.front(),
                 absl::StrCat(specs.size(), " pattern(s), expected ", inputs,
                              ", one for each input of the rule's dataset"));
  }
  for (const auto& [input, of_input] : paths) {
    if (absl::Status status = CheckInput(metafile, specs[input], of_input); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> DeclaredNames(absl::string_view declared) {
  Paths names = PathsOfInputs(declared)[0];
  for (std::string& name : names) name = Basename(name);
  return names;
}

}  // namespace synap_internal

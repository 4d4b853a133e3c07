#include "compiler/convert/tune/labels.h"

#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/name_list.h"
#include "base/status_macros.h"
#include "compiler/convert/tune/parse_labels.h"

namespace synap_internal {
namespace {

constexpr size_t kMostNamed = 8;  // that an error lists

bool IsLabelFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// What was read, before samples are looked up in it.
struct LabelSource {
  std::vector<NamedLabel> labels;
  bool have_boxes = false;
  bool are_all_used = false;  // by the dataset
  int classes = 0;            // as Labels::classes
};

absl::StatusOr<LabelSource> ReadYoloFolder(const std::string& folder,
                                           const std::vector<std::string>& files) {
  LabelSource source;
  source.have_boxes = true;
  source.are_all_used = true;
  for (const std::string& name : files) {
    const std::string file = JoinPath(folder, name);
    ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
    ASSIGN_OR_RETURN(std::vector<LabelledObject> objects, Annotate(ParseYoloLabels(text), file));
    source.labels.push_back({name, {0, std::move(objects), file}});
  }
  return source;
}

// The number of each folder's class. `counted`: becomes how many classes there must be, where their
// order is their number.
std::vector<int> NumbersOf(const std::vector<std::string>& folders,
                           const std::vector<std::string>& names, int& counted) {
  std::vector<int> numbers;
  for (const std::string& folder : folders) {
    const absl::StatusOr<int> number = ParseClass(folder, names);
    if (number.ok()) numbers.push_back(*number);
  }
  if (numbers.size() == folders.size()) return numbers;
  counted = static_cast<int>(folders.size());
  numbers.clear();
  for (int i = 0; i < counted; ++i) numbers.push_back(i);
  return numbers;
}

LabelSource ReadClassFolders(const std::string& folder, const std::vector<std::string>& classes,
                             const std::vector<std::string>& names) {
  LabelSource source;
  const std::vector<int> numbers = NumbersOf(classes, names, source.classes);
  for (size_t i = 0; i < classes.size(); ++i) {
    const std::string of_class = JoinPath(folder, classes[i]);
    for (const std::string& file : NamesIn(of_class)) {
      source.labels.push_back({absl::StrCat(classes[i], "/", file), {numbers[i], {}, of_class}});
    }
  }
  return source;
}

absl::StatusOr<LabelSource> ReadFolder(const std::string& folder,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> texts, folders;
  for (const std::string& name : NamesIn(folder)) {
    if (name[0] == '.' || name == "classes.txt") continue;
    if (IsLabelFolder(JoinPath(folder, name))) {
      folders.push_back(name);
    } else if (absl::EndsWith(name, ".txt")) {
      texts.push_back(name);
    }
  }
  if (!texts.empty()) return ReadYoloFolder(folder, texts);
  if (!folders.empty()) return ReadClassFolders(folder, folders, names);
  return absl::InvalidArgumentError(absl::StrCat(
      folder, ": found neither .txt files nor folders, expected a .txt file for each photo, or a ",
      "folder for each class"));
}

absl::StatusOr<LabelSource> ReadOneFile(const std::string& path,
                                        const std::vector<std::string>& names) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  LabelSource source;
  source.have_boxes = absl::EndsWithIgnoreCase(path, ".json");
  if (source.have_boxes) {
    ASSIGN_OR_RETURN(CocoInstances instances, Annotate(ParseCocoInstances(text, names), path));
    source.labels = std::move(instances.labels);
    source.classes = instances.classes;
  } else {
    ASSIGN_OR_RETURN(source.labels, Annotate(ParseClassList(text, names), path));
  }
  for (NamedLabel& named : source.labels) {
    named.label.place = absl::StrCat(path, named.label.place);
  }
  return source;
}

// Finds labels by what they name their samples by.
class LabelIndex {
 public:
  explicit LabelIndex(const std::vector<NamedLabel>& labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const std::string& name = labels[i].sample;
      exact_[name].insert(i);
      base_[Basename(name)].insert(i);
      stem_[Stem(name)].insert(i);
    }
  }

  // Of several only where nothing tells them apart.
  std::set<size_t> Find(const DatasetSample& sample) const {
    const std::string& file = Labels::KeyOf(sample);
    const std::string with_folder = absl::StrCat(Basename(Dirname(file)), "/", Basename(file));
    for (const std::string& name : {sample.name, file, with_folder}) {
      if (const auto found = exact_.find(name); found != exact_.end()) return found->second;
    }
    if (const auto found = base_.find(Basename(file)); found != base_.end()) return found->second;
    if (const auto found = stem_.find(Stem(file)); found != stem_.end()) return found->second;
    return {};
  }

 private:
  std::map<std::string, std::set<size_t>> exact_, base_, stem_;
};

absl::Status CheckFound(const std::string& path, const std::vector<std::string>& unlabelled,
                        const std::vector<std::string>& ambiguous, const LabelSource& source) {
  if (!unlabelled.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": found no label of ", FirstNames(unlabelled, kMostNamed),
        ", expected one for each sample",
        source.are_all_used ? ": a .txt file, which is empty if nothing is in the photo" : ""));
  }
  if (!ambiguous.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": found several labels of ",
                                                   FirstNames(ambiguous, kMostNamed),
                                                   ", expected one for each"));
  }
  return absl::OkStatus();
}

absl::Status CheckUsed(const LabelSource& source, const std::set<size_t>& used) {
  if (!source.are_all_used) return absl::OkStatus();
  std::vector<std::string> unused;
  for (size_t i = 0; i < source.labels.size(); ++i) {
    if (used.count(i) == 0) unused.push_back(source.labels[i].label.place);
  }
  if (unused.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      FirstNames(unused, kMostNamed),
      ": found no photo of that name among the samples, expected one ", "for each label"));
}

}  // namespace

absl::StatusOr<Labels> ReadSampleLabels(const std::string& path,
                                        const std::vector<DatasetSample>& samples,
                                        const std::vector<std::string>& names) {
  ASSIGN_OR_RETURN(LabelSource source,
                   IsLabelFolder(path) ? ReadFolder(path, names) : ReadOneFile(path, names));
  const LabelIndex index(source.labels);
  Labels labels;
  labels.path = path;
  labels.have_boxes = source.have_boxes;
  labels.classes = source.classes;
  std::vector<std::string> unlabelled, ambiguous;
  std::set<size_t> used;
  bool any_object = false;
  for (const DatasetSample& sample : samples) {
    const std::set<size_t> found = index.Find(sample);
    if (found.size() != 1) {
      (found.empty() ? unlabelled : ambiguous).push_back(sample.name);
      continue;
    }
    used.insert(*found.begin());
    const SampleLabel& label = source.labels[*found.begin()].label;
    any_object = any_object || !label.objects.empty();
    labels.samples[Labels::KeyOf(sample)] = label;
  }
  RETURN_IF_ERROR(CheckFound(path, unlabelled, ambiguous, source));
  RETURN_IF_ERROR(CheckUsed(source, used));
  if (labels.have_boxes && !any_object) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": found no object in ", samples.size(),
                                                   " samples, expected one at least"));
  }
  return labels;
}

}  // namespace synap_internal

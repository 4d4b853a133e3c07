#include "compiler/convert/tune/parse_labels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace synap_internal {
namespace {

// Labels are rounded, so that boxes end a little beyond the picture.
constexpr double kMostPart = 1.01;
constexpr double kMostPixels = 1e6;
constexpr double kIdLimit = 9007199254740992.0;  // 2^53, up to which a double has each number

std::optional<int> PlaceIn(const std::vector<std::string>& names, absl::string_view word) {
  const auto name = std::find(names.begin(), names.end(), word);
  if (name == names.end()) return std::nullopt;
  return static_cast<int>(name - names.begin());
}

absl::Status InLine(const absl::Status& status, size_t line) {
  return Annotate(status, absl::StrCat("line ", line));
}

// Calls use(line, its number) for each line that isn't empty, until one fails.
template <typename Use>
absl::Status ForLines(absl::string_view text, Use use) {
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    const absl::Status status = use(line, number);
    if (!status.ok()) return InLine(status, number);
  }
  return absl::OkStatus();
}

LabelledBox CenteredBox(double x, double y, double width, double height) {
  return {static_cast<float>(x - width / 2), static_cast<float>(y - height / 2),
          static_cast<float>(x + width / 2), static_cast<float>(y + height / 2)};
}

absl::StatusOr<LabelledObject> ParseYoloLine(absl::string_view line) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() != 5) {
    return absl::InvalidArgumentError(
        absl::StrCat("found ", words.size(), " values, expected 5: class, centre x, centre y, ",
                     "width and height of a box"));
  }
  LabelledObject object;
  if (!absl::SimpleAtoi(words[0], &object.class_index)) {
    return absl::InvalidArgumentError(
        absl::StrCat("found the class '", words[0], "', expected a whole number"));
  }
  double values[4];
  for (size_t i = 0; i < 4; ++i) {
    const absl::string_view word = words[i + 1];
    if (absl::SimpleAtod(word, &values[i]) && values[i] >= 0 && values[i] <= kMostPart) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("found ", word, ", expected a part of the picture's size, 0 to 1"));
  }
  object.box = CenteredBox(values[0], values[1], values[2], values[3]);
  return object;
}

// The members of COCO's entries that are read.
struct CocoEntry {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  std::vector<double> box;
};

// Reads lists of entries from a file of any size; what else it holds, as outlines, isn't kept.
class CocoReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::vector<CocoEntry>& EntriesOf(const std::string& list) { return lists_[list]; }
  bool Has(const std::string& list) const { return lists_.count(list) > 0; }

  bool null() override { return true; }
  bool boolean(bool value) override { return Number(value ? 1 : 0); }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return Number(value); }
  bool string(string_t& value) override {
    const bool is_read = key_ == "file_name" || key_ == "name";
    if (!list_.empty() && IsInEntry() && is_read) entry().texts[key_] = value;
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override {
    Open();
    if (IsInEntry() && !list_.empty()) lists_[list_].emplace_back();
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override {
    Open();
    if (depth_ == kListDepth && !list_.empty()) lists_[list_];
    return true;
  }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    if (depth_ == 1) list_ = IsList(name) ? name : "";
    if (depth_ == kEntryDepth) key_ = name;
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  static constexpr int kListDepth = 2, kEntryDepth = 3;

  static bool IsList(const std::string& name) {
    return name == "images" || name == "annotations" || name == "categories";
  }
  bool IsInEntry() const { return depth_ == kEntryDepth; }
  bool IsInBox() const { return depth_ == kEntryDepth + 1 && key_ == "bbox"; }
  // REQUIRES: key_ isn't empty, so that the entry is an object.
  CocoEntry& entry() { return lists_[list_].back(); }

  bool Number(double value) {
    static const auto* const kNumbers =
        new std::set<std::string>{"id", "width", "height", "image_id", "category_id", "iscrowd"};
    if (list_.empty()) return true;
    if (IsInEntry() && kNumbers->count(key_) > 0) entry().numbers[key_] = value;
    if (IsInBox()) entry().box.push_back(value);
    return true;
  }

  void Open() {
    ++depth_;
    if (IsInEntry()) key_.clear();
  }
  bool Close() {
    --depth_;
    return true;
  }

  int depth_ = 0;     // of objects and lists that are open
  std::string list_;  // whose entries are read; "": none
  std::string key_;   // of the entry's member
  std::map<std::string, std::vector<CocoEntry>> lists_;
};

// Makes labels of the entries.
class CocoLabels {
 public:
  CocoLabels(CocoReader& reader, const std::vector<std::string>& names)
      : reader_(reader), names_(names) {}

  absl::StatusOr<CocoInstances> Make() {
    RETURN_IF_ERROR(ReadCategories());
    RETURN_IF_ERROR(ReadPictures());
    size_t number = 0;
    for (const CocoEntry& entry : reader_.EntriesOf("annotations")) {
      RETURN_IF_ERROR(Annotate(AddObject(entry), absl::StrCat("annotation ", number++)));
    }
    return std::move(instances_);
  }

 private:
  static absl::StatusOr<double> NumberOf(const CocoEntry& entry, const std::string& name) {
    const auto found = entry.numbers.find(name);
    if (found != entry.numbers.end()) return found->second;
    return absl::InvalidArgumentError(absl::StrCat("has no '", name, "', expected a number"));
  }

  static absl::StatusOr<int64_t> IdOf(const CocoEntry& entry, const std::string& name) {
    ASSIGN_OR_RETURN(const double id, NumberOf(entry, name));
    if (std::abs(id) < kIdLimit && std::trunc(id) == id) return static_cast<int64_t>(id);
    return absl::InvalidArgumentError(
        absl::StrCat("found ", name, " ", id, ", expected a whole number below 2^53"));
  }

  static absl::Status RepeatedId(int64_t id, absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("found the id ", id, " again, expected another one for each ", what));
  }

  absl::Status ReadCategories() {
    std::map<int64_t, std::string> categories;
    for (const CocoEntry& entry : reader_.EntriesOf("categories")) {
      const auto found = entry.texts.find("name");
      const std::string name = found == entry.texts.end() ? "" : found->second;
      const std::string place = absl::StrCat("category '", name, "'");
      ASSIGN_OR_RETURN(const int64_t id, Annotate(IdOf(entry, "id"), place));
      if (!categories.emplace(id, name).second) {
        return Annotate(RepeatedId(id, "category"), place);
      }
    }
    const bool are_named = std::all_of(
        categories.begin(), categories.end(),
        [&](const auto& category) { return PlaceIn(names_, category.second).has_value(); });
    for (const auto& [id, name] : categories) {
      const auto place = static_cast<int>(classes_.size());
      classes_[id] = are_named ? *PlaceIn(names_, name) : place;
    }
    if (!are_named) instances_.classes = static_cast<int>(categories.size());
    return absl::OkStatus();
  }

  absl::Status ReadPictures() {
    for (const CocoEntry& entry : reader_.EntriesOf("images")) {
      const auto name = entry.texts.find("file_name");
      if (name == entry.texts.end()) {
        return absl::InvalidArgumentError("an image has no 'file_name', expected one");
      }
      ASSIGN_OR_RETURN(const int64_t id, Annotate(IdOf(entry, "id"), name->second));
      if (pictures_.count(id) > 0) return Annotate(RepeatedId(id, "image"), name->second);
      Picture& picture = pictures_[id];
      picture.label = labels().size();
      ASSIGN_OR_RETURN(picture.width, Annotate(NumberOf(entry, "width"), name->second));
      ASSIGN_OR_RETURN(picture.height, Annotate(NumberOf(entry, "height"), name->second));
      if (!(picture.width >= 1 && picture.height >= 1)) {
        return absl::InvalidArgumentError(absl::StrCat(name->second, ": found a size of ",
                                                       picture.width, "x", picture.height,
                                                       ", expected one pixel at least"));
      }
      labels().push_back({name->second, {}});
      labels().back().label.place = absl::StrCat(": ", name->second);
    }
    return absl::OkStatus();
  }

  absl::Status AddObject(const CocoEntry& entry) {
    ASSIGN_OR_RETURN(const int64_t image, IdOf(entry, "image_id"));
    ASSIGN_OR_RETURN(const int64_t category, IdOf(entry, "category_id"));
    const auto picture = pictures_.find(image);
    const auto index = classes_.find(category);
    if (picture == pictures_.end() || index == classes_.end()) {
      return absl::InvalidArgumentError(
          picture == pictures_.end()
              ? absl::StrCat("found image_id ", image, ", expected an id of 'images'")
              : absl::StrCat("found category_id ", category, ", expected an id of 'categories'"));
    }
    const bool are_pixels = std::all_of(entry.box.begin(), entry.box.end(), [](double value) {
      return std::abs(value) <= kMostPixels;
    });
    if (entry.box.size() != 4 || !are_pixels) {
      return absl::InvalidArgumentError(
          absl::StrCat("found the 'bbox' [", absl::StrJoin(entry.box, ", "),
                       "], expected 4 numbers of pixels: x, y, width, height"));
    }
    const auto& [label, width, height] = picture->second;
    const double x = entry.box[0] / width, y = entry.box[1] / height;
    LabelledObject object;
    object.class_index = index->second;
    object.box = {static_cast<float>(x), static_cast<float>(y),
                  static_cast<float>(x + entry.box[2] / width),
                  static_cast<float>(y + entry.box[3] / height)};
    const auto crowd = entry.numbers.find("iscrowd");
    object.is_crowd = crowd != entry.numbers.end() && crowd->second != 0;
    labels()[label].label.objects.push_back(object);
    return absl::OkStatus();
  }

  std::vector<NamedLabel>& labels() { return instances_.labels; }

  struct Picture {
    size_t label = 0;
    double width = 0, height = 0;
  };

  CocoReader& reader_;
  const std::vector<std::string>& names_;
  std::map<int64_t, int> classes_;       // by category's id
  std::map<int64_t, Picture> pictures_;  // by image's id
  CocoInstances instances_;
};

}  // namespace

absl::StatusOr<int> ParseClass(absl::string_view word, const std::vector<std::string>& names) {
  if (const std::optional<int> place = PlaceIn(names, word)) return *place;
  int index = 0;
  if (absl::SimpleAtoi(word, &index)) return index;
  return absl::InvalidArgumentError(
      absl::StrCat("found the class '", word, "', expected ",
                   names.empty() ? "its number (its name needs an info.json of the model)"
                                 : "its number or a name that info.json has"));
}

absl::StatusOr<std::vector<NamedLabel>> ParseClassList(absl::string_view text,
                                                       const std::vector<std::string>& names) {
  std::vector<NamedLabel> labels;
  RETURN_IF_ERROR(ForLines(text, [&](absl::string_view line, size_t number) -> absl::Status {
    const size_t end = line.find(line.find('\t') == absl::string_view::npos ? ' ' : '\t');
    if (end == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("found '", line, "', expected a sample's name and its class"));
    }
    NamedLabel& named = labels.emplace_back();
    named.sample = std::string(absl::StripAsciiWhitespace(line.substr(0, end)));
    named.label.place = absl::StrCat(":", number);
    ASSIGN_OR_RETURN(named.label.class_index,
                     ParseClass(absl::StripAsciiWhitespace(line.substr(end)), names));
    return absl::OkStatus();
  }));
  return labels;
}

absl::StatusOr<std::vector<LabelledObject>> ParseYoloLabels(absl::string_view text) {
  std::vector<LabelledObject> objects;
  RETURN_IF_ERROR(ForLines(text, [&](absl::string_view line, size_t) -> absl::Status {
    ASSIGN_OR_RETURN(objects.emplace_back(), ParseYoloLine(line));
    return absl::OkStatus();
  }));
  return objects;
}

absl::StatusOr<CocoInstances> ParseCocoInstances(const std::string& text,
                                                 const std::vector<std::string>& names) {
  CocoReader reader;
  const bool is_json = nlohmann::json::sax_parse(text, &reader);
  if (!is_json || !reader.Has("images") || !reader.Has("annotations") ||
      !reader.Has("categories")) {
    return absl::InvalidArgumentError(
        absl::StrCat(is_json ? "a list is missing" : "found other text than JSON",
                     ", expected COCO's instances: images, annotations and categories"));
  }
  return CocoLabels(reader, names).Make();
}

}  // namespace synap_internal

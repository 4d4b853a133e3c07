#include "compiler/metafile/parse_preprocess.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kNone = "none";
constexpr absl::string_view kFloat32 = "float32";
constexpr int64_t kMaxSide = 65535;

// The fields as written, with their places.
struct Section {
  std::string type;  // "": absent
  YamlValue size, crop;
  bool is_cropping = false;
  std::vector<int64_t> width_height;

  bool has_size() const { return !width_height.empty(); }
};

absl::Status ReadType(const YamlReader& yaml, const YamlValue& value, std::string& type) {
  if (value.IsNull() || (value.node.IsScalar() && value.node.Scalar().empty())) {
    type = std::string(kNone);
    return absl::OkStatus();
  }
  const std::vector<std::string> words = PreprocessTypes();
  ASSIGN_OR_RETURN(const size_t index, yaml.Word(value, words));
  type = words[index];
  return absl::OkStatus();
}

absl::Status ReadSize(const YamlReader& yaml, const YamlValue& value, std::vector<int64_t>& size) {
  if (value.IsNull()) return absl::OkStatus();
  ASSIGN_OR_RETURN(size, yaml.Integers(value, 1, kMaxSide));
  if (size.size() == 2) return absl::OkStatus();
  return yaml.FieldError(
      value, absl::StrCat("found ", size.size(),
                          " numbers, expected the pictures' [width, height] in pixels"));
}

absl::Status CheckPicture(const YamlReader& yaml, const Section& section,
                          const PictureTypeRow& picture) {
  const auto is_odd = [](int64_t side) { return side % 2 != 0; };
  if (!picture.has_halved_plane() || !section.has_size() ||
      (!is_odd(section.width_height[0]) && !is_odd(section.width_height[1]))) {
    return absl::OkStatus();
  }
  return yaml.FieldError(
      section.size,
      absl::StrCat("found ", section.width_height[0], "x", section.width_height[1], ", but ",
                   picture.name, " has one colour for 2x2 pixels, expected even sides"));
}

// What reads neither size nor crop must not have them.
absl::Status CheckNoPicture(const YamlReader& yaml, const Section& section) {
  const std::string what = absl::StrCat(
      "type ", section.type, section.type == kNone ? " takes no pictures" : " takes no pixels",
      ", expected a type such as nv12 or rgb; change the type or leave the field out");
  if (section.has_size()) return yaml.FieldError(section.size, what);
  if (section.is_cropping) return yaml.FieldError(section.crop, what);
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> PreprocessTypes() {
  std::vector<std::string> words = {std::string(kNone)};
  for (const PictureTypeRow& row : kPictureTypes) words.emplace_back(row.name);
  words.emplace_back(kFloat32);
  return words;
}

absl::Status ParsePreprocess(const YamlReader& yaml, const YamlValue& value,
                             std::optional<PreprocessSpec>& spec) {
  if (value.IsNull()) return absl::OkStatus();
  Section section;
  RETURN_IF_ERROR(yaml.ReadMap(
      value, {{"type", [&](const YamlValue& type) { return ReadType(yaml, type, section.type); }},
              {"size",
               [&](const YamlValue& size) {
                 section.size = size;
                 return ReadSize(yaml, size, section.width_height);
               }},
              {"crop", [&](const YamlValue& crop) -> absl::Status {
                 section.crop = crop;
                 ASSIGN_OR_RETURN(section.is_cropping, yaml.Bool(crop));
                 return absl::OkStatus();
               }}}));
  if (section.type.empty()) {
    return yaml.FieldError(value, "found no 'type', expected one such as nv12 or rgb");
  }
  const PictureTypeRow* const picture = FindPictureType(section.type);
  RETURN_IF_ERROR(picture == nullptr ? CheckNoPicture(yaml, section)
                                     : CheckPicture(yaml, section, *picture));
  if (section.type == kNone) return absl::OkStatus();
  spec.emplace();
  spec->location = value.location;
  spec->picture = picture;
  if (section.has_size()) {
    spec->width = section.width_height[0];
    spec->height = section.width_height[1];
  }
  spec->crop = section.is_cropping;
  return absl::OkStatus();
}

}  // namespace synap_internal

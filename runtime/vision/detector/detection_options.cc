#include "runtime/vision/detector/detection_options.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/vision/format_string.h"

namespace synap_internal {
namespace {

constexpr size_t kMostLevels = 16;

// A word of a format string and its meaning.
template <typename T>
struct AttributeWord {
  absl::string_view text;
  T value;
};

constexpr AttributeWord<NmsScope> kScopes[] = {
    {"any", NmsScope::kAny}, {"class", NmsScope::kClass}, {"none", NmsScope::kNone}};
constexpr AttributeWord<bool> kPrototypes[] = {{"nchw", true}, {"nhwc", false}};
constexpr AttributeWord<BoxForm> kBoxForms[] = {
    {"yxyx", BoxForm::kYxyx}, {"xyxy", BoxForm::kXyxy}, {"xywh", BoxForm::kXywh}};

// Reads attributes of a format string; an attribute that it lacks has no value.
class AttributeReader {
 public:
  explicit AttributeReader(const FormatString& format) : format_(format) {}

  Attribute<bool> Flag(absl::string_view key) const { return Given(key, format_.Bool(key, false)); }
  Attribute<int> Int(absl::string_view key) const { return Given(key, format_.Int(key, 0)); }
  Attribute<float> Float(absl::string_view key) const { return Given(key, format_.Float(key, 0)); }
  Attribute<std::vector<float>> List(absl::string_view key) const {
    return Given(key, format_.Floats(key));
  }
  Attribute<std::vector<std::vector<float>>> Lists(absl::string_view key) const {
    return Given(key, format_.FloatLists(key));
  }

  Attribute<int> IntFrom(absl::string_view key, int low, int high) const {
    return InRange(key, Int(key), low, high, absl::StrCat(low, " to ", high));
  }
  Attribute<int> Count(absl::string_view key) const {
    return InRange(key, Int(key), 0, std::numeric_limits<int>::max(), "0 or a positive number");
  }
  Attribute<float> Part(absl::string_view key) const {
    return InRange(key, Float(key), 0.0f, 1.0f, "0 to 1");
  }

  template <typename T, size_t kCount>
  Attribute<T> Word(absl::string_view key, const AttributeWord<T> (&words)[kCount]) const {
    if (!format_.Has(key)) return std::nullopt;
    const std::string text = format_.Get(key);
    std::string expected;
    for (size_t i = 0; i < kCount; ++i) {
      if (words[i].text == text) return words[i].value;
      absl::StrAppend(&expected, i == 0 ? "" : i + 1 < kCount ? ", " : " or ", words[i].text);
    }
    return IsNot(key, Quoted(key), expected);
  }
  // The same; "" is no word, but an attribute that is absent.
  template <typename T, size_t kCount>
  Attribute<T> WordIfAny(absl::string_view key, const AttributeWord<T> (&words)[kCount]) const {
    return format_.Get(key).empty() ? std::nullopt : Word(key, words);
  }

  Attribute<std::vector<std::vector<float>>> Sizes(absl::string_view key) const {
    ASSIGN_OR_RETURN(std::vector<std::vector<float>> lists, format_.FloatLists(key));
    for (const std::vector<float>& list : lists) {
      const auto it = std::find_if(list.begin(), list.end(), [](float v) { return !(v > 0); });
      if (it == list.end()) continue;
      return absl::InvalidArgumentError(absl::StrCat("format attribute '", key, "' has the number ",
                                                     *it, ", expected numbers above 0"));
    }
    return Given<std::vector<std::vector<float>>>(key, std::move(lists));
  }

  Attribute<std::vector<float>> GridStrides() const {
    constexpr absl::string_view kKey = "strides";
    if (!format_.Has(kKey)) return std::nullopt;
    ASSIGN_OR_RETURN(std::vector<float> strides, format_.Floats(kKey));
    const bool is_valid = !strides.empty() && strides.size() <= kMostLevels &&
                          std::all_of(strides.begin(), strides.end(), [](float stride) {
                            return stride >= 1 && stride <= kLargestInput;
                          });
    if (is_valid) return strides;
    return IsNot(kKey, Quoted(kKey), absl::StrCat("1 to ", kMostLevels, " numbers of pixels"));
  }

  Attribute<Variances> CenterAndSize() const {
    constexpr absl::string_view kKey = "variances";
    if (!format_.Has(kKey)) return std::nullopt;
    ASSIGN_OR_RETURN(const std::vector<float> values, format_.Floats(kKey));
    if (values.size() == 2) return Variances{values[0], values[1]};
    return absl::InvalidArgumentError(absl::StrCat("format attribute '", kKey, "' has ",
                                                   values.size(),
                                                   " numbers, expected 2: of centres and sizes"));
  }

  Attribute<InputSize> Size() const {
    if (!format_.Has("w_scale") && !format_.Has("h_scale")) return std::nullopt;
    InputSize size;
    ASSIGN_OR_RETURN(size.width, NotNegative("w_scale"));
    ASSIGN_OR_RETURN(size.height, NotNegative("h_scale"));
    return size;
  }

  absl::StatusOr<CoordinateScales> Scales() const {
    CoordinateScales scales;
    ASSIGN_OR_RETURN(scales.x, Positive("x_scale", scales.x));
    ASSIGN_OR_RETURN(scales.y, Positive("y_scale", scales.y));
    ASSIGN_OR_RETURN(scales.h, Positive("h_scale", scales.h));
    ASSIGN_OR_RETURN(scales.w, Positive("w_scale", scales.w));
    return scales;
  }

 private:
  template <typename T>
  Attribute<T> Given(absl::string_view key, absl::StatusOr<T> value) const {
    return format_.Has(key) ? Attribute<T>(std::move(value)) : std::nullopt;
  }

  std::string Quoted(absl::string_view key) const {
    return absl::StrCat("'", format_.Get(key).substr(0, 60), "'");
  }

  template <typename T>
  static absl::Status IsNot(absl::string_view key, const T& value, absl::string_view expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("format attribute '", key, "' is ", value, ", expected ", expected));
  }

  template <typename T>
  static Attribute<T> InRange(absl::string_view key, Attribute<T> number, T low, T high,
                              absl::string_view expected) {
    if (!number.has_value() || !number->ok()) return number;
    if (**number >= low && **number <= high) return number;
    return IsNot(key, **number, expected);
  }

  absl::StatusOr<float> Positive(absl::string_view key, float fallback) const {
    ASSIGN_OR_RETURN(const float value, format_.Float(key, fallback));
    if (value > 0) return value;
    return IsNot(key, value, "a positive number");
  }

  // 0, the documented default, is 1: no scaling.
  absl::StatusOr<float> NotNegative(absl::string_view key) const {
    ASSIGN_OR_RETURN(const float value, format_.Float(key, 0));
    return value == 0 ? 1 : Positive(key, 1);
  }

  const FormatString& format_;
};

}  // namespace

DetectionOptions ParseDetectionOptions(absl::string_view text) {
  const FormatString format = FormatString::Parse(text);
  const AttributeReader read(format);
  return {
      .type = format.type(),
      .score_threshold = read.Float("score_threshold"),
      .class_index_base = read.Int("class_index_base"),
      .nms = read.Word("nms", kScopes),
      .iou_threshold = read.Part("iou_threshold"),
      .max_per_class = read.Count("max_per_class"),
      .transposed = read.Flag("transposed"),
      .prototype_planes = read.WordIfAny("prototypes", kPrototypes),
      .reg_max = read.IntFrom("reg_max", 1, 1000),
      .box = read.WordIfAny("box", kBoxForms),
      .input_size = read.Size(),
      .coordinate_scales = read.Scales(),
      .bb_normalized = read.Flag("bb_normalized"),
      .landmarks = read.IntFrom("landmarks", 0, 10000),
      .visibility = read.Flag("visibility"),
      .best = read.Flag("best"),
      .background = read.Int("background"),
      .decoded = read.Flag("decoded"),
      .strides = read.List("strides"),
      .grid_strides = read.GridStrides(),
      .anchors = read.List("anchors"),
      .level_anchors = read.Lists("anchors"),
      .min_sizes = read.Sizes("min_sizes"),
      .max_sizes = read.Sizes("max_sizes"),
      .aspect_ratios = read.Sizes("aspect_ratios"),
      .even = read.Flag("even"),
      .clip = read.Flag("clip"),
      .variances = read.CenterAndSize(),
  };
}

absl::StatusOr<std::vector<float>> BoxAnchors(const DetectionOptions& options, int64_t count) {
  ASSIGN_OR_RETURN(std::vector<float> anchors, options.anchors.value_or(std::vector<float>()));
  if (static_cast<int64_t>(anchors.size()) == 4 * count) return anchors;
  return absl::InvalidArgumentError(absl::StrCat("format attribute 'anchors' has ", anchors.size(),
                                                 " numbers, expected 4 for each of ", count,
                                                 " boxes"));
}

}  // namespace synap_internal

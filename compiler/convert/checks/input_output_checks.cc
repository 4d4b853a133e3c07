#include "compiler/convert/checks/input_output_checks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "compiler/graph/preprocessing/pixel_mapping.h"
#include "compiler/metafile/node_place.h"
#include "runtime/vision/detector/decoder.h"
#include "runtime/vision/detector/detection_formats.h"
#include "runtime/vision/detector/detection_options.h"
#include "runtime/vision/format_string.h"
#include "runtime/vision/picture_format.h"

namespace synap_internal {
namespace {

constexpr size_t kMostNames = 8;  // in a sentence

// "output 'a'", "outputs 'a' and 'b'".
std::string List(absl::string_view what, std::vector<std::string> names) {
  if (names.size() > kMostNames) {
    const size_t left = names.size() - kMostNames;
    names.resize(kMostNames);
    names.push_back(absl::StrCat(left, " more"));
  }
  const std::string last = names.back();
  names.pop_back();
  if (names.empty()) return absl::StrCat(what, " ", last);
  return absl::StrCat(what, "s ", absl::StrJoin(names, ", "), " and ", last);
}

std::vector<std::string> QuotedNames(const std::vector<TensorMetadata>& tensors, size_t begin) {
  std::vector<std::string> names;
  for (size_t i = begin; i < tensors.size(); ++i) {
    names.push_back(absl::StrCat("'", tensors[i].name, "'"));
  }
  return names;
}

// A user who normalizes one input may expect it for all, but pictures of the others stay as they
// are.
void CheckInputs(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  const bool normalizes = std::any_of(
      metafile.inputs.begin(), metafile.inputs.end(),
      [](const InputSpec& input) { return !input.means.empty() || input.scale.has_value(); });
  std::vector<std::string> missing;
  for (size_t i = metafile.inputs.size(); i < model.inputs.size(); ++i) {
    if (!CanBePicture(model.inputs[i])) continue;
    missing.push_back(absl::StrCat("'", model.inputs[i].name, "'"));
  }
  if (!normalizes || missing.empty()) return;
  warnings.Add(
      metafile.PlaceOf(metafile.inputs.back().location),
      absl::StrCat("'inputs' has ", metafile.inputs.size(), " of ", model.inputs.size(),
                   " entries: ", List("input", missing), missing.size() == 1 ? " has" : " have",
                   " no means and scale; write an entry for each"));
}

// Outputs without an entry get what the metafile says for all outputs.
void CheckCounts(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  CheckInputs(metafile, model, warnings);
  const size_t outputs = metafile.outputs.size();
  if (outputs == 0 || outputs >= model.outputs.size()) return;
  const bool stays_quantized =
      std::any_of(model.outputs.begin() + static_cast<std::ptrdiff_t>(outputs), model.outputs.end(),
                  [](const TensorMetadata& output) {
                    return output.quant.quantized() || output.dtype == DataType::kFloat16;
                  });
  warnings.Add(
      metafile.PlaceOf(metafile.outputs.back().location),
      absl::StrCat("'outputs' has ", outputs, " of ", model.outputs.size(),
                   " entries: ", List("output", QuotedNames(model.outputs, outputs)),
                   stays_quantized ? " not dequantized," : "",
                   metafile.output_format.empty() ? " without format" : " with 'output_format'",
                   "; write an entry for each"));
}

// Whether a format's type is a detector's, in a spelling or version that nothing decodes. Types
// that only contain a known one, or are contained in it ("boxes"), are not.
bool LooksLikeDetection(const std::string& type, const std::vector<std::string>& known) {
  const std::string lower = absl::AsciiStrToLower(type);
  for (const DetectionFormat& format : DetectionFormats()) {
    if (absl::StartsWith(lower, format.family)) return true;
  }
  for (const std::string& near : NearestNames(type, known)) {
    if (!absl::StrContains(near, lower) && !absl::StrContains(lower, near)) return true;
  }
  return false;
}

// Where the metafile says the format of output `i`.
SourceLocation FormatLocation(const Metafile& metafile, size_t i) {
  const bool own = i < metafile.outputs.size() && metafile.outputs[i].format.has_value();
  return own ? metafile.outputs[i].location : SourceLocation{};
}

// Other formats are the application's own, but bgr in capitals has no other meaning.
void CheckChannelOrder(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const PictureFormat format = ParsePictureFormat(model.inputs[i].data_format);
    if (format.is_bgr || !absl::StartsWithIgnoreCase(format.type, "bgr")) continue;
    const bool own = i < metafile.inputs.size() && metafile.inputs[i].format.has_value();
    warnings.Add(metafile.PlaceOf(own ? metafile.inputs[i].location : SourceLocation{}),
                 absl::StrCat("the pictures of input '", model.inputs[i].name,
                              "' stay RGB: its format begins with '", format.type.substr(0, 60),
                              "'; write bgr in lower case"));
  }
}

struct FormatUse {
  SourceLocation location;
  std::vector<std::string> outputs;
};

void CheckFormats(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  const std::vector<std::string> decoded = DetectionTypes();
  std::map<std::string, FormatUse> uses;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    const std::string type = FormatType(model.outputs[i].data_format);
    if (FindDetectionFormat(type) != nullptr || !LooksLikeDetection(type, decoded)) continue;
    FormatUse& use = uses[type];
    if (use.outputs.empty()) use.location = FormatLocation(metafile, i);
    use.outputs.push_back(absl::StrCat("'", model.outputs[i].name, "'"));
  }
  for (const auto& [type, use] : uses) {
    warnings.Add(metafile.PlaceOf(use.location),
                 absl::StrCat("format '", type.substr(0, 60), "' of ", List("output", use.outputs),
                              " isn't decoded by any detector", DidYouMean(type, decoded),
                              "; decoded are ", absl::StrJoin(decoded, ", ")));
  }
}

// Heads of YOLO by the length of their lists, for a network's picture.
class ListLengths {
 public:
  explicit ListLengths(const ModelMetadata& model) {
    if (model.inputs.empty() || !CanBePicture(model.inputs[0])) return;
    const TensorMetadata& input = model.inputs[0];
    const bool is_nchw = input.layout == TensorLayout::kNchw;
    height_ = input.shape[is_nchw ? 2 : 1];
    width_ = input.shape[is_nchw ? 3 : 2];
  }

  // One box for each cell of the strides 8, 16, 32 and perhaps 64: YOLOv8, YOLOX and followers.
  bool IsOnePerCell(int64_t count) const {
    return height_ > 0 && (count == Cells(32) || count == Cells(64));
  }
  // Three: YOLOv5, YOLOv7.
  bool IsThreePerCell(int64_t count) const { return count % 3 == 0 && IsOnePerCell(count / 3); }
  std::string Picture() const { return absl::StrCat("a picture of ", width_, "x", height_); }

 private:
  // Of the strides from 8 to this one.
  int64_t Cells(int64_t last) const {
    int64_t cells = 0;
    for (int64_t s = 8; s <= last; s *= 2)
      cells += ((height_ + s - 1) / s) * ((width_ + s - 1) / s);
    return cells;
  }

  int64_t height_ = 0;  // 0: no picture
  int64_t width_ = 0;
};

// What tells that a decoder of YOLOv5 or YOLOv8 isn't that of a list that it accepts; "" if nothing
// does. YOLOX' lists are as long as YOLOv8's and are decoded as YOLOv5's, so that these are taken
// for either.
std::string WrongFamily(const DetectionOptions& options, const Shape& shape,
                        const ListLengths& lengths) {
  const DetectionFormat* const row = FindDetectionFormat(options.type);
  const bool is_yolov8 = row->make == FindDetectionFormat("yolov8")->make;
  const bool is_yolov5 = row->type == "yolov5";
  if (shape.rank() != 3 || (!is_yolov8 && !is_yolov5)) return "";
  const int64_t rows = shape[1], columns = shape[2];
  if (is_yolov8 && (lengths.IsThreePerCell(rows) || lengths.IsThreePerCell(columns))) {
    return absl::StrCat("has ", std::max(rows, columns), " boxes, three for each cell of ",
                        lengths.Picture(), " as YOLOv5 and YOLOv7 have, whose fifth value is a ",
                        "confidence and no class; write 'yolov5' instead");
  }
  constexpr int64_t kMostChosen = 1000;
  if (is_yolov8 && columns == 6 && rows <= kMostChosen && !lengths.IsOnePerCell(rows)) {
    return absl::StrCat("has ", rows, " rows of 6 values as YOLOv10 and YOLO26 have: two corners, ",
                        "score and class; write 'yolov10' instead");
  }
  const bool has_values_first = options.transposed.value_or(false).value_or(false);
  const int64_t values = has_values_first ? rows : columns;
  if (is_yolov5 && lengths.IsThreePerCell(values)) {
    return absl::StrCat("has ", values, " boxes in the place of a box's values; ",
                        has_values_first ? "remove 'transposed=1'" : "append 'transposed=1'");
  }
  if (is_yolov5 && lengths.IsOnePerCell(values)) {
    return absl::StrCat("has ", values, " boxes, one for each cell of ", lengths.Picture(),
                        ", in the place of a box's values; write 'yolov8', or for YOLOX ",
                        has_values_first ? "remove 'transposed=1'" : "append 'transposed=1'");
  }
  return "";
}

// The decoder goes by the first output and takes them all.
void CheckDecoder(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  if (model.outputs.empty()) return;
  const DetectionOptions options = ParseDetectionOptions(model.outputs[0].data_format);
  if (FindDetectionFormat(options.type) == nullptr) return;
  std::vector<DetectionTensor> tensors;
  for (const TensorMetadata& output : model.outputs) {
    tensors.push_back({output.data_format, output.shape});
  }
  const absl::Status status = MakeDetectionDecoder(tensors, /*score_threshold=*/0.5f).status();
  const std::string wrong = WrongFamily(options, model.outputs[0].shape, ListLengths(model));
  if (status.ok() && wrong.empty()) return;
  warnings.Add(metafile.PlaceOf(FormatLocation(metafile, 0)),
               status.ok()
                   ? absl::StrCat("the detector '", options.type, "' finds wrong boxes: output '",
                                  model.outputs[0].name, "' ", wrong)
                   : absl::StrCat("the detector '", options.type,
                                  "' refuses the network's outputs: ", status.message()));
}

// Policies are for secure models alone, but who writes this one expects one.
void CheckPolicies(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  if (metafile.security.secure) return;
  std::vector<std::string> secure;
  const InputSpec* first = nullptr;
  for (size_t i = 0; i < std::min(metafile.inputs.size(), model.inputs.size()); ++i) {
    const InputSpec& input = metafile.inputs[i];
    if (input.security != InputSecurity::kSecure) continue;
    if (first == nullptr) first = &input;
    secure.push_back(absl::StrCat("'", model.inputs[i].name, "'"));
  }
  if (first == nullptr) return;
  warnings.Add(metafile.PlaceOf(first->location),
               absl::StrCat("'security: secure' of ", List("input", secure),
                            " has no effect, because the model isn't secure; add the section "
                            "'security' with the keys"));
}

// The first variable in a format that nothing has replaced, "${ANCHOR}"; "" if there is none.
std::string LeftVariable(const std::string& format) {
  const size_t begin = format.find("${");
  if (begin == std::string::npos) return "";
  const size_t end = format.find('}', begin);
  const size_t size = end == std::string::npos ? end : end - begin + 1;
  return format.substr(begin, size).substr(0, 60);
}

// Variables are upper case; a misspelt one would reach the application as it is.
void CheckVariables(const Metafile& metafile, const ModelMetadata& model, Warnings& warnings) {
  const auto check = [&](const TensorMetadata& tensor, const char* what, SourceLocation location) {
    const std::string variable = LeftVariable(tensor.data_format);
    if (variable.empty()) return;
    warnings.Add(PlaceOfNode(metafile, location, what, tensor.name),
                 absl::StrCat("the format holds ", variable,
                              ", which nothing replaces here; variables are ${ENV:name}, "
                              "${FILE:path} and, in an output's format, ${ANCHORS}"));
  };
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const bool own = i < metafile.inputs.size() && metafile.inputs[i].format.has_value();
    check(model.inputs[i], "input", own ? metafile.inputs[i].location : SourceLocation{});
  }
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    check(model.outputs[i], "output", FormatLocation(metafile, i));
  }
}

}  // namespace

void CheckInputsAndOutputs(const Metafile& metafile, const ModelMetadata& model,
                           Warnings& warnings) {
  CheckCounts(metafile, model, warnings);
  CheckChannelOrder(metafile, model, warnings);
  CheckVariables(metafile, model, warnings);
  CheckFormats(metafile, model, warnings);
  CheckDecoder(metafile, model, warnings);
  CheckPolicies(metafile, model, warnings);
}

}  // namespace synap_internal

#include "compiler/convert/cli/yolo_export.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/dataset/raw_image.h"

namespace synap_internal {
namespace {

constexpr int kSizeStep = 32;  // the largest stride of these networks

// A name of weights begins with `name`; their outputs have the format `type`, and with "-seg",
// "-pose" or "-obb" in the name `type` followed by that word.
struct YoloFamily {
  absl::string_view name;
  absl::string_view type;
};

// YOLOv3 and YOLOv5 of the same exporter have the head of YOLOv8.
constexpr YoloFamily kFamilies[] = {
    {"yolov3", "yolov8"},   {"yolov5", "yolov8"}, {"yolov8", "yolov8"}, {"yolov9", "yolov9"},
    {"yolov10", "yolov10"}, {"yolo11", "yolo11"}, {"yolo12", "yolo11"}, {"yolo26", "yolo26"}};

constexpr absl::string_view kTasks[] = {"seg", "pose", "obb"};

constexpr absl::string_view kClassifier = "classify";

// A class of the module ultralytics.nn.modules.head and the type of what networks with it give.
struct YoloHead {
  absl::string_view name;
  absl::string_view type;
};

// YOLOv8, YOLOv9, YOLO11 and YOLO12 share theirs.
constexpr YoloHead kHeads[] = {
    {"Detect", "yolov8"},     {"Segment", "yolov8seg"}, {"Pose", "yolov8pose"},
    {"OBB", "yolov8obb"},     {"v10Detect", "yolov10"}, {"Segment26", "yolo26seg"},
    {"Pose26", "yolo26pose"}, {"OBB26", "yolo26obb"},   {"Classify", kClassifier}};

// Whether a pickle has a dictionary with that key and the value True: the key, perhaps its place in
// the memo (q and a byte, or r and four), and the opcode of True.
bool HasTrue(absl::string_view pickle, absl::string_view key) {
  for (size_t at = pickle.find(key); at != absl::string_view::npos; at = pickle.find(key, at + 1)) {
    absl::string_view rest = pickle.substr(at + key.size());
    if (absl::StartsWith(rest, "q")) rest.remove_prefix(std::min<size_t>(2, rest.size()));
    if (absl::StartsWith(rest, "r")) rest.remove_prefix(std::min<size_t>(5, rest.size()));
    if (absl::StartsWith(rest, "\x88")) return true;
  }
  return false;
}

struct ExportFormat {
  absl::string_view name;
  absl::string_view suffix;  // of the written file, after the weights' name without .pt
};

constexpr ExportFormat kFormats[] = {{"tflite", "_saved_model/%_float32.tflite"},
                                     {"onnx", ".onnx"},
                                     {"torchscript", ".torchscript"}};

// The exporter's file for weights named <stem>.pt.
std::string ExportedName(const ExportFormat& format, const std::string& stem) {
  std::string name = absl::StrCat(stem, format.suffix);
  const size_t mark = name.find('%');
  return mark == std::string::npos ? name : name.replace(mark, 1, stem);
}

absl::Status ClassifierError(const std::string& weights) {
  return absl::InvalidArgumentError(
      absl::StrCat(weights, ": a classifier, expected a detector; its export needs no metafile"));
}

// By what the file holds, whose name tells nothing.
absl::StatusOr<std::string> TypeInFile(const std::string& weights) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(weights));
  std::string type = YoloTypeOfWeights(bytes);
  if (type == kClassifier) return ClassifierError(weights);
  if (!type.empty()) return type;
  const auto add_name = [](std::string* out, const YoloFamily& f) { absl::StrAppend(out, f.name); };
  return absl::InvalidArgumentError(
      absl::StrCat(weights, ": neither the file, which has no head of Ultralytics' detectors, nor ",
                   "its name tells the network, expected a name that begins with ",
                   absl::StrJoin(kFamilies, ", ", add_name), "; rename the file"));
}

absl::StatusOr<std::string> DetectionTypeOf(const std::string& weights) {
  const std::string stem = Stem(weights);
  if (!absl::EndsWith(weights, ".pt")) {
    return absl::InvalidArgumentError(absl::StrCat(weights, ": not a .pt file, expected weights"));
  }
  for (const YoloFamily& family : kFamilies) {
    if (!absl::StartsWith(stem, family.name)) continue;
    for (const absl::string_view task : kTasks) {
      if (absl::StrContains(stem, absl::StrCat("-", task))) return absl::StrCat(family.type, task);
    }
    if (!absl::StrContains(stem, "-cls")) return std::string(family.type);
    return ClassifierError(weights);
  }
  return TypeInFile(weights);
}

absl::StatusOr<std::array<int, 2>> ReadSize(const std::string& text) {
  ASSIGN_OR_RETURN(const auto size, ParseSize(text));
  if (size[0] % kSizeStep == 0 && size[1] % kSizeStep == 0) return size;
  return absl::InvalidArgumentError(
      absl::StrCat("input size ", text, ": not a multiple of ", kSizeStep,
                   ", expected for example ", (size[0] + kSizeStep - 1) / kSizeStep * kSizeStep,
                   "x", (size[1] + kSizeStep - 1) / kSizeStep * kSizeStep));
}

// The exporter's TensorFlow Lite files have coordinates as parts of the image, all others in
// pixels.
std::string OutputFormat(const std::string& type, const std::array<int, 2>& size,
                         absl::string_view format) {
  if (format == "tflite") return type;
  return absl::StrCat(type, " w_scale=", size[0], " h_scale=", size[1]);
}

std::string MetafileText(const std::string& output_format, const std::string& quant_type,
                         const std::string& dataset) {
  std::string text = absl::StrCat(
      "inputs:\n  - format: rgb\n    means: [0, 0, 0]\n    scale: 255\n\noutputs:\n  - format: ",
      output_format, "\n    dequantize: true\n");
  if (quant_type.empty()) return text;
  // Mixed: the layers that need it most in 16 bits, at 1.1 times the time.
  const absl::string_view type =
      quant_type == "mixed" ? "auto\n  budget: {latency: 1.1}" : absl::string_view(quant_type);
  return absl::StrCat(text, "\nquantization:\n  data_type: ", type, "\n  dataset:\n    - ", dataset,
                      "\n");
}

absl::Status CheckOptions(const YoloExportOptions& options) {
  const bool needs_dataset = std::any_of(options.quant_types.begin(), options.quant_types.end(),
                                         [](const std::string& t) { return t != "float16"; });
  if (!needs_dataset || !options.quant_dataset.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--quant_types needs pictures to quantize with; name them with --quant_dataset "
      "'<folder>/*.jpg'");
}

}  // namespace

std::vector<std::string> YoloExportFormats() {
  std::vector<std::string> names;
  for (const ExportFormat& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::vector<std::string> YoloQuantTypes() { return {"uint8", "int8", "int16", "float16", "mixed"}; }

std::string YoloTypeOfWeights(absl::string_view weights) {
  // The files of a .pt's ZIP aren't compressed.
  for (const YoloHead& head : kHeads) {
    const std::string opcode = absl::StrCat("cultralytics.nn.modules.head\n", head.name, "\n");
    if (!absl::StrContains(weights, opcode)) continue;
    // YOLO26 chooses boxes without suppression; its head for boxes alone has the old class.
    const bool is_end_to_end = head.type == "yolov8" && HasTrue(weights, "end2end");
    return is_end_to_end ? "yolo26" : std::string(head.type);
  }
  return "";
}

absl::StatusOr<std::vector<YoloExport>> PlanYoloExports(const YoloExportOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  std::vector<std::string> types = options.quant_types;
  if (types.empty()) types = {""};
  std::vector<YoloExport> exports;
  for (const std::string& weights : options.models) {
    ASSIGN_OR_RETURN(const std::string type, DetectionTypeOf(weights));
    const std::string stem = Stem(weights);
    for (const std::string& size_text : options.input_sizes) {
      ASSIGN_OR_RETURN(const auto size, ReadSize(size_text));
      for (const ExportFormat& format : kFormats) {
        if (std::count(options.formats.begin(), options.formats.end(), format.name) == 0) continue;
        YoloExport& added = exports.emplace_back();
        added.folder = JoinPath(options.export_dir,
                                absl::StrCat(stem, "_", size[0], "x", size[1], "_", format.name));
        added.weights = weights;
        added.command = {"yolo", "export", absl::StrCat("model=", stem, ".pt"),
                         absl::StrCat("format=", format.name),
                         absl::StrCat("imgsz=", size[1], ",", size[0])};
        added.network = JoinPath(added.folder, ExportedName(format, stem));
        for (const std::string& quant_type : types) {
          const std::string name = quant_type.empty() ? "float.yaml" : quant_type + ".yaml";
          added.metafiles.push_back(
              {JoinPath(added.folder, name), MetafileText(OutputFormat(type, size, format.name),
                                                          quant_type, options.quant_dataset)});
        }
      }
    }
  }
  return exports;
}

}  // namespace synap_internal

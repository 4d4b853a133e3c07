#include "compiler/import/frameworks.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "compiler/import/caffe/import_caffe.h"
#include "compiler/import/onnx/import_onnx.h"
#include "compiler/import/pt2/import_pt2.h"
#include "compiler/import/tensorflow/import_tensorflow.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/torchscript/import_torchscript.h"

namespace synap_internal {
namespace {

constexpr const Framework* kFrameworks[] = {
    &kOnnxFramework, &kTfliteFramework,     &kTorchscriptFramework,
    &kPt2Framework,  &kTensorflowFramework, &kCaffeFramework,
};

std::string SuffixOf(const std::string& path) {
  const std::string name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : absl::AsciiStrToLower(name.substr(dot));
}

std::string KnownSuffixes() {
  std::vector<absl::string_view> known;
  for (const Framework* framework : kFrameworks) {
    known.insert(known.end(), framework->suffixes.begin(), framework->suffixes.end());
  }
  return absl::StrJoin(known, ", ");
}

absl::Status UnknownSuffix(const std::string& model, const std::string& suffix) {
  for (const Framework* framework : kFrameworks) {
    if (suffix.empty() || framework->weights_suffix != suffix) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(model, ": has the weights of a ", framework->name,
                     " network; give it with --weights, and the network itself, a ",
                     framework->suffixes[0], ", with --model"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      model, suffix.empty() ? ": its name has no suffix" : ": unknown network format: ", suffix,
      ", expected ", KnownSuffixes()));
}

// "Caffe networks (.prototxt)"
std::string FrameworksWithWeights() {
  std::vector<std::string> found;
  for (const Framework* framework : kFrameworks) {
    if (framework->weights_suffix.empty()) continue;
    found.push_back(absl::StrCat(framework->name, " networks (", framework->suffixes[0], ")"));
  }
  return absl::StrJoin(found, " and ");
}

}  // namespace

absl::Span<const Framework* const> AllFrameworks() { return kFrameworks; }

absl::StatusOr<const Framework*> FindFramework(const std::string& model) {
  const std::string suffix = SuffixOf(model);
  for (const Framework* framework : kFrameworks) {
    const auto& suffixes = framework->suffixes;
    if (std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end()) return framework;
  }
  return UnknownSuffix(model, suffix);
}

absl::Status CheckWeights(const Framework& framework, const ModelFiles& files) {
  const bool wanted = !framework.weights_suffix.empty(), given = !files.weights.empty();
  if (wanted && !given) {
    return absl::InvalidArgumentError(
        absl::StrCat(files.model, ": the weights of a ", framework.name,
                     " network are in a second file, generally a ", framework.weights_suffix,
                     "; give it with --weights"));
  }
  if (!given || wanted) return absl::OkStatus();
  if (!framework.weights_refusal.empty()) {
    return absl::UnimplementedError(absl::StrCat(files.model, ": ", framework.weights_refusal));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(files.model, ": --weights is for ", FrameworksWithWeights(), ", the weights of ",
                   framework.name, " models are inside of them; leave --weights out"));
}

std::string FrameworksMarkdown() {
  std::string text = "| suffix | format | needs |\n|---|---|---|\n";
  for (const Framework* framework : kFrameworks) {
    absl::StrAppend(&text, "| `", absl::StrJoin(framework->suffixes, "`, `"), "` | ",
                    framework->format, " | ", framework->needs.empty() ? "–" : framework->needs,
                    " |\n");
  }
  return text;
}

}  // namespace synap_internal

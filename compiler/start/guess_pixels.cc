#include "compiler/start/guess_pixels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/data_type.h"
#include "base/quant_params.h"
#include "compiler/graph/preprocessing/pixel_mapping.h"
#include "compiler/start/first_layer.h"
#include "runtime/bundle/model_metadata.h"

namespace synap_internal {
namespace {

// Norms of first kernels (FirstKernelNorm) of trained networks: 0.001 to 0.053 for pixels of 0 to
// 255, 0.36 and more for normalized ones. Networks without batch normalization have more than 1 for
// both, so that a large norm tells nothing.
constexpr float kRawPixelNorm = 0.1f;

// Average pixels (AveragePixel) of 0 to 1: 0.24 to 0.42 where biases tell them at all.
constexpr float kLeastAverage = 0.2f;
constexpr float kMostAverage = 0.7f;

constexpr char kOrderQuestion[] =
    "Is the order of the colours right (rgb or bgr)? The file doesn't say.";

std::string NumberText(float value) { return absl::StrFormat("%g", value); }

// "127.5", or "[123.675, 116.28, 103.53]".
std::string ListText(const std::vector<float>& values) {
  const bool same =
      std::all_of(values.begin(), values.end(), [&](float value) { return value == values[0]; });
  if (same) return NumberText(values[0]);
  return absl::StrCat(
      "[",
      absl::StrJoin(values, ", ",
                    [](std::string* out, float value) { absl::StrAppend(out, NumberText(value)); }),
      "]");
}

// A metafile has one scale for all channels.
float MeanScale(const std::vector<float>& scales) {
  double sum = 0;
  for (const float scale : scales) sum += scale;
  return static_cast<float>(sum / static_cast<double>(scales.size()));
}

// Whether a metafile can say it: finite numbers, one or one for each channel, and scales to divide
// by. A file may state anything.
bool IsUsable(const StatedPixels& stated, int64_t channels) {
  constexpr float kSmallestScale = 1e-6f;
  const auto fits = [&](const std::vector<float>& values) {
    const auto count = static_cast<int64_t>(values.size());
    return (count == 1 || count == channels) &&
           std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  };
  return fits(stated.means) && fits(stated.scales) &&
         std::all_of(stated.scales.begin(), stated.scales.end(),
                     [](float scale) { return scale > kSmallestScale; });
}

// What is known before any custom counts.
struct PixelEvidence {
  const Graph& graph;
  const Tensor& input;
  const PictureInput& picture;
  const ModelFacts& facts;
  std::string names;  // of the file and the network, in lower case
  std::optional<float> norm;
  std::optional<float> average;

  bool is_grey() const { return picture.channels == 1; }
  bool is_raw() const { return norm.has_value() && *norm < kRawPixelNorm; }
  bool IsMadeBy(absl::string_view name) const { return absl::StrContains(facts.producer, name); }
  bool IsNamed(absl::string_view part) const { return absl::StrContains(names, part); }
  bool IsOfTensorFlow() const {
    return graph.layout == "nhwc" || IsMadeBy("tf2onnx") || IsMadeBy("keras") ||
           IsMadeBy("tensorflow") || absl::StrContains(graph.name, "tf2onnx");
  }
  std::string SmallKernels() const {
    return absl::StrCat("The first layer's kernels are small, of norm ", *norm,
                        ", as those that read pixels of 0 to 255.");
  }
};

PixelGuess Guess(absl::string_view format, absl::string_view means, absl::string_view scale,
                 absl::string_view reason, absl::string_view question) {
  return {std::string(format),
          std::string(means),
          std::string(scale),
          std::string(reason),
          {std::string(question)}};
}

constexpr char kStretched[] = "rgb keep_proportions=0";
constexpr char kStretchedBgr[] = "bgr keep_proportions=0";

PixelGuess ImageNets(absl::string_view of) {
  return Guess(
      kStretched, "[123.675, 116.28, 103.53]", "57.4",
      absl::StrCat("ImageNet's means, and the mean of its deviations: usual for ", of, "."),
      "Was it trained with these pixels? For 0 to 1 write means 0 and scale 255; networks "
      "of Caffe want 'format: bgr', means [104, 117, 123] and scale 1.");
}

PixelGuess OfCaffe(const PixelEvidence& e) {
  constexpr char kQuestion[] =
      "Was it trained with these pixels, blue first? A mean file, or transform_param in the "
      "training's prototxt, tells them.";
  if (e.IsNamed("densenet")) {
    return Guess(kStretchedBgr, "[103.94, 116.78, 123.68]", "58.8",
                 "Usual for Caffe's DenseNets, by this one's name.", kQuestion);
  }
  // Caffe2 trained on several GPUs by a script of its own.
  if (absl::StartsWith(e.input.name, "gpu_0/")) {
    return Guess(kStretchedBgr, "128", "128",
                 "Usual for networks that Caffe2 trained on GPUs, by the input's name.", kQuestion);
  }
  return Guess(kStretchedBgr, "[104, 117, 123]", "1",
               "ImageNet's means without deviations, blue first: usual for networks of Caffe.",
               kQuestion);
}

PixelGuess OfTensorFlow(const PixelEvidence& e) {
  constexpr char kQuestion[] =
      "Was it trained with pixels of -1 to 1? For 0 to 1 write means 0 and scale 255, for 0 to 255 "
      "means 0 and scale 1.";
  if (e.IsNamed("densenet")) return ImageNets("Keras' DenseNets, by this one's name");
  return Guess(kStretched, "127.5", "127.5", "Usual for networks of TensorFlow and Keras: -1 to 1.",
               kQuestion);
}

PixelGuess OfRawPixels(const PixelEvidence& e, absl::string_view reason) {
  constexpr char kQuestion[] =
      "Was it trained with pixels of 0 to 255, and in this order of colours?";
  if (e.is_grey()) return Guess("", "0", "1", reason, kQuestion);
  const bool is_of_keras = e.IsOfTensorFlow() && (e.IsNamed("resnet50") || e.IsNamed("vgg"));
  if (is_of_keras) {
    return Guess(kStretchedBgr, "[103.939, 116.779, 123.68]", "1",
                 absl::StrCat(reason,
                              " Keras' VGG and ResNet have them blue first, without "
                              "ImageNet's means."),
                 kQuestion);
  }
  return Guess(kStretched, "0", "1", reason, kQuestion);
}

// The customs of frameworks, for networks of no family with pixels of its own.
PixelGuess ByFramework(const PixelEvidence& e) {
  if (e.IsMadeBy("cntk") || e.IsMadeBy("winmltools") || e.IsMadeBy("onnxmltools")) {
    PixelGuess guess = OfRawPixels(e, "Usual for networks of CNTK and Core ML: 0 to 255.");
    if (e.IsMadeBy("cntk") && !e.is_grey()) guess.format = kStretchedBgr;
    return guess;
  }
  if (e.IsMadeBy("caffe") && !e.is_grey()) return OfCaffe(e);
  if (e.is_raw()) return OfRawPixels(e, e.SmallKernels());
  if (e.is_grey()) {
    return Guess("", "0", "255", "Usual for grey pictures: 0 to 1.",
                 "Was it trained with grey values of 0 to 1? Otherwise change means and scale.");
  }
  if (e.average.has_value() && *e.average >= kLeastAverage && *e.average <= kMostAverage) {
    return Guess(kStretched, "0", "255",
                 absl::StrCat("The first layer's biases make up for an average pixel of ",
                              NumberText(*e.average), ", as where pixels are 0 to 1."),
                 "Was it trained with pixels of 0 to 1, and in this order of colours?");
  }
  return e.IsOfTensorFlow() ? OfTensorFlow(e) : ImageNets("networks of PyTorch");
}

PixelGuess ByFamily(const PixelEvidence& e, const PixelValues& values) {
  PixelGuess guess =
      Guess(values.format, values.means, values.scale, "Usual for this family of networks.",
            "Was this network trained with these pixels? Its file doesn't say.");
  if (e.is_grey()) guess.format.clear();
  if (e.is_raw() && values.scale == "1") absl::StrAppend(&guess.reason, " ", e.SmallKernels());
  if (e.is_raw() && values.scale != "1") {
    guess.questions = {absl::StrCat(e.SmallKernels(), " Should means be 0 and the scale 1?")};
  }
  return guess;
}

// What the network does to its input itself needn't be done before.
void ApplyOwnNormalization(const PixelEvidence& e, const OwnNormalization& own, PixelGuess& guess) {
  const float factor = std::abs(own.factors[0]);
  const float term = own.terms[0];
  // Of pixels of 0 to 255 the mean is subtracted, or they are divided by tens; those of 0 to 1 are
  // multiplied by 2 to 5.
  const bool is_raw = factor < 0.2f || (factor < 1.5f && std::abs(term) > 20);
  const bool is_unit = factor >= 1.5f && factor < 20;
  if (!is_raw && !is_unit) return;
  guess.means = "0";
  guess.scale = is_raw ? "1" : "255";
  guess.reason =
      absl::StrCat("The network normalizes them itself, as value * ", NumberText(own.factors[0]),
                   " + ", NumberText(term), ", as where pixels are 0 to ", is_raw ? "255." : "1.");
  guess.questions = {absl::StrCat("Does it take pixels of 0 to ", is_raw ? "255" : "1", "?")};
  if (e.is_grey()) return;
  guess.questions.emplace_back(kOrderQuestion);
  if (own.terms.size() != 3 || own.factors[0] == 0 || own.factors.back() == 0) return;
  const float first = -term / own.factors[0];
  const float last = -own.terms[2] / own.factors.back();
  if (first == last) return;
  // Photographs are redder than blue.
  const char* order = first > last ? "rgb" : "bgr";
  guess.format = absl::StrCat(order, guess.format.substr(std::min<size_t>(3, guess.format.size())));
  guess.questions.back() =
      absl::StrCat("Is the order of the colours ", order, ", as its means suggest?");
}

// The normalization that the file's metadata states.
void ApplyStated(const StatedPixels& stated, bool is_grey, PixelGuess& guess) {
  guess.means = ListText(stated.means);
  guess.scale = NumberText(MeanScale(stated.scales));
  guess.reason = "The file's metadata states them.";
  guess.questions.clear();
  if (is_grey) return;
  if (!stated.rgb) {
    guess.questions.emplace_back(kOrderQuestion);
  } else if (absl::StartsWith(guess.format, "bgr")) {
    guess.format = absl::StrCat("rgb", guess.format.substr(3));
  }
}

// The same pixels with red first, means of each channel included.
void PutRedFirst(PixelGuess& guess) {
  guess.format = absl::StrCat("rgb", guess.format.substr(3));
  if (!absl::StartsWith(guess.means, "[")) return;
  std::vector<std::string> means =
      absl::StrSplit(guess.means.substr(1, guess.means.size() - 2), ", ");
  std::reverse(means.begin(), means.end());
  guess.means = absl::StrCat("[", absl::StrJoin(means, ", "), "]");
}

struct QuantizerFinding {
  std::optional<PixelMapping> pixels;  // what its range can only come from
  std::string text;
  bool by_family = false;  // `pixels` are the family's: the range doesn't tell
};

// nullopt if no quantizer decides about the input.
std::optional<QuantizerFinding> ReadQuantizer(const Graph& graph, size_t index,
                                              const PictureInput& picture, const Head& head) {
  const Tensor& input = *graph.inputs[index];
  TensorMetadata metadata;
  metadata.name = input.name;
  metadata.shape = input.type.shape;
  metadata.layout = picture.layout == "nchw" ? TensorLayout::kNchw : TensorLayout::kNhwc;
  metadata.dtype = input.type.dtype;
  metadata.quant = input.type.quant;
  const std::optional<FamilyPixels> family = PixelsOf(head);
  const PixelFinding finding = FindPixelMapping(graph, index, metadata, family);
  if (metadata.pixels.has_value() || metadata.pixels_unknown) {
    return QuantizerFinding{metadata.pixels, finding.text, finding.by_family};
  }
  if (!input.type.quant.quantized() || input.type.dtype != DataType::kUint8) return std::nullopt;
  // Pixels are copied to uint8 whatever they stand for; int8 with the same range tells whether
  // they stand for a usual normalization.
  Graph twin;
  TensorType type = input.type;
  type.dtype = DataType::kInt8;
  type.quant = QuantParams::Affine(input.type.quant.scale(), input.type.quant.zero_point() - 128);
  twin.inputs.push_back(twin.AddTensor("x", type));
  metadata.dtype = type.dtype;
  metadata.quant = type.quant;
  const bool by_family = FindPixelMapping(twin, 0, metadata, family).by_family;
  return QuantizerFinding{metadata.pixels, finding.text, by_family};
}

// The family's pixels against a quantizer of another range.
void ApplyFamily(const QuantizerFinding& found, PixelGuess& guess) {
  guess.means = ListText(found.pixels->mean);
  guess.scale = ListText(found.pixels->scale);
  guess.reason =
      "Usual for this family of networks, though the input's quantizer has another range.";
  guess.questions = {
      absl::StrCat("Was it trained with these pixels? In the file ", found.text, ".")};
}

void ApplyQuantizer(const PixelEvidence& e, const QuantizerFinding& found, PixelGuess& guess) {
  if (found.by_family) {
    ApplyFamily(found, guess);
    return;
  }
  const bool is_quantized = e.input.type.quant.quantized();
  const bool is_copied = e.input.type.dtype == DataType::kUint8;
  if (!found.pixels.has_value() && !is_copied) {
    guess.questions.insert(guess.questions.begin(),
                           absl::StrCat("Are these the pixels of its training? ", found.text, "."));
    return;
  }
  guess.reason = is_quantized ? "Means and scale follow from the input's own quantizer."
                              : "They follow from the quantizer that reads the input.";
  std::vector<std::string> questions;
  if (!found.pixels.has_value()) {
    questions.push_back(absl::StrCat("Are means and scale of its training missing? Without them ",
                                     found.text, ", which no usual normalization gives."));
  }
  guess.means = is_quantized ? "" : ListText(found.pixels->mean);
  guess.scale = is_quantized ? "" : NumberText(MeanScale(found.pixels->scale));
  if (!e.is_grey()) questions.emplace_back(kOrderQuestion);
  guess.questions = std::move(questions);
}

}  // namespace

PixelGuess GuessPixels(const Graph& graph, size_t index, const PictureInput& picture,
                       const Head& head, const ModelFacts& facts, absl::string_view model) {
  const Tensor& input = *graph.inputs[index];
  const PixelEvidence e = {graph,
                           input,
                           picture,
                           facts,
                           absl::AsciiStrToLower(absl::StrCat(model, " ", graph.name)),
                           FirstKernelNorm(input),
                           AveragePixel(input)};
  PixelGuess guess = head.pixels.has_value() ? ByFamily(e, *head.pixels) : ByFramework(e);
  const std::optional<OwnNormalization> own = FindOwnNormalization(input);
  if (own.has_value()) ApplyOwnNormalization(e, *own, guess);
  bool is_order_known = e.is_grey();
  // What an edit put before the network counts more than what its exporter wrote.
  if (facts.by_ultralytics && head.pixels.has_value() && !own.has_value()) {
    guess = {std::string(head.pixels->format),
             std::string(head.pixels->means),
             std::string(head.pixels->scale),
             "The file says that Ultralytics exported it.",
             {}};
    is_order_known = true;
  }
  const StatedPixels* stated = index < facts.inputs.size() ? &facts.inputs[index] : nullptr;
  const bool is_stated = stated != nullptr && IsUsable(*stated, picture.channels);
  if (is_stated) ApplyStated(*stated, e.is_grey(), guess);
  is_order_known = is_order_known || (stated != nullptr && stated->rgb);
  const std::optional<QuantizerFinding> quantizer = ReadQuantizer(graph, index, picture, head);
  // What the file states counts more than a custom.
  if (quantizer.has_value() && !(quantizer->by_family && is_stated)) {
    ApplyQuantizer(e, *quantizer, guess);
  }
  if (is_order_known) {
    const auto end = std::remove(guess.questions.begin(), guess.questions.end(), kOrderQuestion);
    guess.questions.erase(end, guess.questions.end());
    if (stated != nullptr && stated->rgb && absl::StartsWith(guess.format, "bgr")) {
      PutRedFirst(guess);
    }
  }
  return guess;
}

}  // namespace synap_internal

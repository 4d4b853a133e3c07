#include "compiler/graph/preprocessing/pixel_mapping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/quant_params.h"
#include "runtime/vision/picture_format.h"

namespace synap_internal {
namespace {

// A calibrated range lacks at most this part of the normalization's at either end: pictures without
// white or black are rare. It is wider only by rounding (-1..1 in steps of 1/127 begins at -1.008).
constexpr double kMaxLacking = 1.0 / 16;
constexpr double kMaxBeyond = 0.01;
// A symmetric quantizer is made of the largest magnitude, but for float rounding.
constexpr double kSameMagnitude = 1e-3;

// A normalization that networks are trained with.
struct UsualNormalization {
  const char* range;  // after "normalized"
  double low, high;   // of normalized pixels, all channels together
  std::vector<float> mean, scale;

  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};

// The means and deviations of torchvision: the lowest value is red's, the highest blue's.
const std::array<UsualNormalization, 6>& Normalizations() {
  static const auto& table = *new std::array<UsualNormalization, 6>{{
      {"to 0..1", 0, 1, {0}, {255}},
      {"to -1..1", -1, 1, {127.5f}, {127.5f}},
      {"to -0.5..0.5", -0.5, 0.5, {127.5f}, {255}},
      {"to 0..255", 0, 255, {0}, {1}},
      {"to -128..127", -128, 127, {128}, {1}},
      {"with ImageNet's means and deviations",
       -0.485 / 0.229,
       (1 - 0.406) / 0.225,
       {123.675f, 116.28f, 103.53f},
       {58.395f, 57.12f, 57.375f}},
  }};
  return table;
}

// An integer tensor's quantizer.
struct Quantizer {
  DataType dtype = DataType::kInvalid;
  QuantParams params;

  double real(int64_t q) const {
    return static_cast<double>(params.scale()) * static_cast<double>(q - params.zero_point());
  }
  double low() const { return real(RangeOf(dtype).min); }
  double high() const { return real(RangeOf(dtype).max); }
  // The zero point is the middle: 0 of int8, 128 of uint8.
  bool centred() const {
    const IntegerRange range = RangeOf(dtype);
    return params.zero_point() == (range.max + range.min + 1) / 2;
  }
  std::string RangeText() const { return absl::StrFormat("%.4g..%.4g", low(), high()); }
};

bool Represents(const Quantizer& quantizer, const UsualNormalization& usual) {
  // Made for a magnitude, whatever the sign of the values.
  if (quantizer.centred() && std::abs(quantizer.high() / usual.magnitude() - 1) < kSameMagnitude) {
    return true;
  }
  // 16 bits are always symmetric in TensorFlow Lite: -1..1 doesn't give the lower end.
  if (quantizer.centred() && quantizer.dtype == DataType::kInt16) return false;
  const double span = usual.high - usual.low;
  const double lacking_low = (quantizer.low() - usual.low) / span;
  const double lacking_high = (usual.high - quantizer.high()) / span;
  const auto fits = [](double lacking) { return lacking <= kMaxLacking && lacking >= -kMaxBeyond; };
  return fits(lacking_low) && fits(lacking_high);
}

std::vector<const UsualNormalization*> Candidates(const Quantizer& quantizer, int64_t channels) {
  std::vector<const UsualNormalization*> candidates;
  for (const UsualNormalization& usual : Normalizations()) {
    const auto values = static_cast<int64_t>(usual.mean.size());
    if (values != 1 && values != channels) continue;
    if (Represents(quantizer, usual)) candidates.push_back(&usual);
  }
  return candidates;
}

// Whether the quantizer represents nearly all pixels that are normalized so.
bool Covers(const Quantizer& quantizer, const FamilyPixels& family) {
  const double low = -family.mean / family.scale, high = (255 - family.mean) / family.scale;
  const double lacking = kMaxLacking * (high - low);
  return quantizer.low() <= low + lacking && quantizer.high() >= high - lacking;
}

// Whether the range alone tells the normalization. ImageNet's means are what some converters
// calibrate with unless they are told others.
bool Decides(const std::vector<const UsualNormalization*>& candidates) {
  return candidates.size() == 1 && candidates[0]->mean.size() == 1;
}

// The quantizers of the ops that read `tensor`, through ops that only move data; empty if anything
// else reads it.
std::vector<Quantizer> QuantizersOfReaders(const Graph& graph, const Tensor& tensor) {
  std::vector<Quantizer> found;
  std::vector<const Tensor*> pending = {&tensor};
  while (!pending.empty()) {
    const Tensor* moved = pending.back();
    pending.pop_back();
    if (std::find(graph.outputs.begin(), graph.outputs.end(), moved) != graph.outputs.end()) {
      return {};
    }
    for (const Op* op : moved->users) {
      const TensorType& type = op->output()->type;
      if (op->Is(TypeConversion::kQuantize) &&
          type.quant.scheme == QuantScheme::kAsymmetricAffine) {
        found.push_back({type.dtype, type.quant});
      } else if (MovesData(*op) && op->input(0) == moved) {
        pending.push_back(op->output());
      } else {
        return {};
      }
    }
  }
  return found;
}

// The quantizer that alone decides which values of the input matter; absent if there is none.
std::optional<Quantizer> FindQuantizer(const Graph& graph, const Tensor& input) {
  if (input.type.quant.scheme == QuantScheme::kAsymmetricAffine) {
    return Quantizer{input.type.dtype, input.type.quant};
  }
  if (input.type.dtype != DataType::kFloat32 || !graph.own_quantizers) return std::nullopt;
  const std::vector<Quantizer> found = QuantizersOfReaders(graph, input);
  if (found.empty()) return std::nullopt;
  const bool same = std::all_of(found.begin(), found.end(), [&](const Quantizer& other) {
    return other.dtype == found[0].dtype && other.params == found[0].params;
  });
  return same ? std::make_optional(found[0]) : std::nullopt;
}

std::string ListText(const std::vector<float>& values) {
  const std::string list = absl::StrJoin(
      values, ", ", [](std::string* out, float value) { absl::StrAppendFormat(out, "%g", value); });
  return values.size() == 1 ? list : absl::StrCat("[", list, "]");
}

constexpr char kUnchanged[] = "pixel";

// "(pixel - 127.5) / 127.5", without a mean of 0 or a scale of 1.
std::string Formula(const PixelMapping& pixels) {
  const bool has_mean = pixels.mean != std::vector<float>{0};
  const bool has_scale = pixels.scale != std::vector<float>{1};
  std::string formula = kUnchanged;
  if (has_mean) absl::StrAppend(&formula, " - ", ListText(pixels.mean));
  if (has_mean && has_scale) formula = absl::StrCat("(", formula, ")");
  if (has_scale) absl::StrAppend(&formula, " / ", ListText(pixels.scale));
  return formula;
}

PixelFinding Mapped(const Quantizer& quantizer, const PixelMapping& pixels, const char* range) {
  PixelFinding finding;
  const std::string formula = Formula(pixels);
  const std::string what =
      formula == kUnchanged ? "keep their values" : absl::StrCat("become ", formula);
  finding.text = absl::StrCat("pixels ", what, ": its quantizer represents ", quantizer.RangeText(),
                              ", the range of pixels normalized ", range);
  // Means of their own are recognized by the range's ends alone.
  finding.severity = pixels.mean.size() != 1 ? Severity::kWarning : Severity::kNote;
  return finding;
}

PixelFinding OfFamily(const Quantizer& quantizer, const FamilyPixels& family,
                      TensorMetadata& input) {
  input.pixels = PixelMapping{{family.mean}, {family.scale}};
  const std::string formula = Formula(*input.pixels);
  PixelFinding finding;
  finding.text = absl::StrCat(
      "pixels ", formula == kUnchanged ? "keep their values" : absl::StrCat("become ", formula),
      ", as usual for ", family.family, ": its quantizer represents ", quantizer.RangeText(),
      ", which doesn't tell; if its training had others, write their 'means' and 'scale' into a "
      "metafile");
  finding.severity = Severity::kWarning;
  finding.by_family = true;
  return finding;
}

PixelFinding Refused(const Quantizer& quantizer,
                     const std::vector<const UsualNormalization*>& candidates, int64_t channels) {
  std::vector<std::string> ranges;
  for (const UsualNormalization* candidate : candidates) ranges.emplace_back(candidate->range);
  PixelFinding finding;
  finding.text = absl::StrCat(
      "pictures are refused: its quantizer represents ", quantizer.RangeText(), ", which ",
      ranges.empty()
          ? "no usual normalization of pixels gives"
          : absl::StrCat("pixels normalized ", absl::StrJoin(ranges, " and "), " both give"),
      "; write the 'means' and 'scale' of the network's training into a metafile");
  // One channel is as often a spectrogram, for which nothing is missing.
  finding.severity = channels != 1 ? Severity::kWarning : Severity::kNote;
  return finding;
}

// The values that a float network was trained on are unknown.
PixelFinding Unscaled(const TensorMetadata& input) {
  if (!IsFloat(input.dtype)) return {};
  PixelFinding finding;
  finding.text =
      "pixels keep their values from 0 to 255; if the network was trained on others, as 0..1 or "
      "-1..1, write the 'means' and 'scale' of its training into a metafile";
  if (input.channels() != 1) finding.severity = Severity::kNote;
  return finding;
}

}  // namespace

bool CanBePicture(const TensorMetadata& input) {
  if (input.shape.rank() != 4 || input.layout == TensorLayout::kNone) return false;
  const int64_t channels = input.channels();
  return input.shape[0] == 1 && (channels == 1 || channels == 3 || channels == 4);
}

PixelFinding FindPixelMapping(const Graph& graph, size_t index, TensorMetadata& input,
                              const std::optional<FamilyPixels>& family) {
  if (!CanBePicture(input) || input.scale.has_value() || !input.mean.empty()) return {};
  const std::optional<Quantizer> quantizer = FindQuantizer(graph, *graph.inputs[index]);
  if (!quantizer.has_value()) return Unscaled(input);
  if (input.dtype == DataType::kUint8) {
    return {absl::StrCat("pixels are copied: 0..255 stand for ", quantizer->RangeText()),
            Severity::kNote};
  }
  const auto candidates = Candidates(*quantizer, input.channels());
  if (!Decides(candidates) && family.has_value() && Covers(*quantizer, *family)) {
    return OfFamily(*quantizer, *family, input);
  }
  if (candidates.size() != 1) {
    input.pixels_unknown = true;
    return Refused(*quantizer, candidates, input.channels());
  }
  PixelMapping& pixels = input.pixels.emplace();
  pixels = {candidates[0]->mean, candidates[0]->scale};
  if (ParsePictureFormat(input.data_format).is_bgr) {
    std::reverse(pixels.mean.begin(), pixels.mean.end());
    std::reverse(pixels.scale.begin(), pixels.scale.end());
  }
  return Mapped(*quantizer, pixels, candidates[0]->range);
}

}  // namespace synap_internal

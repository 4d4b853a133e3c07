#include "compiler/convert/checks/dataset_checks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace synap_internal {
namespace {

constexpr double kLittleCovered = 0.6;
constexpr double kMuchStretched = 2;
constexpr float kLargeValues = 300;
constexpr float kSmallValues = 0.05f;
constexpr double kUnlikeMeans = 0.04;  // of the largest; that of ImageNet's is 0.16

}  // namespace

DatasetChecks::DatasetChecks(const Metafile& metafile, std::vector<std::string> inputs)
    : metafile_(metafile), inputs_(std::move(inputs)), seen_(inputs_.size()) {}

void DatasetChecks::Add(size_t input, const PictureFit& fit, const ValueRange& values) {
  if (!fit.is_picture) return;
  Seen& seen = seen_[input];
  seen.values = seen.pictures == 0 ? values : Hull(seen.values, values);
  seen.covered += fit.covered;
  seen.stretch += fit.stretch;
  ++seen.pictures;
  const int channels = fit.notes.channels;
  if (fit.channels > 1 && channels == 1) seen.gray.Add(fit.file);
  if (fit.channels == 1 && channels > 1) seen.colour.Add(fit.file);
  if (fit.channels == 4 && channels < 4) seen.opaque.Add(fit.file);
  if (fit.notes.is_cmyk) seen.cmyk.Add(fit.file);
  if (fit.notes.has_transparency && fit.channels != 4) seen.transparent.Add(fit.file);
}

void DatasetChecks::NoteConversions(size_t input, std::vector<Warning>& warnings) const {
  const Seen& seen = seen_[input];
  const auto note = [&](const Kind& kind, const char* what, const char* became) {
    Warning warning =
        MakeWarning(input, absl::StrFormat("%d of %d pictures %s ('%s' is the first) %s",
                                           kind.count, seen.pictures, what, kind.first, became));
    warning.severity = Severity::kNote;
    warnings.push_back(std::move(warning));
  };
  if (seen.gray.count > 0 && seen.gray.count < seen.pictures) {
    note(seen.gray, "are gray", "and became colours of equal parts");
  }
  if (seen.colour.count > 0) note(seen.colour, "are in colour", "and became gray");
  if (seen.opaque.count > 0) note(seen.opaque, "have no alpha", "and got that of opaque ones");
}

void DatasetChecks::WarnOfColours(size_t input, std::vector<Warning>& warnings) const {
  const Seen& seen = seen_[input];
  if (seen.gray.count == seen.pictures) {
    warnings.push_back(
        MakeWarning(input,
                    "all pictures are gray, and its channels were calibrated with the "
                    "same values: add pictures in colour if it will see some"));
  }
  if (seen.cmyk.count > 0) {
    warnings.push_back(MakeWarning(
        input, absl::StrFormat("%d of %d pictures have the colours of printing (CMYK; '%s' is the "
                               "first), which became RGB without their profile: convert them "
                               "before if their colours matter",
                               seen.cmyk.count, seen.pictures, seen.cmyk.first)));
  }
  if (seen.transparent.count > 0) {
    warnings.push_back(MakeWarning(
        input, absl::StrFormat("%d of %d pictures have transparent parts ('%s' is the first), "
                               "which show the colours that are stored there: put them on a "
                               "background before if that isn't meant",
                               seen.transparent.count, seen.pictures, seen.transparent.first)));
  }
}

Warning DatasetChecks::MakeWarning(size_t input, std::string sentence) const {
  WarningPlace place = AtNode("input", inputs_[input]);
  place.file = metafile_.path;
  return {std::move(place), std::move(sentence)};
}

void DatasetChecks::WarnOfMeans(size_t input, std::vector<Warning>& warnings) const {
  if (input >= metafile_.inputs.size()) return;
  const InputSpec& spec = metafile_.inputs[input];
  const std::vector<double>& means = spec.means;
  if (means.empty()) return;
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  if (*high > 0 && *high < 1 && *low >= 0 && spec.scale.value_or(1) > 1) {
    warnings.push_back(MakeWarning(
        input, absl::StrFormat("'means' up to %g are taken from pixels of 0 to 255; means of a "
                               "training with pixels of 0 to 1 must be multiplied by 255",
                               *high)));
  }
  if (means.size() != 3 || *low < 0) return;
  const bool is_bgr = absl::StartsWith(metafile_.InputFormat(input), "bgr");
  const double rise = (means[2] - means[0]) / std::max(*high, 1e-9);
  const bool monotone = (means[1] - means[0]) * (means[2] - means[1]) >= 0;
  if (!monotone || (is_bgr ? -rise : rise) < kUnlikeMeans) return;
  warnings.push_back(MakeWarning(
      input,
      absl::StrFormat("'means' [%g, %g, %g] look like those of %s, but the format is %s: "
                      "%s",
                      means[0], means[1], means[2], is_bgr ? "RGB" : "BGR", is_bgr ? "BGR" : "RGB",
                      is_bgr ? "remove 'bgr' from 'format', or turn the means around"
                             : "begin 'format' with 'bgr', or turn the means around")));
}

std::vector<Warning> DatasetChecks::Warnings() const {
  std::vector<Warning> warnings;
  for (size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (seen.pictures == 0) continue;
    const double covered = seen.covered / static_cast<double>(seen.pictures);
    const double stretch = seen.stretch / static_cast<double>(seen.pictures);
    if (covered <= kLittleCovered) {
      warnings.push_back(MakeWarning(
          i, absl::StrFormat("pictures cover %.0f %% of it, bands the rest, which cost time and "
                             "show nothing: give the input the pictures' proportions, or crop them",
                             100 * covered)));
    }
    if (stretch >= kMuchStretched) {
      warnings.push_back(MakeWarning(
          i, absl::StrFormat("pictures are stretched by %.2f on average: unless training did so "
                             "too, remove 'keep_proportions=0' or crop them",
                             stretch)));
    }
    WarnOfColours(i, warnings);
    NoteConversions(i, warnings);
    WarnOfMeans(i, warnings);
    const float farthest = std::max(std::abs(seen.values.min), std::abs(seen.values.max));
    if (farthest > kLargeValues || farthest < kSmallValues) {
      warnings.push_back(MakeWarning(
          i, absl::StrFormat("pictures become values from %g to %g: values are (pixel - mean) / "
                             "scale, so that 'scale: 255' makes pixels 0 to 1",
                             static_cast<double>(seen.values.min),
                             static_cast<double>(seen.values.max))));
    }
  }
  return warnings;
}

bool AllSamplesEqual(const Statistics& statistics) {
  const auto& samples = statistics.samples();
  return samples.size() > 1 && std::all_of(samples.begin(), samples.end(), [&](const auto& sample) {
           return sample.second == samples.begin()->second;
         });
}

}  // namespace synap_internal

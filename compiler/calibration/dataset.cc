#include "compiler/calibration/dataset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "compiler/calibration/npy.h"
#include "compiler/metafile/check_means.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/format_string.h"
#include "runtime/vision/image.h"

namespace synap {
namespace {

constexpr absl::string_view kRandom = "random";

uint64_t Fnv1a(absl::string_view text, uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool IsNpy(absl::string_view path) { return absl::EndsWithIgnoreCase(path, ".npy"); }

bool IsImage(absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".jpg") || absl::EndsWithIgnoreCase(path, ".jpeg") ||
         absl::EndsWithIgnoreCase(path, ".png");
}

// As a glob that matches it alone.
std::string EscapeGlob(absl::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (absl::StrContains("*?[\\", c)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// What the metafile says about one input's samples, and the files found.
class InputFiles {
 public:
  InputFiles(const Metafile& meta, size_t input)
      : meta_(meta), spec_(meta.quantization->dataset[input]), input_(input) {}

  bool is_random() const { return spec_.pattern == kRandom; }
  const std::vector<std::string>& files() const { return files_; }

  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat(meta_.Where(spec_.location), ": dataset '",
                                                   spec_.pattern, "' of input ", InputName(), " ",
                                                   message));
  }

  // Globs and checks.
  absl::Status Find() {
    if (is_random()) return absl::OkStatus();
    // Only the pattern has wildcards; the metafile's folder may be called [old].
    ASSIGN_OR_RETURN(files_, Glob(JoinPath(EscapeGlob(Dirname(meta_.path)), spec_.pattern)));
    // q/* may match folders beside the files.
    const auto folders = std::stable_partition(files_.begin(), files_.end(),
                                               [](const std::string& f) { return !IsFolder(f); });
    const bool has_folder = folders != files_.end();
    files_.erase(folders, files_.end());
    if (files_.empty()) {
      return Error(has_folder ? "matches a folder; for the files in it, add /*"
                              : "matches no file");
    }
    for (const std::string& file : files_) {
      if (SampleName(file).find_first_of(" \t\n") != std::string::npos) {
        return Error(absl::StrCat("matches '", file, "': names with blanks are not possible"));
      }
      if (!IsNpy(file) && !IsImage(file)) {
        return Error(absl::StrCat("matches '", file, "', expected .jpg, .jpeg, .png or .npy"));
      }
      if (IsNpy(file) != IsNpy(files_[0])) {
        return Error(absl::StrCat("mixes images and .npy: '", files_[0], "' and '", file, "'"));
      }
    }
    return absl::OkStatus();
  }

  // The part of `file` that wildcards stand for: "x.jpg" for q/*.jpg, "a/x.jpg" for q/*/*.jpg.
  std::string SampleName(const std::string& file) const {
    const std::string pattern = JoinPath(Dirname(meta_.path), spec_.pattern);
    const size_t folder = pattern.size() - spec_.pattern.size();
    const std::string fixed = pattern.substr(0, pattern.find_first_of("*?[", folder));
    const size_t slash = fixed.rfind('/');
    // Without a wildcard it is the base name.
    return slash == std::string::npos ? file : file.substr(slash + 1);
  }

  // For the user, one line each: what is legal but hardly meant.
  std::vector<std::string> Warnings() const {
    std::vector<std::string> warnings;
    if (files_.empty()) return warnings;
    const bool normalized =
        input_ < meta_.inputs.size() &&
        (!meta_.inputs[input_].means.empty() || meta_.inputs[input_].scale.has_value());
    if (IsNpy(files_[0]) && normalized) {
      warnings.push_back(Warning("means and scale of input ", " are not applied to .npy files"));
    }
    if (!IsNpy(files_[0]) && !normalized) {
      warnings.push_back(Warning("images go into input ",
                                 " with values from 0 to 255: give it the 'means' and 'scale' of "
                                 "the network's training, or 'scale: 1' if there were none"));
    }
    // Other formats are the user's own business, but nobody means anything else by this one.
    const std::string type = FormatString::Parse(meta_.InputFormat(input_)).type();
    if (!IsNpy(files_[0]) && absl::StartsWithIgnoreCase(type, "bgr") &&
        !absl::StartsWith(type, "bgr")) {
      warnings.push_back(Warning(
          "the pictures of input ",
          absl::StrCat(" stay RGB: its format begins with '", type, "', write bgr in lower case")));
    }
    if (files_.size() == 1) {
      warnings.push_back(Warning("the dataset of input ",
                                 " is a single file: others may have a larger range; add some "
                                 "dozens that show what the network will see"));
    }
    return warnings;
  }

  std::string InputName() const {
    const bool named = input_ < meta_.inputs.size() && !meta_.inputs[input_].name.empty();
    return named ? absl::StrCat("'", meta_.inputs[input_].name, "'") : absl::StrCat(input_);
  }

 private:
  std::string Warning(absl::string_view before, absl::string_view behind) const {
    return absl::StrCat(meta_.Where(spec_.location), ": ", before, InputName(), behind);
  }

  const Metafile& meta_;
  const DatasetSpec& spec_;
  const size_t input_;
  std::vector<std::string> files_;
};

// The one that says how many samples there are and what they are called; null if all are random. An
// error if another one has a different number.
absl::StatusOr<const InputFiles*> CommonFiles(const std::vector<InputFiles>& inputs) {
  const InputFiles* first = nullptr;
  for (const InputFiles& input : inputs) {
    if (input.is_random()) continue;
    if (first == nullptr) first = &input;
    if (input.files().size() != first->files().size()) {
      return input.Error(absl::StrCat("matches ", input.files().size(),
                                      " files, expected as many as input ", first->InputName(),
                                      " has: ", first->files().size()));
    }
  }
  return first;
}

}  // namespace

int ShardOf(absl::string_view name, int shards) {
  CHECK(shards > 0);
  return static_cast<int>(Fnv1a(name) % static_cast<uint64_t>(shards));
}

absl::StatusOr<Dataset> ResolveDataset(const Metafile& metafile, size_t inputs) {
  Dataset dataset;
  if (!metafile.quantized()) return dataset;
  const size_t entries = metafile.quantization->dataset.size();
  if (entries != inputs) {
    return absl::InvalidArgumentError(
        absl::StrCat(metafile.Where(metafile.quantization->dataset[0].location),
                     ": 'quantization.dataset' must have one entry per input of the network: "
                     "expected ",
                     inputs, ", found ", entries));
  }
  std::vector<InputFiles> files;
  for (size_t i = 0; i < inputs; ++i) {
    RETURN_IF_ERROR(files.emplace_back(metafile, i).Find());
    for (std::string& warning : files.back().Warnings()) {
      dataset.warnings.push_back(std::move(warning));
    }
  }
  ASSIGN_OR_RETURN(const InputFiles* common, CommonFiles(files));
  const size_t count = common == nullptr ? 1 : common->files().size();
  for (size_t s = 0; s < count; ++s) {
    DatasetSample& sample = dataset.samples.emplace_back();
    sample.name = common == nullptr ? std::string(kRandom) : common->SampleName(common->files()[s]);
    for (const InputFiles& input : files) {
      sample.files.push_back(input.is_random() ? "" : input.files()[s]);
    }
  }
  return dataset;
}

absl::StatusOr<SampleLoader> SampleLoader::Create(const Metafile& metafile, size_t input,
                                                  SampleTensor tensor) {
  SampleLoader loader;
  loader.input_ = input;
  const bool is_image = tensor.shape.rank() == 4;
  if (is_image) {
    const bool nchw = tensor.is_nchw;
    loader.channels_ = static_cast<int>(tensor.shape[nchw ? 1 : 3]);
    loader.height_ = static_cast<int>(tensor.shape[nchw ? 2 : 1]);
    loader.width_ = static_cast<int>(tensor.shape[nchw ? 3 : 2]);
  }
  const FormatString format = FormatString::Parse(metafile.InputFormat(input));
  loader.is_bgr_ = absl::StartsWith(format.type(), "bgr");
  auto letterbox = LetterboxOptions::FromFormat(format);
  if (!letterbox.ok()) {
    return Annotate(letterbox.status(), absl::StrCat(metafile.path, ": input '", tensor.name, "'"));
  }
  loader.letterbox_ = *letterbox;
  loader.means_.assign(std::max(loader.channels_, 1), 0.0f);
  if (input < metafile.inputs.size()) {
    const InputSpec& spec = metafile.inputs[input];
    loader.scale_ = static_cast<float>(spec.scale.value_or(1));
    const size_t given = spec.means.size();
    RETURN_IF_ERROR(
        CheckMeans(metafile, input, tensor.name, static_cast<int64_t>(loader.means_.size())));
    for (size_t c = 0; given > 0 && c < loader.means_.size(); ++c) {
      loader.means_[c] = static_cast<float>(spec.means[given == 1 ? 0 : c]);
    }
  }
  loader.tensor_ = std::move(tensor);
  return loader;
}

absl::Status SampleLoader::Load(const DatasetSample& sample, absl::Span<float> values,
                                PictureFit* fit) const {
  CHECK(input_ < sample.files.size() && values.size() == elements());
  const std::string& file = sample.files[input_];
  if (!file.empty()) return IsNpy(file) ? FromNpy(file, values) : FromImage(file, values, fit);
  Random(sample.name, values);
  return absl::OkStatus();
}

absl::Status SampleLoader::FromImage(const std::string& path, absl::Span<float> values,
                                     PictureFit* fit) const {
  if (channels_ == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": input '", tensor_.name, "' has the shape ", tensor_.shape.ToString(),
                     ": .npy files required, images need 4 dimensions"));
  }
  ASSIGN_OR_RETURN(const Image image, LoadImage(path));
  if (image.channels != channels_) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": unable to convert image from ", image.channels, " to ", channels_,
                     " channels, which input '", tensor_.name, "' has (", tensor_.shape.ToString(),
                     tensor_.is_nchw ? ", nchw)" : ", nhwc)"));
  }
  if (values.empty() || height_ < 1 || height_ > kMaxImageSide || width_ < 1 ||
      width_ > kMaxImageSide || int64_t{height_} * width_ > kMaxImagePixels) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": no image fits input '", tensor_.name,
                                                   "' of ", tensor_.shape.ToString()));
  }
  const LetterboxPlan plan =
      PlanLetterbox(image.width, image.height, width_, height_, letterbox_.keep_proportions);
  if (fit != nullptr) {
    const double across = static_cast<double>(plan.width) / plan.source_width;
    const double down = static_cast<double>(plan.height) / plan.source_height;
    *fit = {true, static_cast<double>(plan.width) * plan.height / (int64_t{width_} * height_),
            std::max(across / down, down / across)};
  }
  Image fitted = ApplyLetterbox(image, plan, width_, height_, letterbox_.fill_color);
  if (is_bgr_) SwapRedAndBlue(fitted);
  // A byte's value after normalization, per channel.
  std::vector<std::array<float, 256>> table(channels_);
  for (int c = 0; c < channels_; ++c) {
    for (int v = 0; v < 256; ++v) table[c][v] = (static_cast<float>(v) - means_[c]) / scale_;
  }
  const size_t pixels = static_cast<size_t>(width_) * height_;
  for (size_t i = 0; i < pixels; ++i) {
    for (int c = 0; c < channels_; ++c) {
      const size_t at = tensor_.is_nchw ? c * pixels + i : i * channels_ + c;
      values[at] = table[c][fitted.pixels[i * channels_ + c]];
    }
  }
  const size_t one = pixels * channels_;
  for (size_t i = one; i < values.size(); ++i) values[i] = values[i - one];
  return absl::OkStatus();
}

absl::Status SampleLoader::FromNpy(const std::string& path, absl::Span<float> values) const {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpy(path));
  const Shape& shape = tensor_.shape;
  const bool has_batch_of_1 = shape.rank() > 0 && shape[0] == 1;
  const bool lacks_batch =
      has_batch_of_1 && array.shape.rank() + 1 == shape.rank() &&
      std::equal(array.shape.dims().begin(), array.shape.dims().end(), shape.dims().begin() + 1);
  if (array.shape != shape && !lacks_batch) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has the shape ", array.shape.ToString(),
                                                   ", but input '", tensor_.name, "' has ",
                                                   shape.ToString()));
  }
  for (size_t i = 0; i < array.values.size(); ++i) {
    if (std::isfinite(array.values[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(path, ": element ", i, " is ", array.values[i],
                                                   " in float32, expected finite numbers"));
  }
  std::copy(array.values.begin(), array.values.end(), values.begin());
  return absl::OkStatus();
}

void SampleLoader::Random(absl::string_view sample, absl::Span<float> values) const {
  // SplitMix64, seeded by what the values are for.
  uint64_t state = Fnv1a(sample, Fnv1a(tensor_.name));
  for (float& value : values) {
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
    value = static_cast<float>(bits >> 40) * 0x1p-24f;
  }
}

}  // namespace synap

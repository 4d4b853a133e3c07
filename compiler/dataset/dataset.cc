#include "compiler/dataset/dataset.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/quant_params.h"
#include "base/rounding.h"
#include "base/status_macros.h"
#include "compiler/metafile/check_means.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/fit_picture.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"
#include "runtime/vision/picture_format.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kRandom = "random";

uint64_t Fnv1a(absl::string_view text, uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool IsNpy(absl::string_view path) { return absl::EndsWithIgnoreCase(path, ".npy"); }

bool IsImage(absl::string_view path) {
  return absl::EndsWithIgnoreCase(path, ".jpg") || absl::EndsWithIgnoreCase(path, ".jpeg") ||
         absl::EndsWithIgnoreCase(path, ".png") || absl::EndsWithIgnoreCase(path, ".bmp");
}

// A glob that matches only this text.
std::string EscapeGlob(absl::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (absl::StrContains("*?[\\", c)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The i-th of some integers or booleans.
int64_t IntegerAt(DataType type, const void* data, size_t i) {
  const size_t size = SizeOf(type);
  int64_t value = 0;  // little endian: the low bytes are first
  std::memcpy(&value, static_cast<const uint8_t*>(data) + i * size, size);
  const size_t unused = 64 - 8 * size;
  if (RangeOf(type).min == 0) return value;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// The pictures and .npy files of a folder, in the order of their names; hidden files are none.
std::vector<std::string> SamplesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const std::string& name : NamesIn(folder)) {
    const std::string file = JoinPath(folder, name);
    if (name[0] != '.' && (IsNpy(file) || IsImage(file)) && !IsFolder(file)) files.push_back(file);
  }
  return files;
}

// One input's samples: its entry in the metafile, and the files found.
class InputFiles {
 public:
  InputFiles(const Metafile& meta, size_t input, DataType type)
      : meta_(meta), spec_(meta.quantization->dataset[input]), input_(input), type_(type) {}

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
    if (files_.size() == 1 && IsFolder(files_[0])) return FindInFolder();
    // q/* may match folders beside the files.
    const auto folders = std::stable_partition(files_.begin(), files_.end(),
                                               [](const std::string& f) { return !IsFolder(f); });
    const bool has_folder = folders != files_.end();
    files_.erase(folders, files_.end());
    if (files_.empty()) {
      return Error(has_folder ? "matches folders, expected files; add /* for those in them"
                              : "matches no file");
    }
    return CheckKinds();
  }

  // All files are pictures, or all are .npy.
  absl::Status CheckKinds() const {
    for (const std::string& file : files_) {
      if (!IsNpy(file) && !IsImage(file)) {
        return Error(
            absl::StrCat("matches '", file, "', expected .jpg, .jpeg, .png, .bmp or .npy"));
      }
      if (IsNpy(file) != IsNpy(files_[0])) {
        return Error(absl::StrCat("matches both images and .npy: '", files_[0], "' and '", file,
                                  "', expected one kind; narrow the pattern"));
      }
    }
    return absl::OkStatus();
  }

  // Takes what a folder that the metafile names has.
  absl::Status FindInFolder() {
    is_folder_ = true;
    files_ = SamplesIn(std::string(absl::StripSuffix(files_[0], "/")));
    if (files_.empty()) {
      return Error("is a folder without samples, expected .jpg, .jpeg, .png, .bmp or .npy files");
    }
    return CheckKinds();
  }

  // The part of `file` that the wildcards match: "x.jpg" for q/*.jpg, "a/x.jpg" for q/*/*.jpg.
  std::string SampleName(const std::string& file) const {
    if (is_folder_) return Basename(file);
    const std::string pattern = JoinPath(Dirname(meta_.path), spec_.pattern);
    const size_t folder = pattern.size() - spec_.pattern.size();
    const std::string fixed = pattern.substr(0, pattern.find_first_of("*?[", folder));
    const size_t slash = fixed.rfind('/');
    // Without a wildcard it is the base name.
    return slash == std::string::npos ? file : file.substr(slash + 1);
  }

  // About legal but suspicious choices of files.
  std::vector<Warning> Warnings() const {
    std::vector<Warning> warnings;
    if (files_.empty()) return warnings;
    const bool normalized =
        input_ < meta_.inputs.size() &&
        (!meta_.inputs[input_].means.empty() || meta_.inputs[input_].scale.has_value());
    if (IsNpy(files_[0]) && normalized) {
      warnings.push_back(
          MakeWarning("means and scale of input ", " are not applied to .npy files"));
    }
    // Integers are mostly normalized by the network itself.
    if (!IsNpy(files_[0]) && !normalized && IsFloat(type_)) {
      warnings.push_back(
          MakeWarning("images go into input ",
                      " with values from 0 to 255: give it the 'means' and 'scale' of "
                      "the network's training, or 'scale: 1' if there were none"));
    }
    if (files_.size() == 1) {
      warnings.push_back(MakeWarning("the dataset of input ",
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
  Warning MakeWarning(absl::string_view before, absl::string_view after) const {
    return {meta_.PlaceOf(spec_.location), absl::StrCat(before, InputName(), after)};
  }

  const Metafile& meta_;
  const DatasetSpec& spec_;
  const size_t input_;
  const DataType type_;
  std::vector<std::string> files_;
  bool is_folder_ = false;  // the metafile names the files' folder
};

// The input that determines number and names of the samples; null if all are random. An error if
// another input has a different number of files.
absl::StatusOr<const InputFiles*> CommonFiles(const std::vector<InputFiles>& inputs) {
  const InputFiles* first = nullptr;
  for (const InputFiles& input : inputs) {
    if (input.is_random()) continue;
    if (first == nullptr) first = &input;
    if (input.files().size() != first->files().size()) {
      return input.Error(absl::StrCat(
          "matches ", input.files().size(), " files, expected as many as input ",
          first->InputName(), " has: ", first->files().size(), "; give each input as many"));
    }
  }
  return first;
}

// Files of several inputs make samples in their sorted order. A warning if the names of a sample's
// files differ, in which case another order may be meant.
std::optional<Warning> PairingWarning(const Metafile& metafile,
                                      const std::vector<InputFiles>& inputs,
                                      const InputFiles& common) {
  for (size_t s = 0; s < common.files().size(); ++s) {
    const std::string& file = common.files()[s];
    for (const InputFiles& input : inputs) {
      if (input.is_random() || Stem(input.files()[s]) == Stem(file)) continue;
      return Warning{
          metafile.PlaceOf(metafile.quantization->dataset[0].location),
          absl::StrCat("'", file, "' and '", input.files()[s],
                       "' are one sample: the files of several inputs are paired in sorted order; "
                       "if others belong together, give those of a sample one name")};
    }
  }
  return std::nullopt;
}

}  // namespace

int ShardOf(absl::string_view name, int shards) {
  CHECK(shards > 0);
  return static_cast<int>(Fnv1a(name) % static_cast<uint64_t>(shards));
}

absl::StatusOr<Dataset> ResolveDataset(const Metafile& metafile,
                                       const std::vector<DataType>& inputs) {
  Dataset dataset;
  if (!metafile.quantized()) return dataset;
  const size_t entries = metafile.quantization->dataset.size();
  if (entries != inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(metafile.Where(metafile.quantization->dataset[0].location),
                     ": 'quantization.dataset' must have one entry per input of the network: "
                     "expected ",
                     inputs.size(), ", found ", entries));
  }
  std::vector<InputFiles> files;
  for (size_t i = 0; i < inputs.size(); ++i) {
    RETURN_IF_ERROR(files.emplace_back(metafile, i, inputs[i]).Find());
    for (Warning& warning : files.back().Warnings()) {
      dataset.warnings.push_back(std::move(warning));
    }
  }
  ASSIGN_OR_RETURN(const InputFiles* common, CommonFiles(files));
  if (common != nullptr) {
    std::optional<Warning> warning = PairingWarning(metafile, files, *common);
    if (warning.has_value()) dataset.warnings.push_back(*std::move(warning));
  }
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
  const PictureFormat format = ParsePictureFormat(metafile.InputFormat(input));
  loader.is_bgr_ = format.is_bgr;
  ASSIGN_OR_RETURN(
      loader.letterbox_,
      Annotate(format.letterbox, absl::StrCat(metafile.path, ": input '", tensor.name, "'")));
  Normalization& how = loader.normalization_;
  how.dtype = tensor.dtype;
  if (input < metafile.inputs.size()) {
    const InputSpec& spec = metafile.inputs[input];
    RETURN_IF_ERROR(CheckMeans(metafile, input, tensor.name, std::max(loader.channels_, 1)));
    how.scale = static_cast<float>(spec.scale.value_or(1));
    if (!spec.means.empty()) how.mean.assign(spec.means.begin(), spec.means.end());
  }
  if (how.mean.size() > 1) {
    how.channels = loader.channels_;
    how.inner = tensor.is_nchw ? int64_t{loader.height_} * loader.width_ : 1;
  }
  loader.tensor_ = std::move(tensor);
  return loader;
}

absl::Status SampleLoader::Load(const DatasetSample& sample, void* data, PictureFit* fit) const {
  CHECK(input_ < sample.files.size());
  const std::string& file = sample.files[input_];
  if (file.empty()) return Random(sample.name, data);
  return IsNpy(file) ? FromNpy(file, data) : FromImage(file, data, fit);
}

absl::Status SampleLoader::FromImage(const std::string& path, void* data, PictureFit* fit) const {
  if (channels_ == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": input '", tensor_.name, "' has the shape ", tensor_.shape.ToString(),
                     ", expected 4 dimensions for an image; use .npy files"));
  }
  if (tensor_.rows.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": input '", tensor_.name, "' holds indices into a table of ",
                     *tensor_.rows, " rows, found an image; use .npy files"));
  }
  PictureFit seen;
  ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
  ASSIGN_OR_RETURN(const std::unique_ptr<ImageRows> image,
                   OpenImageRows({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, path,
                                 &seen.notes));
  if (image->channels() != channels_) {
    const absl::Status status = CheckChannels(image->channels(), channels_);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", status.message(), ", which input '", tensor_.name, "' has (",
                       tensor_.shape.ToString(), tensor_.is_nchw ? ", nchw)" : ", nhwc)"));
    }
  }
  if (bytes() == 0 || height_ < 1 || height_ > kMaxImageSide || width_ < 1 ||
      width_ > kMaxImageSide || int64_t{height_} * width_ > kMaxImagePixels) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": input '", tensor_.name, "' has the shape ", tensor_.shape.ToString(),
                     ", expected sides of 1 to ", kMaxImageSide, " and at most ", kMaxImagePixels,
                     " pixels for an image; use .npy files"));
  }
  PictureTensor tensor;
  tensor.width = width_;
  tensor.height = height_;
  tensor.channels = channels_;
  tensor.is_planar = tensor_.is_nchw;
  tensor.is_bgr = is_bgr_;
  tensor.letterbox = letterbox_;
  std::vector<uint8_t> pixels(tensor.size());
  ASSIGN_OR_RETURN(const LetterboxPlan plan,
                   FitPicture(*image, /*is_bgr=*/false, tensor, pixels.data()));
  const double across = static_cast<double>(plan.width) / plan.source_width;
  const double down = static_cast<double>(plan.height) / plan.source_height;
  seen.is_picture = true;
  seen.covered = static_cast<double>(plan.width) * plan.height / (int64_t{width_} * height_);
  seen.stretch = std::max(across / down, down / across);
  seen.channels = channels_;
  seen.place = {static_cast<double>(plan.left), static_cast<double>(plan.top),
                across * image->width(), down * image->height()};
  seen.file = path;
  if (fit != nullptr) *fit = std::move(seen);
  RETURN_IF_ERROR(Normalized(pixels, data));
  const size_t one = pixels.size() * SizeOf(tensor_.dtype);
  auto* all = static_cast<uint8_t*>(data);
  for (size_t at = one; at < bytes(); at += one) std::memcpy(all + at, all, one);
  return absl::OkStatus();
}

absl::Status SampleLoader::Normalized(absl::Span<const uint8_t> pixels, void* data) const {
  if (IsFloat(tensor_.dtype) || tensor_.dtype == DataType::kUint8) {
    return Normalize(normalization_, pixels, data);
  }
  Normalization how = normalization_;
  how.dtype = DataType::kFloat32;
  std::vector<float> values(pixels.size());
  RETURN_IF_ERROR(Normalize(how, pixels, values.data()));
  const IntegerRange range = RangeOf(tensor_.dtype);
  const size_t size = SizeOf(tensor_.dtype);
  for (size_t i = 0; i < values.size(); ++i) {
    // Pixels and means are small: the limits of 64 bits are out of reach but for a tiny scale.
    const double rounded = std::floor(double{values[i]} + 0.5);
    int64_t number = range.min;
    if (rounded >= static_cast<double>(range.max)) {
      number = range.max;
    } else if (rounded > static_cast<double>(range.min)) {
      number = static_cast<int64_t>(rounded);
    }
    std::memcpy(static_cast<uint8_t*>(data) + i * size, &number, size);
  }
  return absl::OkStatus();
}

absl::Status SampleLoader::FromNpy(const std::string& path, void* data) const {
  ASSIGN_OR_RETURN(const NpyFile array, ReadNpyFile(path));
  const Shape& shape = tensor_.shape;
  const bool has_batch_of_1 = shape.rank() > 0 && shape[0] == 1;
  const bool lacks_batch =
      has_batch_of_1 && array.shape.rank() + 1 == shape.rank() &&
      std::equal(array.shape.dims().begin(), array.shape.dims().end(), shape.dims().begin() + 1);
  if (array.shape != shape && !lacks_batch) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has the shape ", array.shape.ToString(),
                                                   ", expected ", shape.ToString(), " of input '",
                                                   tensor_.name, "'"));
  }
  RETURN_IF_ERROR(Annotate(ConvertNpy(array, tensor_.dtype, data), path));
  return CheckRows(path, data);
}

// Refuses rows that the table doesn't have: the network would take the nearest one.
absl::Status SampleLoader::CheckRows(const std::string& path, const void* data) const {
  if (!tensor_.rows.has_value()) return absl::OkStatus();
  const size_t size = SizeOf(tensor_.dtype);
  for (size_t i = 0; i < bytes() / size; ++i) {
    const int64_t value = IntegerAt(tensor_.dtype, data, i);
    if (value >= -*tensor_.rows && value < *tensor_.rows) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": element ", i, " is ", value, ", expected ", -*tensor_.rows, " to ",
                     *tensor_.rows - 1, " for input '", tensor_.name,
                     "', an index into a table of ", *tensor_.rows, " rows"));
  }
  return absl::OkStatus();
}

absl::Status SampleLoader::Random(absl::string_view sample, void* data) const {
  // SplitMix64, seeded by what the values are for.
  uint64_t state = Fnv1a(sample, Fnv1a(tensor_.name));
  const auto next = [&] {
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
  };
  const size_t size = SizeOf(tensor_.dtype);
  const size_t count = bytes() / size;
  if (IsFloat(tensor_.dtype)) {
    for (size_t i = 0; i < count; ++i) {
      const float value = static_cast<float>(next() >> 40) * 0x1p-24f;
      const uint16_t half = FloatToHalf(value);
      std::memcpy(static_cast<uint8_t*>(data) + i * size,
                  size == 4 ? static_cast<const void*>(&value) : &half, size);
    }
    return absl::OkStatus();
  }
  IntegerRange range = RangeOf(tensor_.dtype);
  if (tensor_.rows.has_value()) {
    range = {0, std::min(range.max, *tensor_.rows - 1)};
  } else if (size > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dataset 'random': input '", tensor_.name, "' is ", Name(tensor_.dtype),
        ", and nothing says which integers it takes; give it .npy files of real samples"));
  }
  const uint64_t span = static_cast<uint64_t>(range.max - range.min) + 1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = range.min + static_cast<int64_t>(next() % span);
    std::memcpy(static_cast<uint8_t*>(data) + i * size, &value, size);
  }
  return absl::OkStatus();
}

}  // namespace synap_internal

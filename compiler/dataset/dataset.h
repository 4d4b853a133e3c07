// Quantization dataset of a metafile: its files, and a file as the values of an input tensor.
#ifndef COMPILER_DATASET_DATASET_H_
#define COMPILER_DATASET_DATASET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "base/shape.h"
#include "base/warnings.h"
#include "compiler/metafile/metafile.h"
#include "runtime/api/normalize.h"
#include "runtime/vision/image.h"
#include "runtime/vision/letterbox.h"

namespace synap_internal {

// One value for each input of the network.
struct DatasetSample {
  // Unique in the dataset and the same wherever the dataset lies: the first file's path from the
  // glob's first wildcard on, mostly its base name; "random" if no input has files.
  std::string name;
  std::vector<std::string> files;  // paths, one per input; "" for random values
};

struct Dataset {
  std::vector<DatasetSample> samples;  // sorted bytewise by the first input's paths
  std::vector<Warning> warnings;       // about legal but suspicious choices of files
};

// Expands the globs (relative to the metafile's folder), one per input. The i-th samples of all
// inputs, sorted bytewise, belong together; `random` makes as many samples as the other inputs
// have, or one. A metafile without quantization has no samples.
//
// `inputs`: the types of the network's inputs. InvalidArgument naming the glob, the input and the
// place in the metafile: numbers of globs or files that differ, a glob without a match, other files
// than .jpg, .jpeg, .png, .bmp and .npy, images and .npy for the same input.
absl::StatusOr<Dataset> ResolveDataset(const Metafile& metafile,
                                       const std::vector<DataType>& inputs);

// The shard of a sample, from 0 to shards - 1. It depends on the sample's name alone (FNV-1a, 64
// bits, modulo), so that a new sample changes one shard. REQUIRES: shards > 0.
int ShardOf(absl::string_view name, int shards);

// The input tensor that samples are made for.
struct SampleTensor {
  std::string name;
  Shape shape;          // with the batch first
  bool is_nchw = true;  // else NHWC; has a meaning only for images, which need rank 4
  DataType dtype = DataType::kFloat32;
  // For integers that select rows of a table, as tokens do: how many rows it has. Values are then
  // from -rows to rows - 1; negative ones count from the table's end.
  std::optional<int64_t> rows = std::nullopt;
};

// Where something is in an input, in its pixels.
struct PicturePlace {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

// How a picture fills its input.
struct PictureFit {
  bool is_picture = false;  // else a .npy or random
  double covered = 1;       // fraction of the input that isn't bands
  double stretch = 1;       // how much wider or higher its pixels became; at least 1
  int channels = 0;         // of the input
  std::string file = {};    // the picture's path
  ImageNotes notes = {};    // how the picture was decoded
  PicturePlace place = {};  // of the whole picture, of which a part may be beyond the input
};

// Makes the values of one input, sample by sample; holds none of them. Thread-safe.
class SampleLoader {
 public:
  // `input`: the position in the metafile. InvalidArgument for means that the tensor's channels
  // don't match and for a wrong format string.
  static absl::StatusOr<SampleLoader> Create(const Metafile& metafile, size_t input,
                                             SampleTensor tensor);

  // Size of the tensor's dense values.
  size_t bytes() const {
    return static_cast<size_t>(tensor_.shape.elements()) * SizeOf(tensor_.dtype);
  }

  // Writes dense values of the tensor's type in its shape and layout. REQUIRES: `data` has room for
  // bytes() and is aligned for the type.
  //
  // An image is fitted into the tensor as the Preprocessor does it: converted to its channels
  // (channel_order.h), letterboxed (letterbox.h; keep_proportions and fill_color of the format
  // string), red and blue swapped if the format begins with bgr, and each value becomes
  // (value - mean) / scale. uint8 and float16 are rounded as Tensor::assign does it; other
  // integers, which applications assign themselves, to nearest, halves upwards, and saturated. All
  // of a batch get the same image.
  //
  // A .npy is taken as it is, whatever its type; it must have the tensor's shape, or that without a
  // batch of 1, and values that the tensor's type can hold (ConvertNpy).
  //
  // Random values are the same on every run: floats uniform in [0, 1), booleans and integers of 8
  // bits uniform over all of their values, indices uniform over the table's rows. InvalidArgument
  // for larger integers, whose values are unknown.
  //
  // InvalidArgument naming the file, what was found and what was expected.
  //
  // `fit`, if not null, gets how the picture fills the tensor.
  absl::Status Load(const DatasetSample& sample, void* data, PictureFit* fit = nullptr) const;

 private:
  SampleLoader() = default;

  absl::Status FromImage(const std::string& path, void* data, PictureFit* fit) const;
  absl::Status Normalized(absl::Span<const uint8_t> pixels, void* data) const;
  absl::Status FromNpy(const std::string& path, void* data) const;
  absl::Status CheckRows(const std::string& path, const void* data) const;
  absl::Status Random(absl::string_view sample, void* data) const;

  size_t input_ = 0;
  SampleTensor tensor_;
  int channels_ = 0;  // 0 unless the tensor has rank 4
  int height_ = 0;
  int width_ = 0;
  bool is_bgr_ = false;
  LetterboxOptions letterbox_;
  Normalization normalization_;
};

}  // namespace synap_internal

#endif  // COMPILER_DATASET_DATASET_H_

// The quantization dataset of a metafile: which files are its samples, and a sample as the values
// of an input tensor.
#ifndef COMPILER_CALIBRATION_DATASET_H_
#define COMPILER_CALIBRATION_DATASET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "compiler/metafile/metafile.h"
#include "runtime/vision/letterbox.h"

namespace synap {

// One value for each input of the network.
struct DatasetSample {
  // Unique in the dataset and the same wherever the dataset lies: the first file's path from the
  // glob's first wildcard on, mostly its base name; "random" if no input has files.
  std::string name;
  std::vector<std::string> files;  // paths, one per input; "" for random values
};

struct Dataset {
  std::vector<DatasetSample> samples;  // sorted bytewise by the first input's paths
  std::vector<std::string> warnings;   // for the user, one line each
};

// Expands the globs (relative to the metafile's folder), one per input. The i-th samples of all
// inputs, sorted bytewise, belong together; `random` makes as many samples as the other inputs
// have, or one. An unquantized metafile has none.
//
// `inputs`: how many the network has. InvalidArgument naming the glob, the input and the place in
// the metafile: numbers of globs or files that differ, a glob without a match, blanks in names,
// other files than .jpg, .jpeg, .png and .npy, images and .npy for the same input.
absl::StatusOr<Dataset> ResolveDataset(const Metafile& metafile, size_t inputs);

// In which of `shards` a sample is: by its name alone (FNV-1a, 64 bits, modulo), so that a new
// sample changes one shard. REQUIRES: shards > 0.
int ShardOf(absl::string_view name, int shards);

// The input tensor that samples are made for.
struct SampleTensor {
  std::string name;
  Shape shape;          // with the batch first
  bool is_nchw = true;  // else NHWC; has a meaning only for images, which need rank 4
};

// How a picture fills its input.
struct PictureFit {
  bool is_picture = false;  // else a .npy or random
  double covered = 1;       // part of the input that isn't bands
  double stretch = 1;       // how much wider or higher its pixels became; at least 1
};

// Makes the values of one input, sample by sample; holds none of them. Thread-safe.
class SampleLoader {
 public:
  // `input`: the position in the metafile. InvalidArgument for means that the tensor's channels
  // don't match and for a wrong format string.
  static absl::StatusOr<SampleLoader> Create(const Metafile& metafile, size_t input,
                                             SampleTensor tensor);

  // Of the tensor.
  size_t elements() const { return static_cast<size_t>(tensor_.shape.elements()); }

  // Writes dense float32 in the tensor's shape and layout. REQUIRES: elements() `values`.
  //
  // An image is fitted into the tensor as the Preprocessor does it (letterbox.h; keep_proportions
  // and fill_color of the format string), red and blue are swapped if the format begins with bgr,
  // and each value becomes (value - mean) / scale. All of a batch get the same image. A .npy is
  // taken as it is; it must have the tensor's shape, or that without a batch of 1. Random values
  // are uniform in [0, 1), the same on every run. InvalidArgument naming the file, what was found
  // and what was expected.
  //
  // `fit`, if not null, gets how the picture fills the tensor.
  absl::Status Load(const DatasetSample& sample, absl::Span<float> values,
                    PictureFit* fit = nullptr) const;

 private:
  SampleLoader() = default;

  absl::Status FromImage(const std::string& path, absl::Span<float> values, PictureFit* fit) const;
  absl::Status FromNpy(const std::string& path, absl::Span<float> values) const;
  void Random(absl::string_view sample, absl::Span<float> values) const;

  size_t input_ = 0;
  SampleTensor tensor_;
  int channels_ = 0;  // 0 unless the tensor has rank 4
  int height_ = 0;
  int width_ = 0;
  bool is_bgr_ = false;
  LetterboxOptions letterbox_;
  std::vector<float> means_;  // one per channel
  float scale_ = 1;
};

}  // namespace synap

#endif  // COMPILER_CALIBRATION_DATASET_H_

// Tensors of a run as files in a folder, to be compared with another machine, runtime or artifact:
//   input_<i>, output_<i>   the network's inputs and outputs
//   <tensor>                a layer's output; other characters than letters, digits, '.', '_' and
//                           '-' are '_', and later names that became equal end in ".1", ".2"...
// with the suffix .npy (NumPy's format) or .bin (dense values, little endian, without a header).
#ifndef RUNTIME_VERIFY_RECORDED_TENSORS_H_
#define RUNTIME_VERIFY_RECORDED_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/shape.h"
#include "runtime/verify/bundle_run.h"
#include "runtime/verify/tensor_values.h"

namespace synap_internal {

// Dense values of each of a bundle's inputs, in its type.
using InputValues = std::vector<std::vector<uint8_t>>;

// Runs the model and writes all of its tensors as .npy of their own types. Creates the folder;
// replaces files of the same names. Errors name the file.
absl::Status RecordTensors(BundleRun& run, const InputValues& inputs, const std::string& folder);

// One file for each input, whose values are read as those of CompareWithFolder. Errors name the
// file.
absl::StatusOr<InputValues> ReadInputs(const BundleRun& run, absl::Span<const std::string> files);

// The files input_<i> of a folder, one for each input or none. Errors name the folder or the file.
absl::StatusOr<std::vector<std::string>> InputFilesOf(const BundleRun& run,
                                                      const std::string& folder);

struct ComparedTensor {
  std::string file;   // name in the folder
  std::string layer;  // "conv2d 'Conv_5'"; "output 0" for outputs of the network
  std::string name;
  Shape shape;
  Difference difference;  // found: in this run; expected: in the file
};

struct FolderComparison {
  std::vector<ComparedTensor> tensors;  // in the order in which the layers run; outputs last
  std::vector<std::string> unused;      // .npy and .bin files whose names no tensor has; sorted
};

// Runs the model and compares each tensor that the folder has a file of. A file has values of the
// tensor's type or real (dequantized) values in float32; a .npy may also have other types of
// numbers for tensors without a quantizer, and the shape of the tensor, of the tensor without
// dimensions of 1, or, where that is [N,H,W,C], of [N,C,H,W] (if both are the same shape, it is
// taken as [N,H,W,C]).
// InvalidArgument naming the file, what was found and what was expected; NotFound if the folder has
// no file of any tensor.
absl::StatusOr<FolderComparison> CompareWithFolder(BundleRun& run, const InputValues& inputs,
                                                   const std::string& folder);

}  // namespace synap_internal

#endif  // RUNTIME_VERIFY_RECORDED_TENSORS_H_

#include "runtime/verify/recorded_tensors.h"

#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/data_type.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

// File systems allow 255 bytes, of which a suffix and a temporary name need some.
constexpr size_t kMaxStem = 200;

TensorType TypeOf(const TensorMetadata& tensor) {
  return {tensor.dtype, tensor.shape, tensor.quant};
}

std::string FileStem(absl::string_view tensor) {
  std::string stem(tensor.substr(0, kMaxStem));
  for (char& c : stem) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  }
  // Hidden files, and the folder itself.
  if (stem.empty() || stem[0] == '.') stem.insert(0, 1, '_');
  return stem;
}

// Stems of the layers' outputs: [layer][output]. Those of the network's inputs and outputs are
// taken.
std::vector<std::vector<std::string>> StemsOf(const BundleRun& run) {
  std::set<std::string> taken;
  for (size_t i = 0; i < run.inputs().size(); ++i) taken.insert(absl::StrCat("input_", i));
  for (size_t i = 0; i < run.outputs().size(); ++i) taken.insert(absl::StrCat("output_", i));
  std::map<std::string, int> next_suffix;
  std::vector<std::vector<std::string>> stems;
  for (const BundleRun::Layer& layer : run.layers()) {
    std::vector<std::string>& names = stems.emplace_back();
    for (size_t o = 0; o < layer.instruction->outputs.size(); ++o) {
      const std::string stem = FileStem(layer.output(o).name);
      names.push_back(stem);
      int& suffix = next_suffix[stem];
      while (!taken.insert(names.back()).second) names.back() = absl::StrCat(stem, ".", ++suffix);
    }
  }
  return stems;
}

// The paths of a folder's .npy and .bin files by their stems.
absl::StatusOr<std::map<std::string, std::string>> TensorFilesOf(const std::string& folder) {
  std::set<std::string> paths;
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const std::string path = it->path().string();
    if (absl::EndsWith(path, ".npy") || absl::EndsWith(path, ".bin")) paths.insert(path);
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": ", error.message(), ", expected a folder with recorded tensors"));
  }
  std::map<std::string, std::string> files;
  for (const std::string& path : paths) {
    const auto [first, is_new] = files.emplace(Stem(path), path);
    if (is_new) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": ", Basename(first->second), " is beside it, expected one file of each tensor"));
  }
  return files;
}

std::vector<int64_t> WithoutOnes(const Shape& shape) {
  std::vector<int64_t> dims;
  for (const int64_t dim : shape.dims()) {
    if (dim != 1) dims.push_back(dim);
  }
  return dims;
}

// Whether `found` is the shape of an [N,C,H,W] copy of the [N,H,W,C] tensor `wanted`.
bool IsNchwOf(const Shape& found, const Shape& wanted) {
  return found.rank() == 4 && wanted.rank() == 4 &&
         found == Shape({wanted[0], wanted[3], wanted[1], wanted[2]});
}

// Values of shape [N,C,H,W] -> [N,H,W,C] = `shape`.
std::vector<double> NchwToNhwc(const std::vector<double>& values, const Shape& shape) {
  const auto channels = static_cast<size_t>(shape[3]);
  const auto pixels = static_cast<size_t>(shape[1] * shape[2]);
  std::vector<double> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t pixel = i % pixels, channel = i / pixels % channels;
    const size_t image = i / pixels / channels;
    result[(image * pixels + pixel) * channels + channel] = values[i];
  }
  return result;
}

// The numbers of a .npy file. `type`: of the tensor that they are of.
absl::StatusOr<std::vector<double>> NumbersOf(const NpyFile& file, const TensorType& type) {
  const absl::string_view code = absl::string_view(file.dtype).substr(1);
  if (code == "f8") {
    std::vector<double> values(static_cast<size_t>(file.shape.elements()));
    if (!values.empty()) std::memcpy(values.data(), file.bytes.data(), file.bytes.size());
    return values;
  }
  for (const DataTypeRow& row : kDataTypes) {
    if (row.numpy != code) continue;
    const bool is_own = row.type == type.dtype;
    if (type.quant.quantized() && !is_own && !row.is_float) break;
    return RealValues({row.type, file.shape, is_own ? type.quant : QuantParams()},
                      file.bytes.data());
  }
  return absl::InvalidArgumentError(
      absl::StrCat("its type is '", file.dtype, "', expected that of the tensor ('",
                   RowOf(type.dtype).numpy, "', ", Name(type.dtype), ") or real values (f4)"));
}

absl::StatusOr<std::vector<double>> ReadNpyValues(const std::string& path, const TensorType& type) {
  ASSIGN_OR_RETURN(const NpyFile file, ReadNpyFile(path));
  const bool is_nchw = file.shape != type.shape && IsNchwOf(file.shape, type.shape);
  if (!is_nchw && WithoutOnes(file.shape) != WithoutOnes(type.shape)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": its shape is ", file.shape.ToString(),
                                                   ", expected ", type.shape.ToString()));
  }
  ASSIGN_OR_RETURN(std::vector<double> values, Annotate(NumbersOf(file, type), path));
  return is_nchw ? NchwToNhwc(values, type.shape) : values;
}

// The real values of a tensor that a file holds, in the tensor's order.
absl::StatusOr<std::vector<double>> ReadValues(const std::string& path, const TensorType& type) {
  if (absl::EndsWith(path, ".npy")) return ReadNpyValues(path, type);
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  if (bytes.size() == static_cast<size_t>(type.bytes())) return RealValues(type, bytes.data());
  const size_t real_bytes = static_cast<size_t>(type.shape.elements()) * sizeof(float);
  if (bytes.size() == real_bytes) {
    return RealValues({DataType::kFloat32, type.shape, {}}, bytes.data());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": it has ", bytes.size(), " bytes, expected ", type.bytes(), " (", Name(type.dtype),
      " ", type.shape.ToString(), ") or ", real_bytes, " (the same as float32)"));
}

// Reads a .npy that has the tensor's type and shape bit by bit; false for other files.
absl::StatusOr<bool> ReadOwnValues(const std::string& path, const TensorType& type,
                                   std::vector<uint8_t>& data) {
  if (!absl::EndsWith(path, ".npy")) return false;
  ASSIGN_OR_RETURN(NpyFile file, ReadNpyFile(path));
  const absl::string_view code = absl::string_view(file.dtype).substr(1);
  if (code != RowOf(type.dtype).numpy || file.shape != type.shape) return false;
  data = std::move(file.bytes);
  return true;
}

std::vector<absl::Span<const uint8_t>> Spans(const InputValues& inputs) {
  return {inputs.begin(), inputs.end()};
}

// Compares tensors with the files of a folder, and knows which files are left.
class FolderComparer {
 public:
  explicit FolderComparer(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  void Add(const std::string& stem, std::string layer, const std::string& name,
           const TensorType& type, const void* data) {
    const auto file = files_.find(stem);
    if (file == files_.end() || !status_.ok()) return;
    absl::StatusOr<std::vector<double>> expected = ReadValues(file->second, type);
    if (!expected.ok()) {
      status_ = expected.status();
      return;
    }
    result_.tensors.push_back({Basename(file->second), std::move(layer), name, type.shape,
                               Compare(type, RealValues(type, data), *expected)});
    files_.erase(file);
  }
  // A file that isn't compared, but known.
  void Skip(const std::string& stem) { files_.erase(stem); }

  absl::StatusOr<FolderComparison> Finish() && {
    RETURN_IF_ERROR(status_);
    for (const auto& [stem, path] : files_) result_.unused.push_back(Basename(path));
    return std::move(result_);
  }

 private:
  std::map<std::string, std::string> files_;  // by stem
  FolderComparison result_;
  absl::Status status_;
};

}  // namespace

absl::Status RecordTensors(BundleRun& run, const InputValues& inputs, const std::string& folder) {
  RETURN_IF_ERROR(CreateDirectories(folder));
  absl::Status status;
  const auto write = [&](const std::string& stem, const TensorType& type, const void* data) {
    if (!status.ok()) return;
    const absl::Span<const uint8_t> bytes(static_cast<const uint8_t*>(data),
                                          static_cast<size_t>(type.bytes()));
    status = WriteFileAtomically(JoinPath(folder, absl::StrCat(stem, ".npy")),
                                 EncodeNpy(type.dtype, type.shape, bytes));
  };
  const std::vector<std::vector<std::string>> stems = StemsOf(run);
  RETURN_IF_ERROR(run.Run(Spans(inputs), [&](size_t layer, absl::Span<const void* const> outputs) {
    for (size_t o = 0; o < outputs.size(); ++o) {
      write(stems[layer][o], run.layers()[layer].output(o).type, outputs[o]);
    }
  }));
  for (size_t i = 0; i < inputs.size(); ++i) {
    write(absl::StrCat("input_", i), TypeOf(*run.inputs()[i]), inputs[i].data());
  }
  for (size_t i = 0; i < run.outputs().size(); ++i) {
    write(absl::StrCat("output_", i), TypeOf(*run.outputs()[i]), run.output(i).data());
  }
  return status;
}

absl::StatusOr<InputValues> ReadInputs(const BundleRun& run, absl::Span<const std::string> files) {
  if (files.size() != run.inputs().size()) {
    return absl::InvalidArgumentError(absl::StrCat("found ", files.size(),
                                                   " files of inputs, "
                                                   "expected ",
                                                   run.inputs().size(),
                                                   ", one for each input of the model"));
  }
  InputValues inputs;
  for (size_t i = 0; i < files.size(); ++i) {
    const TensorType type = TypeOf(*run.inputs()[i]);
    inputs.emplace_back(static_cast<size_t>(type.bytes()));
    ASSIGN_OR_RETURN(const bool is_exact, ReadOwnValues(files[i], type, inputs.back()));
    if (is_exact) continue;
    ASSIGN_OR_RETURN(const std::vector<double> values, ReadValues(files[i], type));
    RETURN_IF_ERROR(Annotate(StoreRealValues(type, values, inputs.back().data()), files[i]));
  }
  return inputs;
}

absl::StatusOr<std::vector<std::string>> InputFilesOf(const BundleRun& run,
                                                      const std::string& folder) {
  ASSIGN_OR_RETURN(const auto files, TensorFilesOf(folder));
  std::vector<std::string> inputs;
  for (size_t i = 0; i < run.inputs().size(); ++i) {
    const std::string stem = absl::StrCat("input_", i);
    const auto file = files.find(stem);
    if (file != files.end()) {
      inputs.push_back(file->second);
    } else if (!inputs.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(JoinPath(folder, stem),
                                                     ": is missing, expected a .npy or .bin file "
                                                     "for each input or for none"));
    } else {
      break;
    }
  }
  return inputs;
}

absl::StatusOr<FolderComparison> CompareWithFolder(BundleRun& run, const InputValues& inputs,
                                                   const std::string& folder) {
  ASSIGN_OR_RETURN(auto files, TensorFilesOf(folder));
  FolderComparer comparer(std::move(files));
  const std::vector<std::vector<std::string>> stems = StemsOf(run);
  RETURN_IF_ERROR(run.Run(Spans(inputs), [&](size_t layer, absl::Span<const void* const> outputs) {
    for (size_t o = 0; o < outputs.size(); ++o) {
      const ProgramTensor& tensor = run.layers()[layer].output(o);
      comparer.Add(stems[layer][o], run.layers()[layer].instruction->Label(), tensor.name,
                   tensor.type, outputs[o]);
    }
  }));
  for (size_t i = 0; i < inputs.size(); ++i) comparer.Skip(absl::StrCat("input_", i));
  for (size_t i = 0; i < run.outputs().size(); ++i) {
    const TensorMetadata& output = *run.outputs()[i];
    comparer.Add(absl::StrCat("output_", i), absl::StrCat("output ", i), output.name,
                 TypeOf(output), run.output(i).data());
  }
  ASSIGN_OR_RETURN(FolderComparison result, std::move(comparer).Finish());
  if (!result.tensors.empty()) return result;
  return absl::NotFoundError(absl::StrCat(
      folder, ": no .npy or .bin file has the name of a tensor, expected output_0.npy or ",
      run.layers().empty() ? "others" : absl::StrCat(stems[0][0], ".npy")));
}

}  // namespace synap_internal

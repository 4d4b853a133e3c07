// Metadata of a model's tensors, model.json, for applications. The compiler writes
// it, the runtime reads it.
#ifndef RUNTIME_BUNDLE_MODEL_METADATA_H_
#define RUNTIME_BUNDLE_MODEL_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"

namespace synap_internal {

enum class TensorLayout : uint8_t { kNone, kNchw, kNhwc };
enum class TensorSecurity : uint8_t { kNone, kAny, kSecure, kNonSecure, kSecureIfInputSecure };

// "secure-if-input-secure".
absl::string_view Name(TensorSecurity security);

// Mapping of pixels, 0 to 255, to real values: (pixel - mean) / scale. Each list has one value, or
// one for each channel of a tensor with 4 dimensions and a layout.
struct PixelMapping {
  std::vector<float> mean = {0};
  std::vector<float> scale = {1};  // none is 0
};

// One input or output. Value type; the comment names the member of model.json.
struct TensorMetadata {
  std::string name;                           // "name"
  Shape shape;                                // "shape"; a scalar has the shape {1}
  bool scalar = false;                        // "type": "scalar"
  TensorLayout layout = TensorLayout::kNone;  // "format"
  DataType dtype = DataType::kInvalid;        // "dtype"; kBool is written "byte"
  QuantParams quant;                          // "quantizer", "quantize"; per tensor
  std::string data_format;                    // "data_format": the metafile's format string
  std::optional<float> scale;                 // "scale", for inputs: divisor of assign
  std::vector<float> mean;                    // "mean", for inputs: subtrahend of assign
  // "pixels", for inputs without "scale" and "mean": the mapping of 8-bit values. "unknown" if
  // it isn't known, so that images can't be assigned.
  std::optional<PixelMapping> pixels;
  bool pixels_unknown = false;
  TensorSecurity security = TensorSecurity::kNone;  // "security"

  // Scale and mean of Tensor::assign. An absent scale is 1 / the quantizer's scale
  // (affine) or 1; an absent mean is the zero point (affine) or 0. So, without
  // either and without `pixels`, an affine tensor takes 8-bit data unchanged.
  float effective_scale() const;
  std::vector<float> effective_mean() const;

  // Channels of an image (a tensor with 4 dimensions and a layout); else 1.
  int64_t channels() const;
};

struct ModelMetadata {
  std::vector<TensorMetadata> inputs;   // "Inputs"
  std::vector<TensorMetadata> outputs;  // "Outputs"
  bool secure = false;                  // "secure"
  std::string delegate = "npu";         // "delegate": "npu", "cpu num_threads=2"
  // "profiling", only written if true: networks measure their layers without being asked to.
  bool profiling = false;
};

// Reads model.json. InvalidArgument naming the tensor, the member, the value found
// and the values expected. Unknown members are ignored.
absl::StatusOr<ModelMetadata> ParseModelMetadata(absl::string_view json);

// The inverse, indented by 4. A pure function of the metadata. InvalidArgument
// for data types and quantizers that model.json can't express (int64, per-channel),
// naming the tensor.
absl::StatusOr<std::string> PrintModelMetadata(const ModelMetadata& metadata);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_MODEL_METADATA_H_

// model.json: what an application must know of a model's tensors. The compiler
// writes it, the runtime reads it.
#ifndef RUNTIME_BUNDLE_MODEL_METADATA_H_
#define RUNTIME_BUNDLE_MODEL_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/tensor_type.h"

namespace synap {

enum class TensorLayout : uint8_t { kNone, kNchw, kNhwc };
enum class TensorSecurity : uint8_t { kNone, kAny, kSecure, kNonSecure, kSecureIfInputSecure };

// How the pixels of a picture, 0 to 255, become real values: (pixel - mean) / scale. Each list has
// one value, or one for each channel of a tensor with 4 dimensions and a layout.
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
  std::optional<float> scale;                 // "scale", for inputs: what assign divides by
  std::vector<float> mean;                    // "mean", for inputs: what assign subtracts
  // "pixels", for inputs without "scale" and "mean": what 8-bit values mean there. "unknown" if
  // pictures can't be assigned, because nothing says what their pixels mean.
  std::optional<PixelMapping> pixels;
  bool pixels_unknown = false;
  TensorSecurity security = TensorSecurity::kNone;  // "security"

  // What Tensor::assign uses. Where scale is absent: 1 / the quantization's
  // scale (affine), else 1; where mean is absent: the zero point (affine), else
  // 0. Without either, and without `pixels`, 8-bit data thus comes unchanged into
  // an affine tensor.
  float effective_scale() const;
  std::vector<float> effective_mean() const;

  // Of a picture: the tensor has 4 dimensions and a layout; else 1.
  int64_t channels() const;
};

struct ModelMetadata {
  std::vector<TensorMetadata> inputs;   // "Inputs"
  std::vector<TensorMetadata> outputs;  // "Outputs"
  bool secure = false;                  // "secure"
  std::string delegate = "npu";         // "delegate": "npu", "onnx cpu=1", ...
};

// Reads model.json. InvalidArgument naming the tensor and the member, with what
// was found and what was expected. Members that aren't known are ignored.
absl::StatusOr<ModelMetadata> ParseModelMetadata(absl::string_view json);

// The inverse, indented by 4. A pure function of the metadata. InvalidArgument
// for data types and quantizers that model.json has no word for (int64,
// per-channel), naming the tensor.
absl::StatusOr<std::string> PrintModelMetadata(const ModelMetadata& metadata);

}  // namespace synap

#endif  // RUNTIME_BUNDLE_MODEL_METADATA_H_

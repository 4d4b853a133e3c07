#include "synap/image_postprocessor.hpp"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/format_string.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::NoThrow;
using Result = ImagePostprocessor::Result;

std::string TypeOf(const Tensor& tensor) { return ::synap_internal::FormatType(tensor.format()); }

absl::Status OutputError(const Tensor& tensor, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("tensor '", tensor.name(), "': ", what));
}

absl::Status Append(const Tensor& tensor, std::vector<uint8_t>& data) {
  const auto* bytes = static_cast<const uint8_t*>(tensor.data());
  if (bytes == nullptr) return OutputError(tensor, "has no data; call predict() first");
  data.insert(data.end(), bytes, bytes + tensor.size());
  return absl::OkStatus();
}

// [channels, pixels] -> [pixels, channels], of items of `bytes` bytes.
std::vector<uint8_t> Interleaved(const std::vector<uint8_t>& planes, size_t channels,
                                 size_t bytes) {
  std::vector<uint8_t> result(planes.size());
  const size_t pixels = planes.size() / channels / bytes;
  const uint8_t* from = planes.data();
  for (size_t c = 0; c < channels; ++c) {
    for (size_t i = 0; i < pixels; ++i, from += bytes) {
      std::memcpy(&result[(i * channels + c) * bytes], from, bytes);
    }
  }
  return result;
}

std::string ExtensionOf(const Tensor& tensor) {
  const std::string type = TypeOf(tensor);
  if (!type.empty()) return type;
  switch (tensor.dimensions().c) {
    case 1:
      return "gray";
    case 3:
      return "rgb";
    case 4:
      return "bgra";
    default:
      return "dat";
  }
}

absl::StatusOr<Result> ReadImage(const Tensor& tensor) {
  const Dimensions d = tensor.dimensions();
  Result result;
  result.ext = ExtensionOf(tensor);
  result.dim = {d.w, d.h};
  const absl::Status status = Append(tensor, result.data);
  if (!status.ok()) return status;
  const bool is_colour = result.ext == "rgb" || result.ext == "bgr" || result.ext == "bgra";
  if (is_colour && tensor.layout() == Layout::nchw && d.c > 0) {
    result.data =
        Interleaved(result.data, static_cast<size_t>(d.c), tensor.size() / tensor.item_count());
  }
  result.success = true;
  return result;
}

absl::StatusOr<Result> JoinPlanes(const Tensor& first, const Tensor& second) {
  const bool is_luma_first = TypeOf(first) == "y8";
  const Tensor& y = is_luma_first ? first : second;
  const Tensor& uv = is_luma_first ? second : first;
  const std::string chroma = TypeOf(uv);
  if (TypeOf(y) != "y8" || (chroma != "uv8" && chroma != "vu8")) {
    return absl::InvalidArgumentError(absl::StrCat("the outputs' formats are '", TypeOf(first),
                                                   "' and '", TypeOf(second),
                                                   "', expected 'y8' and 'uv8' or 'vu8'"));
  }
  if (y.data_type() != uv.data_type() || uv.size() * 2 != y.size()) {
    return OutputError(
        uv, absl::StrCat("has ", uv.size(), " bytes of chroma, expected half of the ", y.size(),
                         " bytes of '", y.name(), "', of the same type"));
  }
  Result result;
  result.ext = chroma == "uv8" ? "nv12" : "nv21";
  result.dim = {y.dimensions().w, y.dimensions().h};
  absl::Status status = Append(y, result.data);
  if (status.ok()) status = Append(uv, result.data);
  if (!status.ok()) return status;
  result.success = true;
  return result;
}

Result Process(const Tensors& tensors) {
  absl::StatusOr<Result> result =
      tensors.size() == 1   ? ReadImage(tensors[0])
      : tensors.size() == 2 ? JoinPlanes(tensors[0], tensors[1])
                            : absl::InvalidArgumentError(absl::StrCat(
                                  "an image network has 1 or 2 outputs, not ", tensors.size()));
  if (result.ok()) return *std::move(result);
  SYNAP_LOG(kError, result.status().message());
  return {};
}

}  // namespace

ImagePostprocessor::Result ImagePostprocessor::process(const Tensors& tensors) {
  return NoThrow(__func__, Result(), [&] { return Process(tensors); });
}

}  // namespace synaptics::synap

#include "synap/preprocessor.hpp"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "base/status_macros.h"
#include "runtime/api/byte_normalizer.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/api/tensor_private.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/fit_picture.h"
#include "runtime/vision/format_string.h"
#include "runtime/vision/image.h"
#include "runtime/vision/image_rows.h"
#include "runtime/vision/input_data_private.h"
#include "runtime/vision/letterbox.h"
#include "runtime/vision/picture_format.h"
#include "runtime/vision/picture_tensors.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::ByteNormalizer;
using ::synap_internal::FormatType;
using ::synap_internal::ImageRows;
using ::synap_internal::ImageView;
using ::synap_internal::NoThrow;
using ::synap_internal::ParsePictureFormat;
using ::synap_internal::PictureFormat;
using ::synap_internal::PicturePlanes;
using ::synap_internal::PictureRegion;
using ::synap_internal::PictureTensor;
using ::synap_internal::PictureTensors;
using ::synap_internal::ViewRows;

bool IsBgr(const InputData& data) { return absl::StartsWith(data.format(), "bgr"); }

bool IsChroma(absl::string_view format) {
  return format == "uv8" || format == "vu8" || format == "u8" || format == "v8";
}

absl::Status InputError(const Tensor& tensor, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("tensor '", tensor.name(), "': ", what));
}

absl::Status AssignBytes(Tensor& tensor, const void* data, size_t size) {
  if (size != tensor.size()) {
    return InputError(
        tensor, absl::StrCat("Shape mismatch: ", size, " bytes of data, expected ", tensor.size()));
  }
  return tensor.assign(data, size) ? absl::OkStatus() : InputError(tensor, "assigning failed");
}

// The tensor's size and channels, and how the image is letterboxed.
absl::StatusOr<PictureTensor> MakePictureTensor(const Tensor& tensor, const PictureFormat& format,
                                                const ImageRows& image) {
  const Dimensions d = tensor.dimensions();
  PictureTensor picture;
  picture.width = d.w;
  picture.height = d.h;
  picture.channels = d.c;
  if (image.width() == d.w && image.height() == d.h) return picture;
  if (d.w > ::synap_internal::kMaxImageSide || d.h > ::synap_internal::kMaxImageSide ||
      int64_t{d.w} * d.h > ::synap_internal::kMaxImagePixels) {
    return InputError(
        tensor, absl::StrCat("is too large for an image: ", d.w, "x", d.h, ", expected at most ",
                             ::synap_internal::kMaxImagePixels, " pixels and ",
                             ::synap_internal::kMaxImageSide, " a side"));
  }
  if (!format.letterbox.ok()) return InputError(tensor, format.letterbox.status().message());
  picture.letterbox = *format.letterbox;
  return picture;
}

// Fits the image into a tensor of the picture's pixels. *assigned: the rectangle of the image that
// the tensor shows.
absl::Status Fit(const Tensor& tensor, const InputData& data, ImageRows& image,
                 const PictureTensor& picture, ::synap_internal::PixelFunction emit,
                 Rect* assigned) {
  const bool is_bgr = IsBgr(data);
  const absl::StatusOr<::synap_internal::LetterboxPlan> plan =
      ::synap_internal::FitPicture(image, is_bgr, picture, emit);
  if (!plan.ok()) {
    SYNAP_LOG(kError, plan.status().message());
    return InputError(tensor, "no image to assign");
  }
  ::synap_internal::KeepDimensions(data, image);
  *assigned = {{plan->assigned_x, plan->assigned_y}, {plan->assigned_width, plan->assigned_height}};
  return absl::OkStatus();
}

// The tensor's elements that are assigned piece by piece.
class PieceWriter {
 public:
  explicit PieceWriter(Tensor& tensor) : tensor_(tensor) {}

  absl::Status Begin() {
    Tensor::Private& d = *tensor_.priv();
    absl::StatusOr<ByteNormalizer> normalizer = ByteNormalizer::Create(d.normalization);
    if (!normalizer.ok()) return InputError(tensor_, normalizer.status().message());
    normalizer_ = *std::move(normalizer);
    data_ = d.Allocate();
    if (data_ == nullptr) return InputError(tensor_, "assigning failed");
    const size_t alignment = ::synap_internal::SizeOf(d.metadata.dtype);
    if (reinterpret_cast<uintptr_t>(data_) % alignment == 0) return absl::OkStatus();
    aligned_ = std::make_unique_for_overwrite<uint8_t[]>(d.size);
    return absl::OkStatus();
  }

  void Write(absl::Span<const uint8_t> values, size_t first) const {
    normalizer_->Run(values, first, aligned_ == nullptr ? data_ : aligned_.get());
  }

  void Finish() const {
    if (aligned_ != nullptr) std::memcpy(data_, aligned_.get(), tensor_.size());
  }

 private:
  Tensor& tensor_;
  absl::optional<ByteNormalizer> normalizer_;
  void* data_ = nullptr;
  std::unique_ptr<uint8_t[]> aligned_;  // for a buffer that isn't aligned for the elements
};

absl::Status CheckTakesPictures(const Tensor& tensor) {
  if (tensor.takes_pictures()) return absl::OkStatus();
  return InputError(
      tensor,
      "takes no pictures: neither the model's quantizer nor a metafile tells the values of "
      "pixels; convert the model with 'means' and 'scale' for this input");
}

absl::Status CheckConversion(const Tensor& tensor, const ImageRows& image) {
  const int channels = tensor.dimensions().c;
  if (image.channels() == channels) return absl::OkStatus();
  const absl::Status status = ::synap_internal::CheckChannels(image.channels(), channels);
  return status.ok() ? status : InputError(tensor, status.message());
}

// Checks that an image of `data` can be assigned to the tensor.
absl::Status CheckTakesImage(const Tensor& tensor, absl::string_view format,
                             const InputData& data) {
  const Dimensions d = tensor.dimensions();
  if (d.empty()) {
    return InputError(
        tensor, "Layout mismatch: no layout, expected 4 dimensions in nchw or nhwc for an image");
  }
  RETURN_IF_ERROR(CheckTakesPictures(tensor));
  if (d.n != 1)
    return InputError(tensor, absl::StrCat("Shape mismatch: a batch of ", d.n, ", expected 1"));
  if (IsChroma(format)) {
    return InputError(
        tensor, absl::StrCat("Format mismatch: ", data.format(), " image, expected ", format));
  }
  return absl::OkStatus();
}

// `image`: null if there is none.
absl::Status AssignImage(Tensor& tensor, const InputData& data, ImageRows* image, Rect* assigned) {
  if (image == nullptr) return InputError(tensor, "no image to assign");
  const PictureFormat format = ParsePictureFormat(tensor.format());
  RETURN_IF_ERROR(CheckTakesImage(tensor, format.type, data));
  RETURN_IF_ERROR(CheckConversion(tensor, *image));
  ASSIGN_OR_RETURN(PictureTensor picture, MakePictureTensor(tensor, format, *image));
  const bool is_bgr = IsBgr(data);
  picture.is_bgr = format.is_bgr;
  picture.is_planar = tensor.layout() == Layout::nchw && picture.channels > 1;
  const bool is_same = image->width() == picture.width && image->height() == picture.height &&
                       image->channels() == picture.channels && !picture.is_planar &&
                       (is_bgr == picture.is_bgr || picture.channels < 3);
  *assigned = {{0, 0}, {image->width(), image->height()}};
  if (is_same && image->pixels() != nullptr) {
    const bool done = tensor.assign(image->pixels(), picture.size());
    return done ? absl::OkStatus() : InputError(tensor, "assigning failed");
  }
  PieceWriter writer(tensor);
  RETURN_IF_ERROR(writer.Begin());
  const auto write = [&](absl::Span<const uint8_t> values, size_t first) {
    writer.Write(values, first);
  };
  RETURN_IF_ERROR(Fit(tensor, data, *image, picture, write, assigned));
  writer.Finish();
  return absl::OkStatus();
}

absl::Status AssignImage(Tensor& tensor, const InputData& data, const ImageView& image,
                         Rect* assigned) {
  ViewRows rows(image);
  return AssignImage(tensor, data, &rows, assigned);
}

// Whether the data is planes of the tensor's size in its order of channels, which need no
// conversion.
bool HasPlanesOf(const Tensor& tensor, const InputData& data) {
  const Dimensions d = data.dimensions(), wanted = tensor.dimensions();
  if (data.layout() != Layout::nchw || tensor.layout() != Layout::nchw) return false;
  if (d.w != wanted.w || d.h != wanted.h || d.c != wanted.c) return false;
  return d.c < 3 || IsBgr(data) == ParsePictureFormat(tensor.format()).is_bgr;
}

absl::Status AssignPlanarPixels(Tensor& tensor, const InputData& data) {
  RETURN_IF_ERROR(CheckTakesImage(tensor, FormatType(tensor.format()), data));
  const bool done = tensor.assign(static_cast<const uint8_t*>(data.data()), data.size());
  return done ? absl::OkStatus() : InputError(tensor, "assigning failed");
}

// Assigns pixels whose file doesn't give their size: as an image of the tensor's size if their
// number fits, else as raw bytes.
absl::Status AssignPixels(Tensor& tensor, const InputData& data, Rect* assigned) {
  const Dimensions d = tensor.dimensions();
  const int channels = data.format() == "gray" ? 1 : data.format() == "bgra" ? 4 : 3;
  const bool is_image = !d.empty() && d.w <= ::synap_internal::kMaxImageSide &&
                        d.h <= ::synap_internal::kMaxImageSide &&
                        int64_t{d.w} * d.h <= ::synap_internal::kMaxImagePixels &&
                        data.size() == static_cast<size_t>(d.w) * d.h * channels;
  if (!is_image) return AssignBytes(tensor, data.data(), data.size());
  const ImageView image(d.w, d.h, channels, static_cast<const uint8_t*>(data.data()));
  return AssignImage(tensor, data, image, assigned);
}

// Assigns nv12 or nv21 data to a tensor of RGB, gray or alpha.
absl::Status AssignYuvImage(Tensor& tensor, const InputData& data, Rect* assigned) {
  const std::string format = FormatType(tensor.format());
  const Dimensions d = tensor.dimensions();
  if (format == "y8" || IsChroma(format) || d.c == 2) {
    return InputError(tensor,
                      absl::StrCat("Format mismatch: ", data.format(),
                                   " data for one tensor, expected two, y8 and uv8 or vu8"));
  }
  const absl::StatusOr<std::unique_ptr<ImageRows>> image =
      ::synap_internal::OpenYuv(data, d.w, d.h, d.c);
  if (!image.ok()) return InputError(tensor, image.status().message());
  return AssignImage(tensor, data, image->get(), assigned);
}

absl::Status Assign(Tensor& tensor, const InputData& data, Rect* assigned) {
  const Dimensions d = tensor.dimensions();
  *assigned = {{0, 0}, {d.w, d.h}};
  switch (data.type()) {
    case InputType::raw:
      return AssignBytes(tensor, data.data(), data.size());
    case InputType::image_8bits:
      if (data.dimensions().empty()) return AssignPixels(tensor, data, assigned);
      if (HasPlanesOf(tensor, data)) return AssignPlanarPixels(tensor, data);
      return AssignImage(tensor, data, ::synap_internal::OpenPixels(data).get(), assigned);
    case InputType::encoded_image:
      return AssignImage(tensor, data, ::synap_internal::OpenPixels(data).get(), assigned);
    case InputType::nv12:
    case InputType::nv21:
      return AssignYuvImage(tensor, data, assigned);
    case InputType::invalid:
      break;
  }
  return InputError(tensor, "no data to assign");
}

// The luma plane if there are two, else the first tensor of the picture.
Tensor& LumaOf(Tensors& tensors, size_t index, const PictureTensors& picture) {
  const bool chroma_first =
      picture.planes == PicturePlanes::kSemiPlanar && tensors[index].dimensions().c == 2;
  return tensors[chroma_first ? index + 1 : index];
}

// `index`: of the luma or the chroma tensor, whichever is first.
absl::Status AssignYuv(Tensors& tensors, const InputData& data, size_t index,
                       const PictureTensors& picture, Rect* assigned) {
  Tensor* const y = &LumaOf(tensors, index, picture);
  Tensor* const uv = &tensors[y == &tensors[index] ? index + 1 : index];
  const Dimensions yd = y->dimensions();
  const std::string y_format = FormatType(y->format());
  const std::string uv_format = FormatType(uv->format());
  const bool is_nv12 = data.type() == InputType::nv12;
  if ((y_format != "y8" && !y_format.empty()) ||
      (uv_format != (is_nv12 ? "uv8" : "vu8") && !uv_format.empty())) {
    return InputError(*y, absl::StrCat("Format mismatch: ", data.format(), " data for tensors '",
                                       y_format, "' and '", uv_format, "', expected 'y8' and '",
                                       is_nv12 ? "uv8" : "vu8", "'"));
  }
  RETURN_IF_ERROR(CheckTakesPictures(*y));
  RETURN_IF_ERROR(CheckTakesPictures(*uv));
  const size_t luma = y->item_count();
  if (uv->item_count() != luma / 2 || data.size() != luma + luma / 2) {
    return InputError(*y, absl::StrCat("Shape mismatch: ", data.size(), " bytes of ", data.format(),
                                       " data, expected ", luma + uv->item_count()));
  }
  const Dimensions frame = data.dimensions();
  if (!frame.empty() && (frame.w != yd.w || frame.h != yd.h)) {
    return InputError(*y, absl::StrCat("Shape mismatch: a frame of ", frame.w, "x", frame.h,
                                       ", expected ", yd.w, "x", yd.h, " (width x height)"));
  }
  *assigned = {{0, 0}, {yd.w, yd.h}};
  const auto* bytes = static_cast<const uint8_t*>(data.data());
  const bool done = y->assign(bytes, luma) && uv->assign(bytes + luma, luma / 2);
  return done ? absl::OkStatus() : InputError(*y, "assigning failed");
}

// Raw data is all planes, one after the other.
absl::Status AssignRawPlanes(Tensors& tensors, const InputData& data, size_t index,
                             const PictureTensors& picture, Rect* assigned) {
  size_t expected = 0;
  for (size_t i = 0; i < picture.plane_count; ++i) expected += tensors[index + i].size();
  if (data.size() != expected) {
    return InputError(tensors[index],
                      absl::StrCat("Shape mismatch: ", data.size(), " bytes of data for ",
                                   picture.plane_count, " planes, expected ", expected));
  }
  const Dimensions d = LumaOf(tensors, index, picture).dimensions();
  *assigned = {{0, 0}, {d.w, d.h}};
  const auto* bytes = static_cast<const uint8_t*>(data.data());
  for (size_t i = 0; i < picture.plane_count; ++i) {
    Tensor& plane = tensors[index + i];
    RETURN_IF_ERROR(AssignBytes(plane, bytes, plane.size()));
    bytes += plane.size();
  }
  return absl::OkStatus();
}

absl::Status AssignRgbPlanes(Tensors& tensors, const InputData& data, size_t index,
                             Rect* assigned) {
  const std::unique_ptr<ImageRows> image = ::synap_internal::OpenPixels(data);
  if (image == nullptr) return InputError(tensors[index], "no image to assign");
  const absl::Status status = ::synap_internal::CheckChannels(image->channels(), 3);
  if (!status.ok()) return InputError(tensors[index], status.message());
  ASSIGN_OR_RETURN(
      PictureTensor picture,
      MakePictureTensor(tensors[index], ParsePictureFormat(tensors[index].format()), *image));
  picture.channels = 3;
  picture.is_planar = true;
  const auto planes = std::make_unique_for_overwrite<uint8_t[]>(picture.size());
  const auto write = [&](absl::Span<const uint8_t> values, size_t first) {
    std::memcpy(planes.get() + first, values.data(), values.size());
  };
  RETURN_IF_ERROR(Fit(tensors[index], data, *image, picture, write, assigned));
  const size_t size = picture.size() / 3;
  for (size_t i = 0; i < 3; ++i) {
    RETURN_IF_ERROR(AssignBytes(tensors[index + i], planes.get() + i * size, size));
  }
  return absl::OkStatus();
}

absl::Status AssignPlanes(Tensors& tensors, const InputData& data, size_t index,
                          const PictureTensors& picture, Rect* assigned) {
  const bool is_semi_planar = data.type() == InputType::nv12 || data.type() == InputType::nv21;
  if (picture.planes == PicturePlanes::kSemiPlanar && is_semi_planar) {
    return AssignYuv(tensors, data, index, picture, assigned);
  }
  // Without formats, one tensor of one channel may be a gray picture.
  const bool is_one = picture.planes == PicturePlanes::kOne ||
                      (picture.planes == PicturePlanes::kSemiPlanar && !picture.has_formats);
  if (is_one) return Assign(tensors[index], data, assigned);
  if (data.type() == InputType::raw) {
    return AssignRawPlanes(tensors, data, index, picture, assigned);
  }
  if (picture.planes == PicturePlanes::kRgb && !is_semi_planar) {
    return AssignRgbPlanes(tensors, data, index, assigned);
  }
  std::vector<std::string> formats;
  for (size_t i = 0; i < picture.plane_count; ++i) {
    formats.push_back(FormatType(tensors[index + i].format()));
  }
  return InputError(
      tensors[index],
      absl::StrCat("Format mismatch: ", data.format(), " data for the planes ",
                   absl::StrJoin(formats, ", "),
                   ", expected a frame of these planes; 'synap image_to_raw' makes nv12 "
                   "and nv21 frames of pictures"));
}

bool IsInside(const Rect& part, const Rect& whole) {
  return part.origin.x >= 0 && part.origin.y >= 0 && part.size.x > 0 && part.size.y > 0 &&
         int64_t{part.origin.x} + part.size.x <= whole.size.x &&
         int64_t{part.origin.y} + part.size.y <= whole.size.y;
}

// Assigns the region of interest, or the whole tensor if it is empty, to the scalars from `index`
// on. *assigned: in, the picture's rectangle that the whole tensor shows; out, that of the region.
absl::Status AssignRegion(Tensors& tensors, size_t index, const Rect& roi, const Dim2d& tensor,
                          const Dimensions& picture, Rect* assigned) {
  PictureRegion region{{{0, 0}, tensor}, *assigned};
  if (!roi.empty()) {
    const Rect whole = {{0, 0}, picture.empty() ? tensor : Dim2d{picture.w, picture.h}};
    if (!IsInside(roi, whole)) {
      return InputError(
          tensors[index],
          absl::StrCat("the region of interest at ", roi.origin.x, ",", roi.origin.y, " of ",
                       roi.size.x, "x", roi.size.y, " is outside of the image, expected a part of ",
                       whole.size.x, "x", whole.size.y));
    }
    region = ::synap_internal::MapRegion(roi, *assigned, tensor);
  }
  const Rect& part = region.in_tensor;
  const int32_t values[] = {part.size.x, part.size.y, part.origin.x, part.origin.y};
  for (size_t i = 0; i < std::size(values); ++i) {
    if (!tensors[index + i].assign(values[i])) {
      return InputError(tensors[index + i], "assigning the region failed");
    }
  }
  *assigned = region.in_picture;
  return absl::OkStatus();
}

absl::Status AssignPicture(Tensors& tensors, const InputData& data, size_t index, const Rect& roi,
                           Rect* assigned) {
  const PictureTensors picture = ::synap_internal::FindPictureTensors(tensors, index);
  const size_t numbers = index + picture.plane_count;
  if (!roi.empty() && !picture.has_region) {
    return absl::InvalidArgumentError(
        absl::StrCat("No cropping tensors at index: ", numbers,
                     ", expected four scalars; convert the model with 'crop: true'"));
  }
  RETURN_IF_ERROR(AssignPlanes(tensors, data, index, picture, assigned));
  if (!picture.has_region) return absl::OkStatus();
  const Dimensions d = LumaOf(tensors, index, picture).dimensions();
  return AssignRegion(tensors, numbers, roi, {d.w, d.h}, data.dimensions(), assigned);
}

// A tensor alone has no four scalars beside it that a region could be assigned to.
absl::Status AssignWithoutRegion(Tensor& tensor, const InputData& data, const Rect& roi,
                                 Rect* assigned) {
  if (roi.empty()) return Assign(tensor, data, assigned);
  return InputError(tensor,
                    "is assigned alone with a region of interest, expected it with the network's "
                    "cropping tensors; call assign(network.inputs, data, index)");
}

bool AssignTensor(Tensor& tensor, const InputData& data, const Rect& roi, Rect* assigned) {
  Rect rect;
  const absl::Status status = AssignWithoutRegion(tensor, data, roi, &rect);
  if (!status.ok()) {
    SYNAP_LOG(kError, status.message());
    return false;
  }
  if (assigned != nullptr) *assigned = rect;
  return true;
}

bool AssignTensors(Tensors& tensors, const InputData& data, size_t index, const Rect& roi,
                   Rect* assigned) {
  if (index >= tensors.size()) {
    SYNAP_LOG(kError, "no tensor at index ", index, ", expected less than ", tensors.size());
    return false;
  }
  Rect rect;
  const absl::Status status = AssignPicture(tensors, data, index, roi, &rect);
  if (!status.ok()) {
    SYNAP_LOG(kError, status.message());
    return false;
  }
  if (assigned != nullptr) *assigned = rect;
  return true;
}

}  // namespace

bool Preprocessor::assign(Tensor& tensor, const InputData& data, Rect* assigned) const {
  return NoThrow(__func__, false, [&] { return AssignTensor(tensor, data, roi_, assigned); });
}

bool Preprocessor::assign(Tensors& tensors, const InputData& data, size_t index,
                          Rect* assigned) const {
  return NoThrow(__func__, false,
                 [&] { return AssignTensors(tensors, data, index, roi_, assigned); });
}

}  // namespace synaptics::synap

#include "runtime/vision/input_data.h"

#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/image.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::Image;
using ::synap_internal::NoThrow;

struct Suffix {
  absl::string_view text;
  InputType type;
  absl::string_view format;
};

constexpr Suffix kSuffixes[] = {
    {"jpg", InputType::encoded_image, "rgb"},
    {"jpeg", InputType::encoded_image, "rgb"},
    {"png", InputType::encoded_image, "rgb"},
    {"bmp", InputType::encoded_image, "rgb"},
    {"bin", InputType::raw, ""},
    {"dat", InputType::raw, ""},
    {"nv21", InputType::nv21, "nv21"},
    {"yuv420sp", InputType::nv21, "nv21"},
    {"nv12", InputType::nv12, "nv12"},
    {"yvu420sp", InputType::nv12, "nv12"},
    {"rgb", InputType::image_8bits, "rgb"},
    {"bgr", InputType::image_8bits, "bgr"},
    {"bgra", InputType::image_8bits, "bgra"},
    {"gray", InputType::image_8bits, "gray"},
};

int32_t ChannelsOf(absl::string_view format) {
  if (format == "gray") return 1;
  return format == "bgra" ? 4 : 3;
}

bool IsImageSide(int32_t side) { return side > 0 && side <= ::synap_internal::kMaxImageSide; }

bool IsImageSize(int32_t width, int32_t height) {
  return IsImageSide(width) && IsImageSide(height) &&
         int64_t{width} * height <= ::synap_internal::kMaxImagePixels;
}

// "a/frame_640x480" -> 640 and 480.
bool SizeFromName(absl::string_view stem, int32_t* width, int32_t* height) {
  const size_t underscore = stem.rfind('_');
  if (underscore == absl::string_view::npos) return false;
  const absl::string_view size = stem.substr(underscore + 1);
  const size_t x = size.find('x');
  return x != absl::string_view::npos && absl::SimpleAtoi(size.substr(0, x), width) &&
         absl::SimpleAtoi(size.substr(x + 1), height) && IsImageSize(*width, *height);
}

void WarnOfLosses(const std::string& name, const ::synap_internal::ImageNotes& notes) {
  if (notes.is_cmyk) {
    SYNAP_LOG(kWarning, name,
              " is a CMYK image; its colours become RGB without their colour profile");
  }
  if (notes.has_transparency) {
    SYNAP_LOG(kWarning, name,
              " has transparent pixels; a tensor without alpha gets their stored colours");
  }
}

}  // namespace

// Several threads may ask for the pixels of the same object.
struct InputData::Pixels {
  std::mutex mutex;  // of the decoding; afterwards `image` doesn't change
  absl::optional<absl::StatusOr<Image>> image;

  static absl::StatusOr<Image> Of(const InputData& data);
};

InputData::InputData(const std::string& filename) {
  const bool is_read = NoThrow(__func__, false, [&] {
    Read(filename);
    return true;
  });
  if (!is_read) type_ = InputType::invalid;
}

void InputData::Read(const std::string& filename) {
  name_ = filename;
  pixels_ = std::make_unique<Pixels>();
  const size_t dot = filename.rfind('.');
  const std::string suffix = absl::AsciiStrToLower(
      dot == std::string::npos ? absl::string_view() : absl::string_view(filename).substr(dot + 1));
  const Suffix* found = nullptr;
  std::string expected;
  for (const Suffix& known : kSuffixes) {
    if (known.text == suffix) found = &known;
    absl::StrAppend(&expected, expected.empty() ? "." : ", .", known.text);
  }
  if (found == nullptr) {
    SYNAP_LOG(kError, "Unknown file type: ", filename, ", expected one of ", expected);
    return;
  }
  absl::StatusOr<std::string> content = ::synap_internal::ReadFile(filename);
  if (!content.ok()) {
    SYNAP_LOG(kError, content.status().message());
    return;
  }
  data_ = *std::move(content);
  type_ = found->type;
  format_ = std::string(found->format);
  if (type_ == InputType::image_8bits) ReadSizeFromName(filename.substr(0, dot));
}

void InputData::ReadSizeFromName(const std::string& filename) {
  int32_t width = 0;
  int32_t height = 0;
  if (!SizeFromName(filename, &width, &height)) return;
  const Shape shape = {1, height, width, ChannelsOf(format_)};
  if (shape.item_count() == data_.size()) {
    shape_ = shape;
    return;
  }
  SYNAP_LOG(kWarning, name_, ": has ", data_.size(), " bytes, expected the ", shape.item_count(),
            " of the size in its name, which is ignored");
}

InputData::InputData(const void* data, size_t size, InputType type, Shape shape, Layout layout,
                     std::string format)
    : format_(std::move(format)), shape_(std::move(shape)) {
  if (!NoThrow(__func__, false, [&] { return Copy(data, size); })) return;
  type_ = type;
  if (type == InputType::encoded_image) format_ = "rgb";
  if (type == InputType::image_8bits) CheckShape(layout);
}

bool InputData::Copy(const void* data, size_t size) {
  if (data == nullptr && size != 0) {
    SYNAP_LOG(kError, "no data: a null pointer and ", size, " bytes");
    return false;
  }
  name_ = "image in memory";
  pixels_ = std::make_unique<Pixels>();
  data_.assign(static_cast<const char*>(data), size);
  return true;
}

void InputData::CheckShape(Layout layout) {
  const bool valid = shape_.size() == 4 && shape_.valid() && shape_[0] == 1 &&
                     IsImageSize(shape_[2], shape_[1]) && shape_[3] <= 4 &&
                     shape_.item_count() == data_.size();
  if (valid && layout != Layout::nchw) return;
  type_ = InputType::invalid;
  SYNAP_LOG(
      kError, "the image has ", data_.size(),
      " bytes, expected an nhwc shape [1, height, width, channels] of as many bytes, at most ",
      ::synap_internal::kMaxImageSide, " a side and ", ::synap_internal::kMaxImagePixels,
      " pixels");
}

InputData::~InputData() = default;

InputData::InputData(InputData&& rhs) noexcept
    : name_(std::move(rhs.name_)),
      data_(std::move(rhs.data_)),
      type_(std::exchange(rhs.type_, InputType::invalid)),
      format_(std::move(rhs.format_)),
      shape_(std::move(rhs.shape_)),
      pixels_(std::move(rhs.pixels_)) {}

InputData& InputData::operator=(InputData&& rhs) noexcept {
  name_ = std::move(rhs.name_);
  data_ = std::move(rhs.data_);
  type_ = std::exchange(rhs.type_, InputType::invalid);
  format_ = std::move(rhs.format_);
  shape_ = std::move(rhs.shape_);
  pixels_ = std::move(rhs.pixels_);
  return *this;
}

Layout InputData::layout() const {
  return type_ == InputType::encoded_image || type_ == InputType::image_8bits ? Layout::nhwc
                                                                              : Layout::none;
}

const Image* InputData::image() const {
  return NoThrow(__func__, static_cast<const Image*>(nullptr), [&] { return Decoded(); });
}

const Image* InputData::Decoded() const {
  if (type_ == InputType::invalid) {
    SYNAP_LOG(kError, "the input data is empty, expected an image");
    return nullptr;
  }
  {
    // If memory is missing, nothing is stored, so that a later call may succeed.
    const std::lock_guard<std::mutex> lock(pixels_->mutex);
    if (!pixels_->image.has_value()) pixels_->image = Pixels::Of(*this);
  }
  const absl::StatusOr<Image>& image = *pixels_->image;
  if (image.ok()) return &*image;
  SYNAP_LOG(kError, image.status().message());
  return nullptr;
}

absl::StatusOr<Image> InputData::Pixels::Of(const InputData& data) {
  if (data.type_ == InputType::encoded_image) {
    ::synap_internal::ImageNotes notes;
    absl::StatusOr<Image> image = ::synap_internal::DecodeImage(
        {reinterpret_cast<const uint8_t*>(data.data_.data()), data.data_.size()}, data.name_,
        &notes);
    WarnOfLosses(data.name_, notes);
    return image;
  }
  if (data.type_ != InputType::image_8bits || data.shape_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(data.name_, ": has no known size, expected a name such as image_640x480.rgb"));
  }
  return Image{
      data.shape_[2], data.shape_[1], data.shape_[3], {data.data_.begin(), data.data_.end()}};
}

Dimensions InputData::dimensions() const {
  if (type_ == InputType::image_8bits) {
    return shape_.empty() ? Dimensions{} : Dimensions{1, shape_[1], shape_[2], shape_[3]};
  }
  const Image* pixels = type_ == InputType::encoded_image ? image() : nullptr;
  if (pixels == nullptr) return {};
  return {1, pixels->height, pixels->width, pixels->channels};
}

Shape InputData::shape() const {
  return NoThrow(__func__, Shape(), [&] {
    const Dimensions d = dimensions();
    return d.empty() ? shape_ : Shape{d.n, d.h, d.w, d.c};
  });
}

}  // namespace synaptics::synap

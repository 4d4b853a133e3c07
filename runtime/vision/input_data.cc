#include "runtime/vision/input_data.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "runtime/api/logging.h"
#include "runtime/vision/image.h"

namespace synaptics::synap {
namespace {

struct Suffix {
  absl::string_view text;
  InputType type;
  absl::string_view format;
};

constexpr Suffix kSuffixes[] = {
    {"jpg", InputType::encoded_image, "rgb"},
    {"jpeg", InputType::encoded_image, "rgb"},
    {"png", InputType::encoded_image, "rgb"},
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

bool IsImageSide(int32_t side) { return side > 0 && side <= ::synap::kMaxImageSide; }

// "a/frame_640x480" -> 640 and 480.
bool SizeFromName(absl::string_view stem, int32_t* width, int32_t* height) {
  const size_t underscore = stem.rfind('_');
  if (underscore == absl::string_view::npos) return false;
  const absl::string_view size = stem.substr(underscore + 1);
  const size_t x = size.find('x');
  return x != absl::string_view::npos && absl::SimpleAtoi(size.substr(0, x), width) &&
         absl::SimpleAtoi(size.substr(x + 1), height) && IsImageSide(*width) &&
         IsImageSide(*height);
}

}  // namespace

InputData::InputData(const std::string& filename) : name_(filename) {
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
    SYNAP_LOG(kError, "Unknown file type: ", filename, ", expected ", expected);
    return;
  }
  absl::StatusOr<std::string> content = ::synap::ReadFile(filename);
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
  SYNAP_LOG(kWarning, name_, " has ", data_.size(), " bytes, not the ", shape.item_count(),
            " of its name, which is ignored");
}

InputData::InputData(const void* data, size_t size, InputType type, Shape shape, Layout layout,
                     std::string format)
    : name_("image in memory"),
      data_(static_cast<const char*>(data), size),
      type_(type),
      format_(std::move(format)),
      shape_(std::move(shape)) {
  if (type != InputType::image_8bits) {
    if (type == InputType::encoded_image) format_ = "rgb";
    return;
  }
  const bool valid = shape_.size() == 4 && shape_.valid() && shape_[0] == 1 &&
                     IsImageSide(shape_[1]) && IsImageSide(shape_[2]) && shape_[3] <= 4 &&
                     shape_.item_count() == size;
  if (valid && layout != Layout::nchw) return;
  SYNAP_LOG(kError, "an image of ", size,
            " bytes, expected an nhwc shape [1, height, width, "
            "channels] of so many bytes");
  type_ = InputType::invalid;
}

InputData::~InputData() = default;
InputData::InputData(InputData&& rhs) noexcept = default;
InputData& InputData::operator=(InputData&& rhs) noexcept = default;

Layout InputData::layout() const {
  return type_ == InputType::encoded_image || type_ == InputType::image_8bits ? Layout::nhwc
                                                                              : Layout::none;
}

const ::synap::Image* InputData::image() const {
  if (image_ != nullptr) return image_.get();
  if (type_ == InputType::encoded_image) {
    absl::StatusOr<::synap::Image> decoded =
        ::synap::DecodeImage({reinterpret_cast<const uint8_t*>(data_.data()), data_.size()}, name_);
    if (!decoded.ok()) {
      SYNAP_LOG(kError, decoded.status().message());
      return nullptr;
    }
    image_ = std::make_unique<::synap::Image>(*std::move(decoded));
  } else if (type_ == InputType::image_8bits && !shape_.empty()) {
    image_ = std::make_unique<::synap::Image>();
    image_->height = shape_[1];
    image_->width = shape_[2];
    image_->channels = shape_[3];
    image_->pixels.assign(data_.begin(), data_.end());
  } else {
    SYNAP_LOG(kError, name_, " is no image of a known size");
  }
  return image_.get();
}

Dimensions InputData::dimensions() const {
  const bool is_image =
      type_ == InputType::encoded_image || (type_ == InputType::image_8bits && !shape_.empty());
  const ::synap::Image* pixels = is_image ? image() : nullptr;
  if (pixels == nullptr) return {};
  return {1, pixels->height, pixels->width, pixels->channels};
}

Shape InputData::shape() const {
  const Dimensions d = dimensions();
  return d.empty() ? shape_ : Shape{d.n, d.h, d.w, d.c};
}

}  // namespace synaptics::synap

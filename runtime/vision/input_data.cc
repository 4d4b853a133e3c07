#include "synap/input_data.hpp"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "runtime/api/lasting.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/vision/channel_order.h"
#include "runtime/vision/input_data_private.h"
#include "runtime/vision/yuv.h"

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

// The dimensions of a shape in the order of `layout`; all 0 if it is no image's.
Dimensions DimensionsOf(const Shape& shape, Layout layout) {
  if (shape.size() != 4 || !shape.valid() || shape[0] != 1) return {};
  const Dimensions d = layout == Layout::nchw ? Dimensions{1, shape[2], shape[3], shape[1]}
                                              : Dimensions{1, shape[1], shape[2], shape[3]};
  return IsImageSize(d.w, d.h) ? d : Dimensions{};
}

// Takes the size from a name such as frame_640x480.rgb, if it fits the number of bytes.
void ReadSizeFromName(const std::string& stem, InputData::Private& d) {
  int32_t width = 0;
  int32_t height = 0;
  if (!SizeFromName(stem, &width, &height)) return;
  const Shape shape = {1, height, width, ChannelsOf(d.format)};
  const size_t bytes =
      d.is_yuv() ? ::synap_internal::SemiPlanarBytes(width, height) : shape.item_count();
  if (bytes == d.bytes.size()) {
    d.shape = shape;
    d.dimensions = {1, height, width, shape[3]};
    return;
  }
  SYNAP_LOG(kWarning, d.name, ": has ", d.bytes.size(), " bytes, expected the ", bytes,
            " of the size in its name, which is ignored");
}

bool ReadInto(const std::string& filename, InputData::Private& d) {
  d.name = filename;
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
    return false;
  }
  absl::StatusOr<std::string> content = ::synap_internal::ReadFile(filename);
  if (!content.ok()) {
    SYNAP_LOG(kError, content.status().message());
    return false;
  }
  d.bytes = *std::move(content);
  d.type = found->type;
  d.format = std::string(found->format);
  if (d.type == InputType::encoded_image) d.layout = Layout::nhwc;
  if (d.type == InputType::image_8bits) d.layout = Layout::nhwc;
  if (d.type == InputType::image_8bits || d.is_yuv()) ReadSizeFromName(filename.substr(0, dot), d);
  return true;
}

// False, with an error logged, for a shape that doesn't fit; nv12 and nv21 may have none.
bool SetYuvDimensions(const Dimensions& dimensions, InputData::Private& d) {
  if (d.shape.empty()) return true;
  const size_t bytes = ::synap_internal::SemiPlanarBytes(dimensions.w, dimensions.h);
  if (bytes != 0 && bytes == d.bytes.size()) {
    d.dimensions = {1, dimensions.h, dimensions.w, 3};
    return true;
  }
  SYNAP_LOG(kError, "the ", d.format, " image of shape ", absl::StrJoin(d.shape, "x"), " has ",
            d.bytes.size(), " bytes, expected width * height * 3 / 2 of an even width and height, ",
            "at most ", ::synap_internal::kMaxImageSide, " a side and ",
            ::synap_internal::kMaxImagePixels, " pixels");
  return false;
}

// False, with an error logged, for pixels whose shape doesn't fit.
bool SetDimensions(Layout layout, InputData::Private& d) {
  const Dimensions dimensions = DimensionsOf(d.shape, layout);
  if (d.is_yuv()) return SetYuvDimensions(dimensions, d);
  if (d.type != InputType::image_8bits) return true;
  d.layout = layout == Layout::nchw ? Layout::nchw : Layout::nhwc;
  d.dimensions = dimensions;
  if (!dimensions.empty() && dimensions.c <= 4 && d.shape.item_count() == d.bytes.size()) {
    return true;
  }
  SYNAP_LOG(kError, "the image has ", d.bytes.size(),
            " bytes, expected a shape [1, height, width, channels], or [1, channels, height, "
            "width] with layout nchw, of as many bytes, at most 4 channels, ",
            ::synap_internal::kMaxImageSide, " a side and ", ::synap_internal::kMaxImagePixels,
            " pixels");
  return false;
}

bool Copy(const void* data, size_t size, InputType type, Layout layout, InputData::Private& d) {
  if (data == nullptr && size != 0) {
    SYNAP_LOG(kError, "no data: a null pointer and ", size, " bytes");
    return false;
  }
  d.name = "image in memory";
  d.bytes.assign(static_cast<const char*>(data), size);
  d.type = type;
  if (type == InputType::encoded_image) {
    d.format = "rgb";
    d.layout = Layout::nhwc;
  } else if (d.is_yuv()) {
    d.format = type == InputType::nv12 ? "nv12" : "nv21";
  }
  return SetDimensions(layout, d);
}

absl::StatusOr<Image> Decode(const InputData::Private& d, ::synap_internal::ImageNotes* notes) {
  if (d.type == InputType::encoded_image) {
    return ::synap_internal::DecodeImage(d.span(), d.name, notes);
  }
  if (d.type != InputType::image_8bits || d.dimensions.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(d.name, ": has no known size, expected a name such as image_640x480.rgb"));
  }
  const int width = d.dimensions.w;
  const int height = d.dimensions.h;
  return ::synap_internal::FromPlanar(d.span(), width, height, d.dimensions.c);
}

// Whether the bytes are interleaved pixels of a known size.
bool HasPixels(const InputData::Private& d) {
  return d.type == InputType::image_8bits && d.layout == Layout::nhwc && !d.dimensions.empty();
}

}  // namespace

InputData::InputData(const std::string& filename) {
  NoThrow(__func__, false, [&] {
    auto d = std::make_unique<Private>();
    if (ReadInto(filename, *d)) d_ = std::move(d);
    return true;
  });
}

InputData::InputData(const void* data, size_t size, InputType type, Shape shape, Layout layout,
                     std::string format) {
  NoThrow(__func__, false, [&] {
    auto d = std::make_unique<Private>();
    d->shape = std::move(shape);
    d->format = std::move(format);
    if (Copy(data, size, type, layout, *d)) d_ = std::move(d);
    return true;
  });
}

InputData::~InputData() = default;
InputData::InputData(InputData&& rhs) noexcept = default;
InputData& InputData::operator=(InputData&& rhs) noexcept = default;

InputType InputData::type() const { return d_ == nullptr ? InputType::invalid : d_->type; }

const void* InputData::data() const {
  return d_ == nullptr || d_->bytes.empty() ? nullptr : d_->bytes.data();
}

size_t InputData::size() const { return d_ == nullptr ? 0 : d_->bytes.size(); }

const std::string& InputData::format() const {
  static const ::synap_internal::Lasting<std::string> none;
  return d_ == nullptr ? *none.get() : d_->format;
}

Layout InputData::layout() const { return d_ == nullptr ? Layout::none : d_->layout; }

Dimensions InputData::dimensions() const {
  if (type() != InputType::encoded_image) return d_ == nullptr ? Dimensions{} : d_->dimensions;
  {
    const std::lock_guard<std::mutex> lock(d_->mutex);
    if (!d_->read_dimensions.empty()) return d_->read_dimensions;
  }
  const auto pixels = ::synap_internal::DecodedImage(*this);
  if (!pixels.has_value()) return {};
  return {1, pixels->height, pixels->width, pixels->channels};
}

Shape InputData::shape() const {
  return NoThrow(__func__, Shape(), [&] {
    if (d_ == nullptr) return Shape();
    if (type() != InputType::encoded_image) return d_->shape;
    const Dimensions d = dimensions();
    return d.empty() ? Shape() : Shape{d.n, d.h, d.w, d.c};
  });
}

}  // namespace synaptics::synap

namespace synap_internal {

using synaptics::synap::InputData;
using synaptics::synap::InputType;

absl::optional<ImageView> DecodedImage(const InputData& data) {
  using View = absl::optional<ImageView>;
  return NoThrow(__func__, View(), [&]() -> View {
    if (data.empty()) {
      SYNAP_LOG(kError, "the input data is empty, expected an image");
      return absl::nullopt;
    }
    const InputData::Private& d = *data.priv();
    if (synaptics::synap::HasPixels(d)) {
      const synaptics::synap::Dimensions& size = d.dimensions;
      return ImageView(size.w, size.h, size.c, d.span().data());
    }
    ImageNotes notes;
    {
      // If memory is missing, nothing is stored, so that a later call may succeed.
      const std::lock_guard<std::mutex> lock(d.mutex);
      if (!d.image.has_value()) d.image = synaptics::synap::Decode(d, &notes);
    }
    // Without the mutex: a receiver of messages may use the data itself.
    synaptics::synap::WarnOfLosses(d.name, notes);
    if (d.image->ok()) return ImageView(**d.image);
    SYNAP_LOG(kError, d.image->status().message());
    return absl::nullopt;
  });
}

std::unique_ptr<ImageRows> OpenPixels(const InputData& data) {
  using Rows = std::unique_ptr<ImageRows>;
  return NoThrow(__func__, Rows(), [&]() -> Rows {
    if (data.type() == InputType::encoded_image) {
      const InputData::Private& d = *data.priv();
      bool is_first = false;
      {
        const std::lock_guard<std::mutex> lock(d.mutex);
        is_first = !d.was_opened && !d.image.has_value();
        d.was_opened = true;
      }
      if (is_first) {
        absl::StatusOr<Rows> rows = StreamImage(d.span(), d.name);
        // DecodedImage logs what is wrong with others.
        if (rows.ok() && *rows != nullptr) return *std::move(rows);
      }
    }
    const absl::optional<ImageView> view = DecodedImage(data);
    return view.has_value() ? std::make_unique<ViewRows>(*view) : nullptr;
  });
}

void KeepDimensions(const InputData& data, const ImageRows& image) {
  if (data.type() != InputType::encoded_image) return;
  const InputData::Private& d = *data.priv();
  const std::lock_guard<std::mutex> lock(d.mutex);
  d.read_dimensions = {1, image.height(), image.width(), image.channels()};
}

absl::StatusOr<std::unique_ptr<ImageRows>> OpenYuv(const InputData& data, int width, int height,
                                                   int channels) {
  const synaptics::synap::Dimensions known = data.dimensions();
  if (!known.empty()) {
    width = known.w;
    height = known.h;
  }
  const size_t expected = SemiPlanarBytes(width, height);
  if (expected == 0 || expected != data.size() || !synaptics::synap::IsImageSize(width, height)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Shape mismatch: ", data.size(), " bytes of ", data.format(),
                     " data of unknown size, expected ", expected, " for ", width, "x", height,
                     ", or a file name such as frame_640x480.", data.format()));
  }
  const absl::Span<const uint8_t> bytes = data.priv()->span();
  if (channels == 1) {
    return std::make_unique<ViewRows>(SemiPlanarLuma(bytes, width, height));
  }
  const auto order = data.type() == InputType::nv12 ? ChromaOrder::kUv : ChromaOrder::kVu;
  return std::make_unique<SemiPlanarRows>(bytes, width, height, order);
}

}  // namespace synap_internal

#include "runtime/vision/png.h"

#include <spng.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "base/check.h"
#include "runtime/vision/orientation.h"

namespace synap_internal {
namespace {

struct ContextDeleter {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, ContextDeleter>;

// Whether an allocation of libspng, or of zlib below it, has failed in this thread's decoder. The
// codes don't tell: a stream that zlib has no memory for counts as damaged.
thread_local bool is_out_of_memory = false;

void* Noted(void* memory) {
  is_out_of_memory = is_out_of_memory || memory == nullptr;
  return memory;
}

Context MakeDecoder() {
  is_out_of_memory = false;
  spng_alloc allocator = {
      [](size_t size) { return Noted(std::malloc(size)); },
      [](void* memory, size_t size) { return Noted(std::realloc(memory, size)); },
      [](size_t count, size_t size) { return Noted(std::calloc(count, size)); }, std::free};
  Context context(spng_ctx_new2(&allocator, 0));
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

// Returns `code`. Throws std::bad_alloc for want of memory, which says nothing about the image.
int CheckMemory(int code) {
  if (code != 0 && is_out_of_memory) throw std::bad_alloc();
  return code;
}

absl::Status PngError(int code) {
  return absl::InvalidArgumentError(spng_strerror(CheckMemory(code)));
}

// The pixel format to decode to, and the channels that the image then has.
struct Target {
  spng_format format;
  int decoded_channels;
  int channels;
  int flags = 0;
};

Target TargetOf(const spng_ihdr& header, bool palette_has_alpha) {
  switch (header.color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
      // libspng makes gray bytes of up to 8 bits only.
      if (header.bit_depth <= 8) return {SPNG_FMT_G8, 1, 1};
      return {SPNG_FMT_RGB8, 3, 1};
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return {SPNG_FMT_RGBA8, 4, 1};
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      return {SPNG_FMT_RGBA8, 4, 4};
    case SPNG_COLOR_TYPE_INDEXED:
      if (palette_has_alpha) return {SPNG_FMT_RGBA8, 4, 4, SPNG_DECODE_TRNS};
      return {SPNG_FMT_RGB8, 3, 3};
    default:
      return {SPNG_FMT_RGB8, 3, 3};
  }
}

absl::Status CheckSize(const spng_ihdr& header, size_t bytes) {
  const int64_t pixels = int64_t{header.width} * header.height;
  const std::string size = absl::StrCat(header.width, "x", header.height);
  if (pixels > kMaxImagePixels) {
    return absl::InvalidArgumentError(
        absl::StrCat("its size ", size, " is above the limit of ", kMaxImagePixels, " pixels"));
  }
  // Deflate shrinks at most 1032 times, and a pixel has at least one bit: a header that promises
  // more than that is refused before memory is taken for it.
  if (pixels / 8 / 1032 > static_cast<int64_t>(bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its data end early: ", bytes, " bytes for ", size, " pixels"));
  }
  return absl::OkStatus();
}

// RGBA without transparent pixels.
bool IsOpaque(const Image& image) {
  for (size_t i = 3; i < image.pixels.size(); i += 4) {
    if (image.pixels[i] != 255) return false;
  }
  return true;
}

// Of the chunks that are read so far; nothing without an EXIF chunk.
absl::optional<int> OrientationOf(spng_ctx* context) {
  spng_exif exif = {};
  if (CheckMemory(spng_get_exif(context, &exif)) != 0) return absl::nullopt;
  return ExifOrientation({reinterpret_cast<const uint8_t*>(exif.data), exif.length});
}

// REQUIRES: the pixels are decoded.
int LateOrientationOf(spng_ctx* context) {
  // Damage after the pixels doesn't matter: nothing there is used.
  CheckMemory(spng_decode_chunks(context));
  return OrientationOf(context).value_or(1);
}

// Keeps the first of each pixel's values, which is gray where all colours are equal.
Image FirstChannel(const Image& image) {
  Image gray = MakeImage(image.width, image.height, 1);
  for (size_t i = 0; i < gray.pixels.size(); ++i) gray.pixels[i] = image.pixels[i * image.channels];
  return gray;
}

}  // namespace

absl::StatusOr<Image> DecodePng(absl::Span<const uint8_t> bytes, ImageNotes& notes) {
  const Context context = MakeDecoder();
  spng_set_image_limits(context.get(), kMaxImageSide, kMaxImageSide);
  // Text and profiles aren't used here and may inflate to any size.
  spng_set_chunk_limits(context.get(), size_t{16} << 20, size_t{32} << 20);
  spng_ihdr header = {};
  int code = spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
  if (code == 0) code = spng_get_ihdr(context.get(), &header);
  if (code != 0) return PngError(code);
  if (const absl::Status status = CheckSize(header, bytes.size()); !status.ok()) return status;
  spng_trns transparency = {};
  const bool has_transparency = CheckMemory(spng_get_trns(context.get(), &transparency)) == 0;
  const Target target = TargetOf(header, has_transparency);
  // Read now: damage after the pixels makes libspng forget the chunks before them.
  const absl::optional<int> orientation = OrientationOf(context.get());
  Image image = MakeImage(static_cast<int>(header.width), static_cast<int>(header.height),
                          target.decoded_channels);
  code = spng_decode_image(context.get(), image.pixels.data(), image.pixels.size(), target.format,
                           target.flags);
  if (code != 0) return PngError(code);
  if (target.channels != target.decoded_channels) {
    notes.has_transparency = target.decoded_channels == 4 && !IsOpaque(image);
    image = FirstChannel(image);
  }
  return Upright(std::move(image),
                 orientation.has_value() ? *orientation : LateOrientationOf(context.get()));
}

absl::StatusOr<std::string> EncodePngBytes(const Image& image) {
  const Context context(spng_ctx_new(SPNG_CTX_ENCODER));
  if (context == nullptr) return absl::ResourceExhaustedError("out of memory");
  spng_ihdr header = {};
  header.width = static_cast<uint32_t>(image.width);
  header.height = static_cast<uint32_t>(image.height);
  header.bit_depth = 8;
  CHECK(image.channels == 1 || image.channels == 3 || image.channels == 4);
  header.color_type = image.channels == 1   ? SPNG_COLOR_TYPE_GRAYSCALE
                      : image.channels == 3 ? SPNG_COLOR_TYPE_TRUECOLOR
                                            : SPNG_COLOR_TYPE_TRUECOLOR_ALPHA;
  int code = spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  if (code == 0) code = spng_set_ihdr(context.get(), &header);
  if (code == 0) {
    code = spng_encode_image(context.get(), image.pixels.data(), image.pixels.size(), SPNG_FMT_PNG,
                             SPNG_ENCODE_FINALIZE);
  }
  size_t size = 0;
  void* bytes = code == 0 ? spng_get_png_buffer(context.get(), &size, &code) : nullptr;
  if (bytes == nullptr) return absl::InternalError(absl::StrCat("PNG: ", spng_strerror(code)));
  std::string result(static_cast<const char*>(bytes), size);
  std::free(bytes);
  return result;
}

}  // namespace synap_internal

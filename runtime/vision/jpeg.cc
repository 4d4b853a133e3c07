#include "runtime/vision/jpeg.h"

#include <jpeglib.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// After jpeglib.h, whose types it uses.
#include <jerror.h>

#include <new>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "runtime/vision/orientation.h"

namespace synap_internal {
namespace {

// A progressive image needs about ten scans; each costs a pass over the whole image, and a file of
// a few kilobytes can hold thousands.
constexpr int kMaxScans = 100;

// libjpeg's default handler ends the process. This one keeps the message and jumps back; so no
// function between setjmp and libjpeg may hold an object with a destructor.
struct ErrorHandler {
  jpeg_error_mgr base;  // first: libjpeg's pointer to it is a pointer to us
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void Fail(j_common_ptr info) {
  auto* handler = reinterpret_cast<ErrorHandler*>(info->err);
  info->err->format_message(info, handler->message);
  std::longjmp(handler->jump, 1);
}

// The error of what jumped back. Throws std::bad_alloc for want of memory, which says nothing about
// the image.
absl::Status ErrorOf(const ErrorHandler& handler) {
  if (handler.base.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
  return absl::InvalidArgumentError(handler.message);
}

// libjpeg goes on with gray pixels where data are damaged or end early. That is no image to
// calibrate with; other warnings (unusual markers) are harmless.
void OnMessage(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
      Fail(info);
    default:
      break;
  }
}

void OnProgress(j_common_ptr info) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  if (decoder->input_scan_number <= kMaxScans) return;
  auto* handler = reinterpret_cast<ErrorHandler*>(info->err);
  std::snprintf(handler->message, sizeof(handler->message), "more than %d scans", kMaxScans);
  std::longjmp(handler->jump, 1);
}

void InitHandler(ErrorHandler& handler) {
  jpeg_std_error(&handler.base);
  handler.base.error_exit = Fail;
  handler.base.emit_message = OnMessage;
  handler.base.output_message = [](j_common_ptr) {};
}

// Everything but the pixels' memory, which comes from the caller between the two.
class Decoder {
 public:
  Decoder() {
    InitHandler(handler_);
    info_.err = &handler_.base;
    progress_.progress_monitor = OnProgress;
  }
  ~Decoder() { jpeg_destroy_decompress(&info_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Reads up to the size. False: see Error().
  bool Begin(absl::Span<const uint8_t> bytes) {
    if (setjmp(handler_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, bytes.data(), bytes.size());
    jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = info_.num_components == 1   ? JCS_GRAYSCALE
                            : info_.num_components == 4 ? JCS_CMYK
                                                        : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    info_.do_fancy_upsampling = TRUE;
    info_.do_block_smoothing = FALSE;  // invents detail that a progressive image left out
    jpeg_calc_output_dimensions(&info_);
    return true;
  }

  // Decodes the next rows, and checks the end of the file after the last one. One call for many
  // rows takes less time than many calls.
  bool Read(const JSAMPROW* rows, size_t count) {
    if (setjmp(handler_.jump) != 0) return false;
    if (!is_started_) jpeg_start_decompress(&info_);
    is_started_ = true;
    const JDIMENSION end = info_.output_scanline + static_cast<JDIMENSION>(count);
    for (JDIMENSION read = 0; info_.output_scanline < end;) {
      // libjpeg doesn't change the pointers.
      read += jpeg_read_scanlines(&info_, const_cast<JSAMPARRAY>(rows) + read,
                                  end - info_.output_scanline);
    }
    if (info_.output_scanline == info_.output_height) jpeg_finish_decompress(&info_);
    return true;
  }

  int64_t width() const { return info_.output_width; }
  int64_t height() const { return info_.output_height; }
  int channels() const { return info_.output_components; }
  bool is_cmyk() const { return info_.out_color_space == JCS_CMYK; }
  // Of the first EXIF segment before the pixels; 1 if there is none.
  int orientation() const {
    constexpr absl::string_view kExif("Exif\0\0", 6);
    for (const jpeg_marker_struct* m = info_.marker_list; m != nullptr; m = m->next) {
      const absl::Span<const uint8_t> data(m->data, m->data_length);
      const bool is_exif =
          data.size() >= kExif.size() && std::equal(kExif.begin(), kExif.end(), data.begin());
      if (is_exif) return ExifOrientation(data.subspan(kExif.size()));
    }
    return 1;
  }
  // Of the call that has failed.
  absl::Status Error() const { return ErrorOf(handler_); }

 private:
  ErrorHandler handler_ = {};
  jpeg_progress_mgr progress_ = {};
  jpeg_decompress_struct info_ = {};
  bool is_started_ = false;
};

// Reads up to the size, which is one that memory may be taken for.
absl::Status Begin(absl::Span<const uint8_t> bytes, Decoder& decoder) {
  if (!decoder.Begin(bytes)) return decoder.Error();
  const int64_t pixels = decoder.width() * decoder.height();
  if (pixels > kMaxImagePixels) {
    return absl::InvalidArgumentError(absl::StrCat("its size ", decoder.width(), "x",
                                                   decoder.height(), " is above the limit of ",
                                                   kMaxImagePixels, " pixels"));
  }
  // A block of 8x8 takes at least one bit, and chroma blocks stand for up to 16 of them: a header
  // that promises more than that is refused before memory is taken for it.
  if (pixels / (64 * 16) > static_cast<int64_t>(bytes.size()) * 8) {
    return absl::InvalidArgumentError(absl::StrCat("its data end early: ", bytes.size(),
                                                   " bytes for ", decoder.width(), "x",
                                                   decoder.height(), " pixels"));
  }
  return absl::OkStatus();
}

// Rows that are decoded at a time: those of a row of blocks with subsampled chroma.
constexpr size_t kRowsAtATime = 16;

absl::Status NotAnImage(absl::string_view name, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(name, " is not an image: ", message));
}

class JpegRows final : public ImageRows {
 public:
  JpegRows(std::unique_ptr<Decoder> decoder, absl::string_view name)
      : ImageRows(static_cast<int>(decoder->width()), static_cast<int>(decoder->height()),
                  decoder->channels()),
        decoder_(std::move(decoder)),
        name_(name) {}

 private:
  absl::Status ReadNext(absl::Span<const uint8_t*> rows) override {
    if (pixels_.size() < rows.size() * row_bytes()) pixels_.resize(rows.size() * row_bytes());
    for (size_t begin = 0; begin < rows.size(); begin += kRowsAtATime) {
      const size_t count = std::min(kRowsAtATime, rows.size() - begin);
      JSAMPROW to[kRowsAtATime];
      for (size_t i = 0; i < count; ++i) {
        to[i] = pixels_.data() + (begin + i) * row_bytes();
        rows[begin + i] = to[i];
      }
      if (!decoder_->Read(to, count)) return NotAnImage(name_, decoder_->Error().message());
    }
    return absl::OkStatus();
  }

  std::unique_ptr<Decoder> decoder_;
  const std::string name_;
  std::vector<uint8_t> pixels_;  // of the rows of the latest call
};

// 255 is no ink. The products are rounded to nearest, as other programs do it.
Image CmykToRgb(const Image& cmyk) {
  Image rgb = MakeImage(cmyk.width, cmyk.height, 3);
  for (size_t i = 0; i < rgb.pixels.size(); ++i) {
    const uint8_t* pixel = &cmyk.pixels[i / 3 * 4];
    rgb.pixels[i] = static_cast<uint8_t>((pixel[i % 3] * pixel[3] + 127) / 255);
  }
  return rgb;
}

// The encoder's part that can jump. `*bytes` comes from malloc.
bool Encode(const Image& image, int quality, jpeg_compress_struct& info, ErrorHandler& handler,
            unsigned char** bytes, unsigned long* size) {  // NOLINT(runtime/int): libjpeg's type
  if (setjmp(handler.jump) != 0) return false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, bytes, size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  info.input_components = image.channels;
  info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.dct_method = JDCT_ISLOW;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(image.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

absl::StatusOr<Image> DecodeJpeg(absl::Span<const uint8_t> bytes, ImageNotes& notes) {
  Decoder decoder;
  RETURN_IF_ERROR(Begin(bytes, decoder));
  Image image = MakeImage(static_cast<int>(decoder.width()), static_cast<int>(decoder.height()),
                          decoder.channels());
  const int orientation = decoder.orientation();  // the end forgets it
  for (int y = 0; y < image.height;) {
    JSAMPROW rows[kRowsAtATime];
    const size_t count = std::min(kRowsAtATime, static_cast<size_t>(image.height - y));
    for (size_t i = 0; i < count; ++i) rows[i] = image.row(y++);
    if (!decoder.Read(rows, count)) return decoder.Error();
  }
  notes.is_cmyk = decoder.is_cmyk();
  if (notes.is_cmyk) image = CmykToRgb(image);
  return Upright(std::move(image), orientation);
}

absl::StatusOr<std::unique_ptr<ImageRows>> OpenJpegRows(absl::Span<const uint8_t> bytes,
                                                        absl::string_view name) {
  auto decoder = std::make_unique<Decoder>();
  const absl::Status begun = Begin(bytes, *decoder);
  if (!begun.ok()) return NotAnImage(name, begun.message());
  if (decoder->is_cmyk() || decoder->orientation() != 1) return nullptr;
  return std::make_unique<JpegRows>(std::move(decoder), name);
}

absl::StatusOr<std::string> EncodeJpegBytes(const Image& image, int quality) {
  CHECK(image.channels == 1 || image.channels == 3);
  ErrorHandler handler = {};
  InitHandler(handler);
  jpeg_compress_struct info = {};
  info.err = &handler.base;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(runtime/int): libjpeg's type
  const bool done = Encode(image, quality, info, handler, &bytes, &size);
  const auto release = absl::MakeCleanup([&] {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  });
  if (!done) return absl::InternalError(absl::StrCat("JPEG encoder: ", handler.message));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace synap_internal

// Data for a network's inputs, from a file or from memory, with its type, shape and
// format.
#ifndef RUNTIME_VISION_INPUT_DATA_H_
#define RUNTIME_VISION_INPUT_DATA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/api/types.h"

namespace synap_internal {
struct Image;
}

namespace synaptics::synap {

enum class InputType {
  invalid,
  raw,            // bytes in the tensor's own type and layout
  encoded_image,  // JPEG, PNG or BMP
  image_8bits,    // 8-bit pixels, nhwc
  nv12,           // 8-bit luma plane, then u and v interleaved at half the size
  nv21,           // the same with v before u
};

// Immutable: any number of threads may use it. The data is kept in its original form: an image
// file stays encoded. If data can't be read or memory is missing, the object is empty and an error
// is logged; the constructors throw no exception.
class InputData {
 public:
  // Reads a file. Its suffix gives the type: jpg, jpeg, png, bmp; raw data in bin,
  // dat; nv21 (yuv420sp), nv12 (yvu420sp); 8-bit pixels in rgb, bgr, bgra, gray,
  // whose size is at the end of the name, as in frame_640x480.rgb. If the file
  // can't be read or its suffix is unknown, an error is logged and the object is
  // empty.
  explicit InputData(const std::string& filename);

  // Copies `size` bytes. image_8bits needs a shape [1, height, width, channels] of at most 65535 a
  // side and 2^26 pixels; layout is the order of shape. Encoded images need no shape.
  InputData(const void* data, size_t size, InputType type, Shape shape = {},
            Layout layout = Layout::none, std::string format = "");
  ~InputData();
  InputData(const InputData&) = delete;
  InputData& operator=(const InputData&) = delete;
  InputData(InputData&& rhs) noexcept;
  InputData& operator=(InputData&& rhs) noexcept;

  bool empty() const { return type_ == InputType::invalid; }
  InputType type() const { return type_; }

  // The size() bytes.
  const void* data() const { return data_.data(); }
  size_t size() const { return data_.size(); }

  // "rgb", "bgr", "bgra", "gray", "nv12", "nv21" or "".
  const std::string& format() const { return format_; }
  Layout layout() const;

  // Dimensions of the image; all 0 if the data is no image, or can't be decoded.
  Dimensions dimensions() const;
  // The dimensions in the order of layout(); for data that is no image, the constructor's shape.
  Shape shape() const;

  // The pixels of an encoded or 8-bit image; null, with an error logged, if there are none. They
  // are decoded once, on the first call, and live as long as this object.
  const ::synap_internal::Image* image() const;

 private:
  struct Pixels;

  void Read(const std::string& filename);
  bool Copy(const void* data, size_t size);
  const ::synap_internal::Image* Decoded() const;
  void ReadSizeFromName(const std::string& filename);
  void CheckShape(Layout layout);

  std::string name_;  // for messages
  std::string data_;
  InputType type_ = InputType::invalid;
  std::string format_;
  Shape shape_;
  std::unique_ptr<Pixels> pixels_;
};

}  // namespace synaptics::synap

#endif  // RUNTIME_VISION_INPUT_DATA_H_

// Data for a network's inputs, from a file or from memory, with its type, shape and format.
#ifndef SYNAP_INPUT_DATA_HPP_
#define SYNAP_INPUT_DATA_HPP_

#include <cstddef>
#include <memory>
#include <string>

#include "synap/types.hpp"

namespace synaptics::synap {

enum class InputType {
  invalid,
  raw,            // bytes in the tensor's own type and layout
  encoded_image,  // JPEG, PNG or BMP
  image_8bits,    // 8-bit pixels, nhwc or nchw
  nv12,           // 8-bit luma plane, then u and v interleaved at half the size
  nv21,           // the same with v before u
};

// Immutable: any number of threads may use it. The data is kept in its original form: an image
// file stays encoded. If data can't be read or memory is missing, the object is empty and an error
// is logged; nothing throws an exception.
class InputData {
 public:
  // Reads a file. Its suffix gives the type:
  //   jpg, jpeg, png, bmp                      encoded_image
  //   bin, dat                                 raw
  //   rgb, bgr, bgra, gray                     image_8bits
  //   nv12, yvu420sp; nv21, yuv420sp           nv12; nv21
  // The size of unencoded images is at the end of the name, as in frame_640x480.rgb.
  explicit InputData(const std::string& filename);

  // Copies `size` bytes. `layout` is the order of `shape`: none and nhwc mean [1, height, width,
  // channels], nchw means [1, channels, height, width] and pixels in planes. image_8bits needs a
  // shape of 1 to 4 channels and of as many bytes, of at most 65535 a side and 2^26 pixels. nv12
  // and nv21 may have one, whose number of channels isn't used; encoded images and raw data need
  // none. format: "rgb" (the same as ""), "bgr", "bgra" or "gray".
  InputData(const void* data, size_t size, InputType type, Shape shape = {},
            Layout layout = Layout::none, std::string format = "");
  ~InputData();
  InputData(const InputData&) = delete;
  InputData& operator=(const InputData&) = delete;
  InputData(InputData&& rhs) noexcept;
  InputData& operator=(InputData&& rhs) noexcept;

  bool empty() const { return type() == InputType::invalid; }
  InputType type() const;

  // The size() bytes; null if there are none.
  const void* data() const;
  size_t size() const;

  // "rgb", "bgr", "bgra", "gray", "nv12", "nv21" or "".
  const std::string& format() const;
  // nhwc or nchw for pixels, nhwc for encoded images; else none.
  Layout layout() const;

  // Dimensions of the image, 3 channels for nv12 and nv21; all 0 if the data is no image, has no
  // known size, or can't be decoded.
  Dimensions dimensions() const;
  // The dimensions in the order of layout(); the constructor's shape for data without one.
  Shape shape() const;

  struct Private;
  const Private* priv() const { return d_.get(); }

 private:
  std::unique_ptr<Private> d_;  // null: empty
};

}  // namespace synaptics::synap

#endif  // SYNAP_INPUT_DATA_HPP_

// Data types, shapes and geometry of the application interface.
#ifndef SYNAP_TYPES_HPP_
#define SYNAP_TYPES_HPP_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace synaptics::synap {

// Type of the items of a tensor. The integral types hold quantized data (see
// Tensor::as_float) or plain integers; byte is uninterpreted data. int64 is never
// quantized: it holds indices and token ids.
enum class DataType {
  invalid,
  byte,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  float16,
  float32,
  int64,
};

// Order of the dimensions of a tensor with four dimensions.
enum class Layout { none, nchw, nhwc };

// Security attribute of a tensor; `none` if the model is not secure.
enum class Security { none, any, secure, non_secure, secure_if_input_secure };

// The number of items in each dimension, outermost first.
struct Shape : std::vector<int32_t> {
  using std::vector<int32_t>::vector;

  // Product of all dimensions; 0 for an empty shape.
  size_t item_count() const {
    if (empty()) return 0;
    size_t count = 1;
    for (const int32_t dim : *this) count *= static_cast<size_t>(dim);
    return count;
  }
  // True if there is at least one dimension and all of them are positive.
  bool valid() const {
    for (const int32_t dim : *this) {
      if (dim <= 0) return false;
    }
    return !empty();
  }
};

// Dimensions by name, independent of the layout; all 0 for tensors that don't have
// four dimensions.
struct Dimensions {
  int32_t n = 0;
  int32_t h = 0;
  int32_t w = 0;
  int32_t c = 0;

  bool empty() const { return n == 0 || h == 0 || w == 0 || c == 0; }
};

// A position or a size in pixels, x to the right, y down.
struct Dim2d {
  int32_t x = 0;
  int32_t y = 0;

  friend bool operator==(const Dim2d& a, const Dim2d& b) { return a.x == b.x && a.y == b.y; }
  friend bool operator!=(const Dim2d& a, const Dim2d& b) { return !(a == b); }
};

// Rectangle: top left corner and size in pixels. The origin may be negative, since the
// rectangle that the preprocessor reports includes the letterbox bands.
struct Rect {
  Dim2d origin;
  Dim2d size;

  bool empty() const { return size.x == 0 || size.y == 0; }
  friend bool operator==(const Rect& a, const Rect& b) {
    return a.origin == b.origin && a.size == b.size;
  }
  friend bool operator!=(const Rect& a, const Rect& b) { return !(a == b); }
};

// A point of a detected object in pixels; z and visibility are 0 if the model
// doesn't provide them.
struct Landmark {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 0;
  float visibility = 0;
};

// Mask of a detected object: width * height values, row by row, over the whole
// input rectangle; positive values mark the object's pixels.
struct Mask {
  int32_t width = 0;
  int32_t height = 0;
  std::vector<float> data;
};

// Text forms. Enumerators are their names ("uint8", "nhwc", "secure-if-input-secure"), shapes and
// dimensions (n, h, w, c) lists as [1,224,224,3], positions and sizes x,y, rectangles x,y,width,
// height, and landmarks x,y,z,visibility.
std::ostream& operator<<(std::ostream& stream, DataType value);
std::ostream& operator<<(std::ostream& stream, Layout value);
std::ostream& operator<<(std::ostream& stream, Security value);
std::ostream& operator<<(std::ostream& stream, const Shape& value);
std::ostream& operator<<(std::ostream& stream, const Dimensions& value);
std::ostream& operator<<(std::ostream& stream, const Dim2d& value);
std::ostream& operator<<(std::ostream& stream, const Rect& value);
std::ostream& operator<<(std::ostream& stream, const Landmark& value);

// Reads a text form; lists with or without brackets and blanks. False for other texts, which don't
// change `value`.
bool from_string(const std::string& text, DataType& value);
bool from_string(const std::string& text, Layout& value);
bool from_string(const std::string& text, Security& value);
bool from_string(const std::string& text, Shape& value);
bool from_string(const std::string& text, Dimensions& value);
bool from_string(const std::string& text, Dim2d& value);
bool from_string(const std::string& text, Rect& value);
bool from_string(const std::string& text, Landmark& value);

}  // namespace synaptics::synap

#endif  // SYNAP_TYPES_HPP_

// Input or output tensor of a Network.
#ifndef SYNAP_TENSOR_HPP_
#define SYNAP_TENSOR_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "synap/buffer.hpp"
#include "synap/types.hpp"

namespace synaptics::synap {

// A tensor of a Network, which creates and owns it. It can't be copied or moved, and keeps its
// address until the network loads another model or is destroyed. Data is dense, in the order of
// shape(). Memory is allocated when the data is first accessed. Not thread-safe. Methods that fail
// return false or null and log an error.
class Tensor {
 public:
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();

  // The name in the model that was converted, or in its metafile.
  const std::string& name() const;

  // The number of items in each dimension, in the order of layout().
  const Shape& shape() const;

  // The dimensions as n, h, w and c; all 0 if the tensor doesn't have 4 dimensions
  // or a layout.
  const Dimensions dimensions() const;

  // nchw, nhwc, or none if the tensor is no image. n is always 1.
  Layout layout() const;

  // The format string of the metafile, which describes the data, such as "rgb" or
  // "yolov5 landmarks=5".
  std::string format() const;

  // Type of the items. Integral types hold quantized data; see as_float().
  DataType data_type() const;

  // Where the buffer's memory must be; Security::none if the model isn't secure, and then memory
  // isn't either. The default buffers of a secure model follow it by themselves.
  Security security() const;

  // Whether pixels can be assigned. False if the model doesn't tell which values
  // pixels have, for int8 and int16 tensors of two channels also if its metadata
  // doesn't mention pixels.
  bool takes_pictures() const;

  // Size in bytes.
  size_t size() const;

  // Number of items: size() divided by the size of an item.
  size_t item_count() const;

  // Whether the tensor is a single item of shape {1}.
  bool is_scalar() const;

  // Normalizes `count` values with mean and scale of the metafile ((v - mean) / scale), quantizes
  // them to the tensor's type, and stores them. count must be item_count(). Values outside of the
  // type's range saturate; for the type byte, every value but 0 is 1. uint8_t values are pixels:
  // without mean and scale in the metafile, they are normalized by the model's own input quantizer,
  // if it has one.
  bool assign(const uint8_t* data, size_t count);
  bool assign(const int16_t* data, size_t count);
  bool assign(const float* data, size_t count);

  // The same; but if count is size() and not item_count(), size() bytes are copied unchanged, as
  // assign(const void*, size_t) would: uint16_t is also the type of raw float16 data.
  bool assign(const uint16_t* data, size_t count);
  bool assign(const int32_t* data, size_t count);
  bool assign(const uint32_t* data, size_t count);

  // Copies `size` bytes unchanged; size must be size().
  bool assign(const void* data, size_t size);

  // Copies the other tensor's data unchanged; data type and size must match. Data in secure memory
  // is copied to secure memory only.
  bool assign(const Tensor& src);

  // Stores a value in a scalar of an integral type, or value * 32768 / D if the
  // format has tensor_dim=D. It must be in the type's range.
  bool assign(int32_t value);

  // The data as T, to write (inputs) or read (outputs) directly; null if the tensor's type isn't T,
  // if normalization or quantization would change values, or if the buffer is a part that isn't
  // aligned for T. T is float or one of the exact-width integers except uint64_t (uint16_t for
  // float16 never matches). The const version doesn't allocate: it is null if there is no data yet.
  template <typename T>
  T* data();
  template <typename T>
  const T* data() const;

  // The data of any type; null if the tensor has no buffer, or one in secure memory.
  void* data();
  const void* data() const;

  // The data as real numbers, float[item_count()]; null if there is no data yet, or if it is in
  // secure memory.
  // The memory belongs to the tensor and is valid until the next call.
  const float* as_float() const;

  // The current buffer, or null. It is empty until the data is first accessed.
  Buffer* buffer();

  // Uses `buffer` from now on; its size must be size(), or 0, in which case it
  // is resized. The caller owns it; if it is destroyed while in use, the tensor
  // has no buffer any more. Null removes the buffer.
  bool set_buffer(Buffer* buffer);

  struct Private;
  explicit Tensor(std::unique_ptr<Private> d);
  Private* priv() const { return d_.get(); }

 private:
  std::unique_ptr<Private> d_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_TENSOR_HPP_

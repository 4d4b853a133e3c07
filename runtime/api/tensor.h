// The inputs and outputs of a Network.
#ifndef RUNTIME_API_TENSOR_H_
#define RUNTIME_API_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "runtime/api/buffer.h"
#include "runtime/api/types.h"

namespace synaptics::synap {

// A data tensor of a Network, which creates it and owns it: it can't be copied or moved, and stays
// at its address until the network loads another model or is destroyed. Data is dense, in
// the order of shape(). Memory is allocated when the data is first accessed.
// Not thread-safe. Methods that fail return false or null and log why.
class Tensor {
 public:
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();

  // As in the model that was converted, or in its metafile.
  const std::string& name() const;

  // The number of items in each dimension, in the order that layout() says.
  const Shape& shape() const;

  // The same by meaning; all 0 if the tensor doesn't have 4 dimensions or a
  // layout.
  const Dimensions dimensions() const;

  // nchw, nhwc, or none for tensors that are no images. N is always 1.
  Layout layout() const;

  // What the data represents: the free text of the metafile, such as "rgb" or
  // "yolov5 landmarks=5".
  std::string format() const;

  // Of each item. Integral types hold quantized data; see as_float().
  DataType data_type() const;

  // Security::none if the model isn't secure.
  Security security() const;

  // False if the model says that nothing tells which values pixels stand for, and
  // for int8 and int16 tensors of two channels whose metadata don't tell it.
  bool takes_pictures() const;

  // In bytes.
  size_t size() const;

  // size() divided by the size of an item.
  size_t item_count() const;

  // True for a single item of shape {1}.
  bool is_scalar() const;

  // Normalizes `count` values as the metafile says ((v - mean) / scale),
  // converts them to the tensor's type and quantization, and stores them.
  // count must be item_count(). Values outside of the type's range saturate.
  // uint8_t values are pixels: where the metafile says nothing of an input whose
  // own quantizer tells what they mean, they are normalized so.
  bool assign(const uint8_t* data, size_t count);
  bool assign(const int16_t* data, size_t count);
  bool assign(const float* data, size_t count);

  // Copies `size` bytes as they are; size must be size().
  bool assign(const void* data, size_t size);

  // Copies the other tensor's data as it is; data type and size must match.
  bool assign(const Tensor& src);

  // Stores a value in a scalar of an integral type, which must be able to hold
  // it. If the format has tensor_dim=D, value * 32768 / D
  // is stored.
  bool assign(int32_t value);

  // The data, if it consists of T and neither normalization nor quantization
  // would change it, so that it can be written (inputs) or read (outputs)
  // directly; else null. T is one of the exact-width integers but uint64_t
  // (uint16_t for float16 never matches) or float.
  template <typename T>
  T* data();

  // The data, whatever it is; null if the tensor has no buffer.
  void* data();
  const void* data() const;

  // The data as real numbers, float[item_count()]; null if there is none yet.
  // The memory belongs to the tensor and is valid until the next call.
  const float* as_float() const;

  // The current buffer, null if none. It may be empty: see above.
  Buffer* buffer();

  // Uses `buffer` from now on; its size must be size(), or 0, in which case it
  // is resized. The caller keeps it alive as long as it is in use; if it is
  // destroyed before, the tensor is left without one. Null: no buffer.
  bool set_buffer(Buffer* buffer);

  struct Private;
  explicit Tensor(std::unique_ptr<Private> d);
  Private* priv() const { return d_.get(); }

 private:
  std::unique_ptr<Private> d_;
};

// The inputs, or the outputs, of a network in their order. Only the network can move them, with
// itself.
class Tensors {
 public:
  using iterator = std::deque<Tensor>::iterator;
  using const_iterator = std::deque<Tensor>::const_iterator;

  Tensors() = default;
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;

  size_t size() const { return tensors_.size(); }
  bool empty() const { return tensors_.empty(); }

  // REQUIRES: index < size().
  Tensor& operator[](size_t index) { return tensors_[index]; }
  const Tensor& operator[](size_t index) const { return tensors_[index]; }

  iterator begin() { return tensors_.begin(); }
  iterator end() { return tensors_.end(); }
  const_iterator begin() const { return tensors_.begin(); }
  const_iterator end() const { return tensors_.end(); }

 private:
  friend class Network;
  Tensors(Tensors&&) = default;
  Tensors& operator=(Tensors&&) = default;

  std::deque<Tensor> tensors_;  // elements stay where they are when it is moved
};

}  // namespace synaptics::synap

#endif  // RUNTIME_API_TENSOR_H_

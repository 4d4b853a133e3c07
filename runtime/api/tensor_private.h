// Internals of Tensor that Network uses.
#ifndef RUNTIME_API_TENSOR_PRIVATE_H_
#define RUNTIME_API_TENSOR_PRIVATE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/api/buffer_private.h"
#include "runtime/api/normalize.h"
#include "runtime/bundle/model_metadata.h"
#include "synap/tensor.hpp"

namespace synaptics::synap {

// Keeps its address, which its buffer holds.
struct Tensor::Private final : BufferUser {
  ::synap_internal::TensorMetadata metadata;
  ::synap_internal::Normalization normalization;
  Shape shape;
  Buffer own_buffer;
  Buffer* buffer = nullptr;
  Buffer aligned_copy;                // of a buffer that isn't aligned for kernels; else empty
  void* found_data = nullptr;         // of the last FindData: the buffer's data,
  void* kernel_data = nullptr;        // and where kernels read and write it
  mutable std::vector<float> floats;  // what as_float() points to

  // InvalidArgument for metadata that the API can't express.
  static absl::StatusOr<std::unique_ptr<Private>> Make(
      const ::synap_internal::TensorMetadata& metadata, bool is_input);
  Private() = default;
  Private(const Private&) = delete;
  Private& operator=(const Private&) = delete;
  ~Private();

  void OnBufferMoved(Buffer* moved) override { buffer = moved; }
  size_t required_size() const override { return size; }

  // Replaces the buffer, and registers with the new one as its user.
  void Attach(Buffer* to);
  // Tensor::set_buffer.
  bool SetBuffer(Buffer* to);
  // The data, allocated if necessary; null, with an error logged, if there is no
  // buffer, no memory, or the buffer has another size.
  void* Allocate();
  // The data; null, with an error logged, if there is none yet, no buffer, or one of another size.
  const void* FindExistingData() const;

  // Sets found_data, allocated if necessary, and kernel_data, which is the same, or a copy if it
  // isn't aligned for kernels. False, with an error logged, as Allocate(). Sets *has_moved if one
  // of both differs from the last call's.
  bool FindData(bool* has_moved);

  // Whether the buffer is in secure memory, or will be when it is allocated.
  bool IsSecure() const { return buffer != nullptr && buffer->priv()->is_secure(); }
  // False, with an error logged, if the data is in secure memory.
  bool IsReadable() const;

  // Tensor::as_float.
  const float* AsFloat() const;
  // Whether there is a buffer that is empty or of the tensor's size; else an error is logged.
  bool HasBuffer() const;
  // Allocates `floats`; false, with an error logged, if there is no memory for it.
  bool MakeFloats() const;

  size_t size = 0;        // in bytes
  bool is_input = false;  // or an output of the network
};

}  // namespace synaptics::synap

#endif  // RUNTIME_API_TENSOR_PRIVATE_H_

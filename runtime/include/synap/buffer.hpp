// Memory for the data of tensors.
#ifndef SYNAP_BUFFER_HPP_
#define SYNAP_BUFFER_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace synaptics::synap {

// Source of a Buffer's memory: one of the two objects below.
class Allocator;

// The system's standard allocator: paged memory. A global object; never delete it.
Allocator* std_allocator();

// The system's contiguous allocator. A global object; never delete it. On a
// machine without contiguous memory it allocates as std_allocator() does.
Allocator* cma_allocator();

// Untyped memory, a multiple of 4096 bytes aligned at 4096, zeroed when it is
// allocated. Not thread-safe. Can be moved, not copied; a tensor that uses a
// buffer keeps using it after a move. If a buffer is destroyed before a tensor
// that uses it, the tensor has no buffer any more.
class Buffer {
 public:
  // An empty buffer. allocator: null means std_allocator().
  explicit Buffer(Allocator* allocator = nullptr);

  // A buffer of `size` bytes.
  explicit Buffer(size_t size, Allocator* allocator = nullptr);

  // Refers to memory that is registered with the TrustZone kernel, which exists
  // on a board only: elsewhere the buffer stays empty and an error is logged.
  Buffer(uint32_t mem_id, size_t offset, size_t size);

  // Refers to `size` bytes from `offset` (a multiple of 64) of a dmabuf, or of
  // any other file that can be mapped; `handle` is its descriptor, which the
  // caller keeps. With is_mem_id, `handle` is a mem_id as above. On failure the
  // buffer stays empty and an error is logged.
  Buffer(uint32_t handle, size_t offset, size_t size, bool is_mem_id);

  // Refers to a part of another buffer's memory, which must be allocated and is
  // kept alive by this buffer. `offset` is a multiple of 64. On failure the
  // buffer stays empty and an error is logged.
  Buffer(const Buffer& rhs, size_t offset, size_t size);

  Buffer(Buffer&& rhs) noexcept;
  Buffer& operator=(Buffer&& rhs) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Resizes the buffer to `size` bytes; its content is lost. False, with an error
  // logged, if the buffer refers to other memory or is used by a tensor of
  // another size.
  bool resize(size_t size);

  // Copies `size` bytes into the buffer, which is resized first if necessary.
  // False, with an error logged, if that isn't possible.
  bool assign(const void* data, size_t size);

  // Size in bytes.
  size_t size() const;

  // Null if the buffer is empty.
  const void* data() const;
  void* data();

  // Tells whether the processor will read or write the data. Only a hint: the
  // emulated NPU needs no cache maintenance. Returns the new setting.
  bool allow_cpu_access(bool allow);

  // Sets the allocator of an empty buffer; false if the buffer isn't empty.
  bool set_allocator(Allocator* allocator);

  struct Private;
  Private* priv() const { return d_.get(); }

 private:
  std::unique_ptr<Private> d_;
};

}  // namespace synaptics::synap

#endif  // SYNAP_BUFFER_HPP_

// Memory for the data of tensors.
#ifndef SYNAP_BUFFER_HPP_
#define SYNAP_BUFFER_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "synap/allocator.hpp"

namespace synaptics::synap {

// Untyped memory. Not thread-safe. Can be moved, not copied; a tensor that uses a buffer keeps
// using it after a move. If a buffer is destroyed before a tensor that uses it, the tensor has no
// buffer any more. Methods that fail return false and log an error; a constructor that fails logs
// an error and makes an empty buffer. Nothing throws an exception.
class Buffer {
 public:
  // An empty buffer. allocator: null means std_allocator().
  Buffer(Allocator* allocator = nullptr);  // NOLINT(google-explicit-constructor): as documented

  // A buffer of `size` bytes.
  Buffer(size_t size, Allocator* allocator = nullptr);  // NOLINT(google-explicit-constructor)

  // Refers to `size` bytes, from `offset`, of the memory that mem_id() of another buffer of this
  // process names. They share it: it is released after both are gone. The memory of other processes
  // has no id here; pass them memory_fd().
  Buffer(uint32_t mem_id, size_t offset, size_t size);

  // Refers to `size` bytes, from `offset`, of a dmabuf, a memory_fd(), or any other file that can
  // be mapped; `handle` is its descriptor, which the caller keeps and may close afterwards. Nobody
  // may cut a file that is in use; dmabufs and memory_fd() can't be. With
  // is_mem_id, `handle` is a mem_id as above.
  Buffer(uint32_t handle, size_t offset, size_t size, bool is_mem_id);

  // Refers to a part of another buffer's memory, which must be allocated; it lives as long as one
  // of both. Networks read and write parts at offsets that aren't multiples of 64 through a copy.
  Buffer(const Buffer& rhs, size_t offset, size_t size);

  Buffer(Buffer&& rhs) noexcept;
  Buffer& operator=(Buffer&& rhs) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Resizes the buffer to `size` bytes; its content is lost. Fails if the buffer refers to other
  // memory, or is used by a tensor of another size.
  bool resize(size_t size);

  // Copies `size` bytes into the buffer, which is resized first if necessary.
  bool assign(const void* data, size_t size);

  // Size in bytes.
  size_t size() const;

  // Null if the buffer is empty, or in secure memory.
  const void* data() const;
  void* data();

  // Tells whether the processor will read or write the data. Only a hint: the emulated NPU needs no
  // cache maintenance. Returns the new setting.
  bool allow_cpu_access(bool allow);

  // Sets the allocator of an empty buffer; null means std_allocator().
  bool set_allocator(Allocator* allocator);

  // Identifies the memory in this process, for the constructor above; buffers that refer to parts
  // of it have the same. 0 if the buffer is empty.
  uint32_t mem_id() const;

  // Identifies the buffer among those of this process that have memory; 0 if it is empty. It
  // changes when the buffer gets other memory.
  uint32_t bid() const;

  // Descriptor of the file behind the memory, which other processes can map, for example after it
  // was sent through a Unix socket: data() of a buffer that refers to a part is at an offset in it.
  // It belongs to the memory; duplicate it to keep it longer. Nobody can change its size. -1 if the
  // buffer is empty or its memory is from an allocator of the application, with an error logged if
  // the file can't be made.
  int memory_fd() const;

  struct Private;
  Private* priv() const { return d_.get(); }

 private:
  std::unique_ptr<Private> d_;  // null: empty, with the standard allocator
};

}  // namespace synaptics::synap

#endif  // SYNAP_BUFFER_HPP_

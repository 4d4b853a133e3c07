// Memory for the data of tensors.
#ifndef RUNTIME_API_BUFFER_H_
#define RUNTIME_API_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

namespace synaptics::synap {

// Where a Buffer's memory comes from: one of the two objects below.
class Allocator;

// The system's standard allocator: paged memory. A global object; never delete it.
Allocator* std_allocator();

// The system's contiguous allocator. A global object; never delete it. On a
// machine without such memory it gives what std_allocator() gives.
Allocator* cma_allocator();

// Raw memory, a multiple of 4096 bytes aligned at 4096, zeroed when it is
// allocated; it has no data type. Not thread-safe. Can't be copied, only moved:
// tensors that use a buffer follow it. A buffer that is destroyed before a
// tensor that uses it leaves that tensor without one.
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
  // any other file that can be mapped; `handle` is its descriptor. The caller
  // keeps the descriptor. With is_mem_id as above. On failure the buffer stays
  // empty and an error is logged.
  Buffer(uint32_t handle, size_t offset, size_t size, bool is_mem_id);

  // Refers to a part of another buffer's memory, which must have been
  // allocated and stays alive as long as this buffer. `offset` is a multiple of
  // 64. On failure the buffer stays empty and an error is logged.
  Buffer(const Buffer& rhs, size_t offset, size_t size);

  Buffer(Buffer&& rhs) noexcept;
  Buffer& operator=(Buffer&& rhs) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Gives the buffer `size` bytes; its content is lost. False, with an error
  // logged, for buffers that refer to other memory and for those used by a
  // tensor of another size.
  bool resize(size_t size);

  // Copies `size` bytes into the buffer, which is resized if it has another
  // size. False if that isn't possible.
  bool assign(const void* data, size_t size);

  // In bytes.
  size_t size() const;

  // Null if the buffer is empty.
  const void* data() const;
  void* data();

  // Says whether the processor will read or write the data. Only a hint here:
  // the emulated NPU needs no cache maintenance. Returns the setting.
  bool allow_cpu_access(bool allow);

  // Only for empty buffers; false otherwise.
  bool set_allocator(Allocator* allocator);

  struct Private;
  Private* priv() const { return d_.get(); }

 private:
  std::unique_ptr<Private> d_;
};

}  // namespace synaptics::synap

#endif  // RUNTIME_API_BUFFER_H_

// Internals of Buffer that tensors use.
#ifndef RUNTIME_API_BUFFER_PRIVATE_H_
#define RUNTIME_API_BUFFER_PRIVATE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>

#include "runtime/api/buffer_memory.h"
#include "synap/buffer.hpp"

namespace synaptics::synap {

// Interface of users of a buffer that don't own it.
class BufferUser {
 public:
  // `buffer` is the new address of the buffer, null if it was destroyed.
  virtual void OnBufferMoved(Buffer* buffer) = 0;
  // Size in bytes; a buffer in use is never resized to another size.
  virtual size_t required_size() const = 0;

 protected:
  ~BufferUser() = default;
};

struct Buffer::Private {
  Allocator* allocator = std_allocator();  // null: the buffer refers to other memory
  std::shared_ptr<::synap_internal::BufferMemory> memory;  // shared with buffers of parts of it
  size_t offset = 0;                                       // into memory
  size_t size = 0;
  uint32_t bid = 0;              // 0: not asked for yet
  std::list<BufferUser*> users;  // moves between buffers without allocating

  // The data, also of secure memory; null if the buffer is empty.
  uint8_t* bytes() const { return size == 0 ? nullptr : memory->data() + offset; }
  // Whether the memory is secure, or will be.
  bool is_secure() const {
    return size == 0 ? allocator == secure_allocator() : memory->is_secure();
  }

  // Of a buffer, which gets one if it has none yet.
  static Private& Of(Buffer& buffer);

  // Refers to a part of `to`; false, with an error logged, if it has no such part.
  bool Refer(std::shared_ptr<::synap_internal::BufferMemory> to, size_t to_offset, size_t to_size);

  // Buffer::resize.
  bool Resize(size_t new_size);
};

}  // namespace synaptics::synap

#endif  // RUNTIME_API_BUFFER_PRIVATE_H_

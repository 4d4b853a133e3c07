// Internals of Buffer that tensors use.
#ifndef RUNTIME_API_BUFFER_PRIVATE_H_
#define RUNTIME_API_BUFFER_PRIVATE_H_

#include <cstddef>
#include <memory>
#include <vector>

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
  Allocator* allocator = nullptr;  // null: the buffer refers to other memory
  std::shared_ptr<void> memory;    // shared with buffers that refer to parts of it
  size_t offset = 0;               // into memory
  size_t size = 0;
  bool cpu_access = true;
  std::vector<BufferUser*> users;

  // Buffer::resize.
  bool Resize(size_t new_size);
};

}  // namespace synaptics::synap

#endif  // RUNTIME_API_BUFFER_PRIVATE_H_

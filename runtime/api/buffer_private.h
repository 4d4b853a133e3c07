// What tensors must know of a Buffer.
#ifndef RUNTIME_API_BUFFER_PRIVATE_H_
#define RUNTIME_API_BUFFER_PRIVATE_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/api/buffer.h"

namespace synaptics::synap {

// Somebody who uses a buffer without owning it.
class BufferUser {
 public:
  // `buffer` is where the buffer is now, null if it is no more.
  virtual void OnBufferMoved(Buffer* buffer) = 0;
  // In bytes; a buffer in use is never resized to another size.
  virtual size_t required_size() const = 0;

 protected:
  ~BufferUser() = default;
};

struct Buffer::Private {
  Allocator* allocator = nullptr;  // null: the memory is somebody else's
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

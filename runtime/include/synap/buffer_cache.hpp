// Buffers for data blocks of other components, each created once.
#ifndef SYNAP_BUFFER_CACHE_HPP_
#define SYNAP_BUFFER_CACHE_HPP_

#include <unordered_map>
#include <utility>

#include "synap/buffer.hpp"

namespace synaptics::synap {

// The buffers of a fixed pool of blocks, for example of a video pipeline's frames. BlockId is
// whatever identifies a block and can be hashed: an id, a file descriptor or an address. Buffers
// keep their address until the cache is destroyed or cleared, but the blocks belong to the caller,
// who releases them afterwards. Not thread-safe. Running out of memory gives a null pointer.
//
//   BufferCache<int> cache;
//   int fd = next_frame();
//   Buffer* buffer = cache.get(fd);
//   if (buffer == nullptr) buffer = cache.add(fd, Buffer(fd, 0, size, /*is_mem_id=*/false));
//   net.inputs[0].set_buffer(buffer);
template <typename BlockId>
class BufferCache {
 public:
  // The buffer of a block, or null if none was added.
  Buffer* get(const BlockId& id) {
    const auto found = buffers_.find(id);
    return found == buffers_.end() ? nullptr : &found->second;
  }

  // Adds the buffer of a block. If the block has one already, `buffer` is dropped. Returns the
  // block's buffer.
  Buffer* add(const BlockId& id, Buffer&& buffer) noexcept {
    try {
      return &buffers_.try_emplace(id, std::move(buffer)).first->second;
    } catch (...) {
      return nullptr;
    }
  }

  size_t size() const { return buffers_.size(); }

  // Destroys all buffers; tensors that use one have no buffer any more.
  void clear() { buffers_.clear(); }

 private:
  std::unordered_map<BlockId, Buffer> buffers_;  // its elements keep their addresses
};

}  // namespace synaptics::synap

#endif  // SYNAP_BUFFER_CACHE_HPP_

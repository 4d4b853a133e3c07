#include "runtime/api/buffer_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/available_memory.h"
#include "runtime/api/lasting.h"
#include "runtime/api/logging.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::Lasting;

// Zeroed pages of the process, whose mapping BufferMemory may replace by that of a file.
class PageAllocator final : public Allocator {
 public:
  void* allocate(size_t size, size_t /*alignment*/) override {
    // Allocated pages are touched, so that a machine without memory says so here: the kernel grants
    // more than it has, and kills the process that writes to it.
    if (!::synap_internal::IsAvailable(size)) return nullptr;
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
  }
  void deallocate(void* memory, size_t size) override { munmap(memory, size); }
};

}  // namespace

Allocator* std_allocator() {
  static const Lasting<PageAllocator> allocator;
  return allocator.get();
}

Allocator* cma_allocator() {
  static const Lasting<PageAllocator> allocator;
  return allocator.get();
}

// Not one of the allocators whose memory becomes a file.
Allocator* secure_allocator() {
  static const Lasting<PageAllocator> allocator;
  return allocator.get();
}

}  // namespace synaptics::synap

namespace synap_internal {
namespace {

using synaptics::synap::Allocator;

// All memory by its id.
struct Registry {
  std::mutex mutex;
  std::unordered_map<uint32_t, std::weak_ptr<BufferMemory>> memory;
};

Registry& GetRegistry() {
  static const Lasting<Registry> registry;
  return *registry.get();
}

uint32_t NextId() {
  static std::atomic<uint32_t> last{0};
  uint32_t id = ++last;
  return id == 0 ? ++last : id;
}

bool IsSystem(const Allocator* allocator) {
  return allocator == synaptics::synap::std_allocator() ||
         allocator == synaptics::synap::cma_allocator();
}

// `size` rounded up to a multiple of `alignment`, a power of two; 0 if there is none.
size_t RoundUp(size_t size, size_t alignment) {
  return size > SIZE_MAX - alignment ? 0 : (size + alignment - 1) & ~(alignment - 1);
}

}  // namespace

BufferMemory::BufferMemory(Source source, uint8_t* data, size_t size, size_t mapped)
    : source_(source), data_(data), size_(size), mapped_(mapped), id_(NextId()) {}

BufferMemory::~BufferMemory() {
  {
    Registry& registry = GetRegistry();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    registry.memory.erase(id_);
  }
  if (source_ == Source::kAllocator) {
    allocator_->deallocate(data_, mapped_);
  } else {
    munmap(data_, mapped_);
  }
  if (fd_ >= 0) close(fd_);
}

std::shared_ptr<BufferMemory> BufferMemory::Register(BufferMemory* memory) {
  std::shared_ptr<BufferMemory> shared(memory);
  Registry& registry = GetRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  registry.memory[memory->id_] = shared;
  return shared;
}

std::shared_ptr<BufferMemory> BufferMemory::Allocate(Allocator* allocator, size_t size) {
  const bool is_system = IsSystem(allocator);
  const size_t alignment = is_system ? 4096 : kDataAlignment;
  const size_t padded = RoundUp(size, alignment);
  void* data = padded == 0 ? nullptr : allocator->allocate(padded, alignment);
  if (data == nullptr) {
    SYNAP_LOG(kError, "can't allocate a buffer of ", MemorySizeText(size));
    return nullptr;
  }
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    allocator->deallocate(data, padded);
    SYNAP_LOG(kError, "the allocator's memory isn't aligned, expected a multiple of ", alignment);
    return nullptr;
  }
  auto* memory = new (std::nothrow) BufferMemory(is_system ? Source::kPages : Source::kAllocator,
                                                 static_cast<uint8_t*>(data), size, padded);
  if (memory == nullptr) {
    allocator->deallocate(data, padded);
    throw std::bad_alloc();
  }
  memory->allocator_ = allocator;
  return Register(memory);
}

std::shared_ptr<BufferMemory> BufferMemory::MapFile(int fd, size_t size) {
  struct stat status = {};
  if (fstat(fd, &status) != 0 || status.st_size < 0 || static_cast<size_t>(status.st_size) < size) {
    SYNAP_LOG(kError, "file descriptor ", fd, " is not a file of at least ", size, " bytes");
    return nullptr;
  }
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) {
    SYNAP_LOG(kError, "can't map file descriptor ", fd, ": ", std::strerror(errno));
    return nullptr;
  }
  auto* memory =
      new (std::nothrow) BufferMemory(Source::kFile, static_cast<uint8_t*>(data), size, size);
  if (memory == nullptr) {
    munmap(data, size);
    throw std::bad_alloc();
  }
  // The caller may close its own. Without one, memory_fd() is -1.
  memory->fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return Register(memory);
}

std::shared_ptr<BufferMemory> BufferMemory::Find(uint32_t id) {
  Registry& registry = GetRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.memory.find(id);
  return found == registry.memory.end() ? nullptr : found->second.lock();
}

int BufferMemory::fd() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (fd_ < 0 && source_ == Source::kPages) {
    fd_ = MakeFile();
    if (fd_ < 0) {
      SYNAP_LOG(kError, "can't make a file of ", MemorySizeText(size_),
                " of the buffer: ", std::strerror(errno));
    }
  }
  return fd_;
}

// A file with the memory's content, which replaces it at its address; -1 on failure. Its size is
// sealed: memory beyond the end of a file that another process has cut ends this one (SIGBUS).
int BufferMemory::MakeFile() const {
  const int fd = memfd_create("synap-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  void* copy = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(mapped_)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    copy = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (copy != MAP_FAILED) {
    std::memcpy(copy, data_, mapped_);
    // Moves the new mapping over the old one in a single step.
    if (mremap(copy, mapped_, mapped_, MREMAP_MAYMOVE | MREMAP_FIXED, data_) != MAP_FAILED) {
      return fd;
    }
    munmap(copy, mapped_);
  }
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace synap_internal

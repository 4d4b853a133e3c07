// Object that is never destroyed and takes no memory from the heap.
#ifndef RUNTIME_API_LASTING_H_
#define RUNTIME_API_LASTING_H_

#include <cstddef>
#include <new>

namespace synap_internal {

// For static objects that others may use while the process ends, and that functions which throw
// nothing may make.
template <typename T>
class Lasting {
 public:
  Lasting() : object_(new (memory_) T) {}
  Lasting(const Lasting&) = delete;
  Lasting& operator=(const Lasting&) = delete;

  T* get() const { return object_; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
  T* const object_;
};

}  // namespace synap_internal

#endif  // RUNTIME_API_LASTING_H_

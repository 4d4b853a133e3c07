// Lack of memory for tests.
#ifndef RUNTIME_TESTING_ADDRESS_SPACE_LIMIT_H_
#define RUNTIME_TESTING_ADDRESS_SPACE_LIMIT_H_

#include <sys/resource.h>

#include <cstddef>

namespace synap_internal {

// 1 where an allocation that fails ends the process, as sanitizers have it. GCC defines a macro for
// each sanitizer, Clang answers __has_feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SYNAP_ENDS_WITHOUT_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SYNAP_ENDS_WITHOUT_MEMORY 1
#endif
#endif
#ifndef SYNAP_ENDS_WITHOUT_MEMORY
#define SYNAP_ENDS_WITHOUT_MEMORY 0
#endif

inline constexpr bool kEndsWithoutMemory = SYNAP_ENDS_WITHOUT_MEMORY != 0;

// While it lives, the process gets at most `bytes` more bytes of address space. A block of more is
// refused; smaller ones may also come from memory that malloc has kept.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(size_t bytes);
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &old_); }

 private:
  rlimit old_;
};

}  // namespace synap_internal

#endif  // RUNTIME_TESTING_ADDRESS_SPACE_LIMIT_H_

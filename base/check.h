// CHECK and DCHECK: assertions of programming errors (never for input; see status_macros.h).
// A failed CHECK prints file, line and condition to stderr and aborts.
// DCHECK is compiled out when NDEBUG is defined.
#ifndef BASE_CHECK_H_
#define BASE_CHECK_H_

namespace synap_internal {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace synap_internal

#define CHECK(condition) \
  ((condition) ? (void)0 : ::synap_internal::CheckFailed(__FILE__, __LINE__, #condition))

#ifdef NDEBUG
#define DCHECK(condition)        \
  do {                           \
    if (false) CHECK(condition); \
  } while (false)
#else
#define DCHECK(condition) CHECK(condition)
#endif

#endif  // BASE_CHECK_H_

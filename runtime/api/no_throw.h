// Conversion of the standard library's exceptions to return values, for the public API.
#ifndef RUNTIME_API_NO_THROW_H_
#define RUNTIME_API_NO_THROW_H_

#include <exception>
#include <new>
#include <utility>

namespace synap_internal {

// Logs `what` as an error of `function`.
void LogException(const char* function, int line, const char* what) noexcept;

// Returns body(), or `failure` if body throws, after logging the exception (mostly std::bad_alloc:
// this project's own code doesn't throw). Every public function of runtime/api and runtime/vision
// that may allocate is written as
//   return NoThrow(__func__, false, [&] { ... });
template <typename Result, typename Body>
Result NoThrow(const char* function, Result failure, Body&& body,
               int line = __builtin_LINE()) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    LogException(function, line, "out of memory");
  } catch (const std::exception& error) {
    LogException(function, line, error.what());
  } catch (...) {  // of an application's allocator or callback
    LogException(function, line, "an unknown exception");
  }
  return failure;
}

}  // namespace synap_internal

#endif  // RUNTIME_API_NO_THROW_H_

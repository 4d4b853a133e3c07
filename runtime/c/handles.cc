#include "runtime/c/handles.h"

#include "absl/strings/str_cat.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"

namespace synap_internal {
namespace {

// Logs an error of `function`; false, for the callers to return.
template <typename... Parts>
bool Refuse(const char* function, const Parts&... parts) noexcept {
  return NoThrow(function, false, [&] {
    Log(LogLevel::kError, function, __LINE__, absl::StrCat(function, ": ", parts...));
    return false;
  });
}

}  // namespace

void LogError(const char* function, const char* message) noexcept { Refuse(function, message); }

bool IsGiven(const char* function, const char* name, const void* argument) noexcept {
  return argument != nullptr || Refuse(function, "'", name, "' is null, expected a pointer");
}

bool IsIndex(const char* function, const char* what, size_t index, size_t count) noexcept {
  if (index < count) return true;
  if (count == 0) return Refuse(function, "no ", what, " at index ", index, ": there are none");
  return Refuse(function, "no ", what, " at index ", index, ", expected at most ", count - 1);
}

bool IsStructSize(const char* function, const char* name, size_t struct_size,
                  size_t least) noexcept {
  return struct_size >= least || Refuse(function, "struct_size of '", name, "' is ", struct_size,
                                        ", expected sizeof of the structure; initialize it");
}

}  // namespace synap_internal

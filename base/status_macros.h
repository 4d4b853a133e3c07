// Macros that propagate absl::Status, the only error path for input (abseil
// 20220623 has none of its own).
//
//   RETURN_IF_ERROR(DoThis());
//   ASSIGN_OR_RETURN(Graph graph, ImportOnnx(path));
//
// A caller that knows the file or the node adds it: `return Annotate(status,
// "model.onnx")` gives "model.onnx: <message>" and keeps the code.
#ifndef BASE_STATUS_MACROS_H_
#define BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

// Returns `status` with "<context>: " before its message; OK stays OK.
inline absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

// The same for a StatusOr; a value stays as it is.
template <typename T>
absl::StatusOr<T> Annotate(absl::StatusOr<T> result, absl::string_view context) {
  if (result.ok()) return result;
  return Annotate(result.status(), context);
}

}  // namespace synap_internal

#define RETURN_IF_ERROR(expr)                                                   \
  do {                                                                          \
    if (absl::Status status_macro_status = (expr); !status_macro_status.ok()) { \
      return status_macro_status;                                               \
    }                                                                           \
  } while (false)

#define ASSIGN_OR_RETURN(lhs, expr) \
  STATUS_MACRO_ASSIGN(STATUS_MACRO_CONCAT(status_or_, __LINE__), lhs, expr)

#define STATUS_MACRO_ASSIGN(tmp, lhs, expr) \
  auto tmp = (expr);                        \
  if (!tmp.ok()) return tmp.status();       \
  lhs = std::move(tmp).value()

#define STATUS_MACRO_CONCAT(a, b) STATUS_MACRO_CONCAT_INNER(a, b)
#define STATUS_MACRO_CONCAT_INNER(a, b) a##b

#endif  // BASE_STATUS_MACROS_H_

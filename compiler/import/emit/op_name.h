// Names of ops as template arguments, so that a row of an operator table names the
// op that it becomes: {"Add", 2, 2, MapBinary<"add">}.
#ifndef COMPILER_IMPORT_EMIT_OP_NAME_H_
#define COMPILER_IMPORT_EMIT_OP_NAME_H_

#include <algorithm>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace synap_internal {

template <size_t kSize>
struct OpName {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is the argument.
  constexpr OpName(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text); }
  // NOLINTNEXTLINE(google-explicit-constructor): it is read as the text that it is.
  constexpr operator absl::string_view() const { return {text, kSize - 1}; }

  char text[kSize] = {};  // with the final zero
};

}  // namespace synap_internal

#endif  // COMPILER_IMPORT_EMIT_OP_NAME_H_

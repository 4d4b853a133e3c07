// The bytes of a text.
#ifndef RUNTIME_BUNDLE_TEXT_BYTES_H_
#define RUNTIME_BUNDLE_TEXT_BYTES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// Refers to the memory of `text`.
inline absl::Span<const uint8_t> AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_TEXT_BYTES_H_

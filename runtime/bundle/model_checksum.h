// Checksums of a program and its model.json as separate files (synap convert --out-format nb).
// Inside a .synap, the CRC-32 of the ZIP entries has this purpose.
#ifndef RUNTIME_BUNDLE_MODEL_CHECKSUM_H_
#define RUNTIME_BUNDLE_MODEL_CHECKSUM_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// Returns `metadata`, the text of a model.json, with a last member
//   "checksum": {"model": "<8 hexadecimal digits>", "metadata": "<8 hexadecimal digits>"}
// that holds the CRC-32 of `model` and of the other members, printed without blanks. Replaces an
// old member of that name. InvalidArgument if the text isn't a JSON object.
absl::StatusOr<std::string> AddChecksum(absl::string_view metadata,
                                        absl::Span<const uint8_t> model);

// Whether `metadata` has the member. InvalidArgument if it has it and program or metadata don't
// match it.
absl::StatusOr<bool> VerifyChecksum(absl::string_view metadata, absl::Span<const uint8_t> model);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_MODEL_CHECKSUM_H_

// Checksums of a program and of the model.json beside it (synap convert --out-format nb). Inside
// a .synap, the CRC-32 of its ZIP entries does the same.
#ifndef RUNTIME_BUNDLE_MODEL_CHECKSUM_H_
#define RUNTIME_BUNDLE_MODEL_CHECKSUM_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap {

// `metadata`, the text of a model.json, with the last member
//   "checksum": {"model": "<8 hexadecimal digits>", "metadata": "<8 hexadecimal digits>"}
// the CRC-32 of `model`, and that of the other members printed without blanks. An old member of
// that name is replaced. InvalidArgument if the text isn't a JSON object.
absl::StatusOr<std::string> AddChecksum(absl::string_view metadata,
                                        absl::Span<const uint8_t> model);

// Whether `metadata` has the member. InvalidArgument if it has and program or metadata are not
// those that it was made of.
absl::StatusOr<bool> VerifyChecksum(absl::string_view metadata, absl::Span<const uint8_t> model);

}  // namespace synap

#endif  // RUNTIME_BUNDLE_MODEL_CHECKSUM_H_

#include "runtime/bundle/model_checksum.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/bundle/crc32.h"
#include "runtime/bundle/json.h"
#include "runtime/bundle/text_bytes.h"

namespace synap_internal {
namespace {

constexpr char kMember[] = "checksum";

std::string Digits(absl::Span<const uint8_t> bytes) {
  return absl::StrCat(absl::Hex(Crc32(bytes), absl::kZeroPad8));
}

// Blanks between members have no effect; a number that another program writes as 1 instead of 1.0
// has.
std::string MetadataDigits(const Json& root) {
  const auto print = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{";
  for (const auto& [name, value] : *root.get_ptr<const Json::object_t*>()) {
    if (name == kMember) continue;
    absl::StrAppend(&text, text.size() > 1 ? "," : "", print(name), ":", print(value));
  }
  text += "}";
  return Digits(AsBytes(text));
}

absl::StatusOr<std::string> Expected(const Json& checksum, absl::string_view name) {
  const std::string what = absl::StrCat("'", kMember, ".", name, "'");
  const Json* value = Member(checksum, name);
  if (value == nullptr) return absl::InvalidArgumentError(absl::StrCat(what, " is missing"));
  return JsonString(*value, what);
}

}  // namespace

absl::StatusOr<std::string> AddChecksum(absl::string_view metadata,
                                        absl::Span<const uint8_t> model) {
  ASSIGN_OR_RETURN(JsonDocument document, ParseJsonObject(metadata));
  Json& root = document.root();
  root.erase(kMember);
  root[kMember] = Json{{"model", Digits(model)}, {"metadata", MetadataDigits(root)}};
  return PrintJson(root, 4);
}

absl::StatusOr<bool> VerifyChecksum(absl::string_view metadata, absl::Span<const uint8_t> model) {
  ASSIGN_OR_RETURN(const JsonDocument document, ParseJsonObject(metadata));
  const Json& root = document.root();
  const Json* checksum = Member(root, kMember);
  if (checksum == nullptr) return false;
  if (!checksum->is_object()) {
    return absl::InvalidArgumentError(absl::StrCat("'", kMember, "' is not an object"));
  }
  ASSIGN_OR_RETURN(const std::string metadata_digits, Expected(*checksum, "metadata"));
  if (const std::string found = MetadataDigits(root); found != metadata_digits) {
    return absl::InvalidArgumentError(
        absl::StrCat("the metadata's checksum is ", found, ", expected '", metadata_digits,
                     "': the file was changed after the conversion, or is damaged; remove the "
                     "member '",
                     kMember, "' if you changed it, else convert the model again"));
  }
  ASSIGN_OR_RETURN(const std::string model_digits, Expected(*checksum, "model"));
  if (const std::string found = Digits(model); found != model_digits) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program's checksum is ", found, ", expected '", model_digits,
                     "': the program is damaged or of another conversion than its metadata; "
                     "convert the model again"));
  }
  return true;
}

}  // namespace synap_internal

// Parsing of untrusted JSON.
#ifndef RUNTIME_BUNDLE_JSON_H_
#define RUNTIME_BUNDLE_JSON_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace synap_internal {

// Members keep their order: in model.json it is the order of the tensors.
using Json = nlohmann::ordered_json;

// A parsed object. Its destructor allocates nothing, unlike that of a Json with elements, which
// ends the process if there is no memory.
class JsonDocument {
 public:
  explicit JsonDocument(Json root) : root_(std::move(root)) {}
  JsonDocument(JsonDocument&& other) noexcept : root_(std::move(other.root_)) {}
  JsonDocument& operator=(JsonDocument&& other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~JsonDocument();

  const Json& root() const { return root_; }
  Json& root() { return root_; }

 private:
  Json root_;
};

// InvalidArgument unless `text` is one JSON object of reasonable size.
absl::StatusOr<JsonDocument> ParseJsonObject(absl::string_view text);

// The member of `object`, or null. REQUIRES: object.is_object().
const Json* Member(const Json& object, absl::string_view name);

// The integer in [min, max]. `what` names the value in errors.
absl::StatusOr<int64_t> JsonInteger(const Json& value, absl::string_view what, int64_t min,
                                    int64_t max);
// A finite float.
absl::StatusOr<float> JsonNumber(const Json& value, absl::string_view what);
absl::StatusOr<std::string> JsonString(const Json& value, absl::string_view what);

// Indented text ending in a newline; bytes that aren't UTF-8 become U+FFFD.
std::string PrintJson(const Json& value, int indent);

}  // namespace synap_internal

#endif  // RUNTIME_BUNDLE_JSON_H_

// Members of JSON from untrusted files of torch.export.
#ifndef COMPILER_IMPORT_PT2_JSON_VALUE_H_
#define COMPILER_IMPORT_PT2_JSON_VALUE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace synap_internal::pt2_import {

// Graphs have more members than an ordered object finds quickly.
using Json = nlohmann::json;

// InvalidArgument unless `text` is one JSON object of at most 64 levels.
absl::StatusOr<Json> ParseJson(absl::string_view text);

// The member of `object`; null if it isn't there, is null, or `object` isn't an object.
const Json* Find(const Json& object, absl::string_view name);

// The member, of that kind; InvalidArgument that names it otherwise.
absl::StatusOr<const Json*> GetObject(const Json& object, absl::string_view name);
absl::StatusOr<const Json*> GetArray(const Json& object, absl::string_view name);
absl::StatusOr<std::string> GetText(const Json& object, absl::string_view name);
absl::StatusOr<int64_t> GetInteger(const Json& object, absl::string_view name);

// The value itself; `what` names it in errors.
absl::StatusOr<int64_t> IntegerOf(const Json& value, absl::string_view what);
// Also "Infinity", "-Infinity" and "NaN".
absl::StatusOr<double> RealOf(const Json& value, absl::string_view what);

}  // namespace synap_internal::pt2_import

#endif  // COMPILER_IMPORT_PT2_JSON_VALUE_H_

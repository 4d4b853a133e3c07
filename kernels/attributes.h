// Attributes of an op: name -> value pairs, generic, so that a new op changes
// neither the text IR nor the program format. Infer and Prepare of an op parse
// them into the op's own struct.
#ifndef KERNELS_ATTRIBUTES_H_
#define KERNELS_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace synap_internal {

using AttributeValue =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>>;

// Ordered by name, so that printing and hashing are reproducible.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

// Reads the attributes of one op and collects the first error:
//
//   AttributeReader reader(attributes);
//   attrs.strides = reader.Ints("strides", 2, {1, 1});
//   attrs.groups = reader.Int("groups", 1);
//   RETURN_IF_ERROR(reader.Finish());
//
// Finish() also refuses attributes that the caller has not read.
class AttributeReader {
 public:
  // `attributes` must outlive the reader.
  explicit AttributeReader(const Attributes& attributes) : attributes_(attributes) {}

  // The value, or `fallback` where the attribute is absent. A present attribute
  // of another type or length is an error (an integer is accepted as a float).
  // size < 0 accepts any length.
  int64_t Int(absl::string_view name, int64_t fallback);
  float Float(absl::string_view name, float fallback);
  std::string String(absl::string_view name, absl::string_view fallback);
  std::vector<int64_t> Ints(absl::string_view name, int size, std::vector<int64_t> fallback);
  std::vector<float> Floats(absl::string_view name, int size, std::vector<float> fallback);

  // The same for attributes that must be there.
  int64_t RequiredInt(absl::string_view name);
  std::string RequiredString(absl::string_view name);
  std::vector<int64_t> RequiredInts(absl::string_view name, int size);

  // The attributes whose names begin with `prefix`, keyed by the rest of their names, for
  // another reader.
  Attributes Prefixed(absl::string_view prefix);

  absl::Status Finish();

 private:
  template <typename T>
  const T* Find(absl::string_view name, absl::string_view expected);
  bool Require(absl::string_view name);
  void Fail(std::string message);

  const Attributes& attributes_;
  std::vector<std::string> asked_;
  absl::Status status_;
};

// `3`, `0.5`, `"edge"`, `[1, 2]`, `[0.5, 1.0]`. Floats are printed with the
// fewest digits that read back to the same bits, and always with a point, an
// exponent, "inf" or "nan", so that they stay floats.
std::string ToString(const AttributeValue& value);
std::string FloatToString(float value);

}  // namespace synap_internal

#endif  // KERNELS_ATTRIBUTES_H_

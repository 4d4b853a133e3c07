// NumPy's array files (.npy), the values as float32 or as a tensor's own type.
#ifndef BASE_NPY_H_
#define BASE_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/data_type.h"
#include "base/shape.h"

namespace synap_internal {

struct NpyArray {
  Shape shape;
  std::string dtype;          // as in the file: "<f4"
  std::vector<float> values;  // in C order; shape.elements() of them
};

// Formats 1.0, 2.0 and 3.0; booleans, integers of 1 to 8 bytes and floats of 2, 4 and 8 bytes,
// little endian, C order. Values that float32 doesn't have are rounded to nearest. InvalidArgument
// "<name>: ..." for anything else, and for data that are shorter or longer than the shape says.
absl::StatusOr<NpyArray> ParseNpy(absl::Span<const uint8_t> bytes, absl::string_view name);

// An array whose values are still of the file's type.
struct NpyFile {
  Shape shape;
  std::string dtype;           // as in the file: "<i8"
  std::vector<uint8_t> bytes;  // little endian, in C order
};

// Files and errors as ParseNpy.
absl::StatusOr<NpyFile> ReadNpyFile(const std::string& path);

// Writes the values as `type` to `data`, which has room for shape.elements() of them. float32 and
// float16 are rounded to nearest; integers and booleans must be exactly what the file holds.
// InvalidArgument naming the first element that the type can't hold, or that is not finite.
absl::Status ConvertNpy(const NpyFile& file, DataType type, void* data);

// A file of format 1.0. `bytes`: dense values of the type. REQUIRES: as many as the shape has.
std::string EncodeNpy(DataType type, const Shape& shape, absl::Span<const uint8_t> bytes);
// The same of float32 values. REQUIRES: values.size() == shape.elements().
std::string EncodeNpy(const Shape& shape, absl::Span<const float> values);

}  // namespace synap_internal

#endif  // BASE_NPY_H_

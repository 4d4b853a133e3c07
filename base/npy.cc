#include "base/npy.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/file.h"
#include "base/quant_params.h"
#include "base/rounding.h"
#include "base/status_macros.h"

namespace synap_internal {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

// The header, a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }
struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// Reads that literal from front to back.
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : rest_(text) {}

  absl::StatusOr<Header> Parse() {
    Header header;
    if (!Take("{")) return Error();
    bool seen[3] = {};
    while (!Take("}")) {
      std::string key;
      if (!TakeString(key) || !Take(":")) return Error();
      bool done = false;
      if (key == "descr") {
        // Records have a list here.
        if (!TakeString(header.descr))
          return absl::InvalidArgumentError("its type is not a plain number");
        seen[0] = done = true;
      } else if (key == "fortran_order") {
        header.fortran_order = Take("True");
        seen[1] = done = header.fortran_order || Take("False");
      } else if (key == "shape") {
        seen[2] = done = TakeShape(header.shape);
        // A long one isn't repeated in the error, as Shape::Validate would do.
        if (header.shape.rank() > Shape::kMaxRank) {
          return absl::InvalidArgumentError(absl::StrCat(
              "it has ", header.shape.rank(), " dimensions, expected at most ", Shape::kMaxRank));
        }
      }
      if (!done) return Error();
      if (!Take(",") && !absl::StartsWith(Rest(), "}")) return Error();
    }
    if (!seen[0] || !seen[1] || !seen[2] || !Rest().empty()) return Error();
    return header;
  }

 private:
  static absl::Status Error() {
    return absl::InvalidArgumentError("its header is not that of a NumPy array");
  }

  absl::string_view Rest() {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return rest_;
  }

  bool Take(absl::string_view token) {
    Rest();
    return absl::ConsumePrefix(&rest_, token);
  }

  bool TakeString(std::string& value) {
    const bool is_single = Take("'");
    if (!is_single && !Take("\"")) return false;
    const size_t end = rest_.find(is_single ? '\'' : '"');
    if (end == absl::string_view::npos) return false;
    value = std::string(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return true;
  }

  // "(1, 3)", "(1,)", "()".
  bool TakeShape(Shape& shape) {
    if (!Take("(")) return false;
    const size_t end = rest_.find(')');
    if (end == absl::string_view::npos) return false;
    std::vector<int64_t> dims;
    absl::string_view inside = absl::StripAsciiWhitespace(rest_.substr(0, end));
    absl::ConsumeSuffix(&inside, ",");
    if (!inside.empty()) {
      for (const absl::string_view item : absl::StrSplit(inside, ',')) {
        int64_t dim = 0;
        if (!absl::SimpleAtoi(item, &dim) || dim < 0) return false;
        dims.push_back(dim);
      }
    }
    rest_.remove_prefix(end + 1);
    shape = Shape(std::move(dims));
    return true;
  }

  absl::string_view rest_;
};

float FromHalf(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  const float sign = half >> 15 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

template <typename T>
T ElementAt(absl::Span<const uint8_t> data, size_t i) {
  T value;
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
  return value;
}

float HalfAt(absl::Span<const uint8_t> data, size_t i) {
  return FromHalf(ElementAt<uint16_t>(data, i));
}

template <typename T>
void Convert(absl::Span<const uint8_t> data, std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(ElementAt<T>(data, i));
}

void ConvertHalf(absl::Span<const uint8_t> data, std::vector<float>& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] = HalfAt(data, i);
}

// The value as an integer, if it is one.
std::optional<int64_t> AsInteger(double value) {
  if (!(std::abs(value) < 0x1p63) || value != std::trunc(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

template <typename T>
std::optional<int64_t> IntegerAt(absl::Span<const uint8_t> data, size_t i) {
  const T value = ElementAt<T>(data, i);
  if constexpr (std::is_floating_point_v<T>) return AsInteger(value);
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (value > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  }
  return static_cast<int64_t>(value);
}

std::optional<int64_t> HalfIntegerAt(absl::Span<const uint8_t> data, size_t i) {
  return AsInteger(HalfAt(data, i));
}

struct Type {
  absl::string_view code;  // without the byte order
  size_t bytes;
  void (*convert)(absl::Span<const uint8_t>, std::vector<float>&);
  std::optional<int64_t> (*integer_at)(absl::Span<const uint8_t>, size_t);
};

template <typename T>
constexpr Type TypeOf(absl::string_view code) {
  return {code, sizeof(T), Convert<T>, IntegerAt<T>};
}

// The type that tensors of `type` have in NumPy.
template <typename T>
constexpr Type TypeOf(DataType type) {
  return TypeOf<T>(RowOf(type).numpy);
}

constexpr Type kTypes[] = {
    TypeOf<uint8_t>(DataType::kBool),
    TypeOf<int8_t>(DataType::kInt8),
    TypeOf<uint8_t>(DataType::kUint8),
    TypeOf<int16_t>(DataType::kInt16),
    TypeOf<uint16_t>(DataType::kUint16),
    TypeOf<int32_t>(DataType::kInt32),
    TypeOf<uint32_t>(DataType::kUint32),
    TypeOf<int64_t>(DataType::kInt64),
    {RowOf(DataType::kFloat16).numpy, 2, ConvertHalf, HalfIntegerAt},
    TypeOf<float>(DataType::kFloat32),
    // No tensor has these, but arrays do.
    TypeOf<uint64_t>("u8"),
    TypeOf<double>("f8"),
};

absl::StatusOr<const Type*> FindType(absl::string_view descr) {
  for (const Type& type : kTypes) {
    if (descr.size() == 3 && descr.substr(1) == type.code &&
        (descr[0] == '<' || (type.bytes == 1 && descr[0] == '|'))) {
      return &type;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("its type is '", descr.substr(0, 20),
                   "', expected booleans, integers or floats in little endian order, as in '<f4'"));
}

// Splits `bytes` into header and data.
absl::StatusOr<Header> ReadHeader(absl::Span<const uint8_t>& bytes) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!absl::StartsWith(text, kMagic) || text.size() < 10) {
    return absl::InvalidArgumentError("it is not a NumPy array file");
  }
  const int version = bytes[6];
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || bytes.size() < 8 + length_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has format version ", version, ", expected 1, 2 or 3"));
  }
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= size_t{bytes[8 + i]} << (8 * i);
  const size_t begin = 8 + length_bytes;
  if (length > bytes.size() - begin) return absl::InvalidArgumentError("it ends in its header");
  ASSIGN_OR_RETURN(Header header, HeaderParser(text.substr(begin, length)).Parse());
  bytes.remove_prefix(begin + length);
  return header;
}

// Checks everything, and leaves the data of the array in `bytes`.
absl::StatusOr<Header> ReadArray(absl::Span<const uint8_t>& bytes) {
  ASSIGN_OR_RETURN(Header header, ReadHeader(bytes));
  RETURN_IF_ERROR(header.shape.Validate());
  ASSIGN_OR_RETURN(const Type* type, FindType(header.descr));
  if (header.fortran_order && header.shape.rank() > 1) {
    return absl::InvalidArgumentError(
        "it is in Fortran order, expected C order (save it with numpy.ascontiguousarray)");
  }
  const auto elements = static_cast<size_t>(header.shape.elements());
  if (bytes.size() != elements * type->bytes) {
    return absl::InvalidArgumentError(absl::StrCat("its shape ", header.shape.ToString(), " needs ",
                                                   elements * type->bytes, " bytes of data, found ",
                                                   bytes.size()));
  }
  return header;
}

std::vector<float> ToFloats(absl::Span<const uint8_t> bytes, const Header& header) {
  std::vector<float> values(static_cast<size_t>(header.shape.elements()));
  (*FindType(header.descr))->convert(bytes, values);
  return values;
}

absl::StatusOr<NpyArray> Parse(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const Header header, ReadArray(bytes));
  return NpyArray{header.shape, header.descr, ToFloats(bytes, header)};
}

absl::StatusOr<NpyFile> ParseFile(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const Header header, ReadArray(bytes));
  return NpyFile{header.shape, header.descr, {bytes.begin(), bytes.end()}};
}

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::Status ConvertToFloats(const NpyFile& file, DataType type, void* data) {
  const std::vector<float> values = ToFloats(file.bytes, {file.dtype, false, file.shape});
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_half = type == DataType::kFloat16;
    const uint16_t half = is_half ? FloatToHalf(values[i]) : uint16_t{0};
    const float rounded = is_half ? HalfToFloat(half) : values[i];
    if (!std::isfinite(rounded)) {
      return absl::InvalidArgumentError(absl::StrCat("element ", i, " is ", values[i], " in ",
                                                     Name(type), ", expected finite numbers"));
    }
    if (is_half) static_cast<uint16_t*>(data)[i] = half;
  }
  if (type == DataType::kFloat32 && !values.empty()) {
    std::memcpy(data, values.data(), values.size() * sizeof(float));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NpyArray> ParseNpy(absl::Span<const uint8_t> bytes, absl::string_view name) {
  return Annotate(Parse(bytes), name);
}

absl::StatusOr<NpyFile> ReadNpyFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return Annotate(ParseFile(BytesOf(bytes)), path);
}

absl::Status ConvertNpy(const NpyFile& file, DataType type, void* data) {
  if (IsFloat(type)) return ConvertToFloats(file, type, data);
  const IntegerRange range = RangeOf(type);
  const Type& from = **FindType(file.dtype);
  const auto elements = static_cast<size_t>(file.shape.elements());
  const size_t size = SizeOf(type);
  for (size_t i = 0; i < elements; ++i) {
    const std::optional<int64_t> value = from.integer_at(file.bytes, i);
    if (!value.has_value() || *value < range.min || *value > range.max) {
      std::vector<float> shown(1);
      from.convert(absl::MakeConstSpan(file.bytes).subspan(i * from.bytes), shown);
      const std::string found = value.has_value() ? absl::StrCat(*value) : absl::StrCat(shown[0]);
      return absl::InvalidArgumentError(absl::StrCat("element ", i, " is ", found,
                                                     ", expected whole numbers from ", range.min,
                                                     " to ", range.max, " (", Name(type), ")"));
    }
    const int64_t number = *value;  // little endian: the low bytes are first
    std::memcpy(static_cast<uint8_t*>(data) + i * size, &number, size);
  }
  return absl::OkStatus();
}

std::string EncodeNpy(DataType type, const Shape& shape, absl::Span<const uint8_t> bytes) {
  CHECK(bytes.size() == static_cast<size_t>(shape.elements()) * SizeOf(type));
  const char order = SizeOf(type) == 1 ? '|' : '<';
  std::string header =
      absl::StrCat("{'descr': '", std::string(1, order), RowOf(type).numpy,
                   "', 'fortran_order': False, 'shape': (", absl::StrJoin(shape.dims(), ", "),
                   shape.rank() == 1 ? ",), }" : "), }");
  // The data begin at a multiple of 64, after a line end.
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string file = absl::StrCat(kMagic, std::string("\1\0", 2));
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return file;
}

std::string EncodeNpy(const Shape& shape, absl::Span<const float> values) {
  return EncodeNpy(
      DataType::kFloat32, shape,
      {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)});
}

}  // namespace synap_internal

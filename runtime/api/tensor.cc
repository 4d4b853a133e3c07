#include "synap/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/available_memory.h"
#include "base/status_macros.h"
#include "runtime/api/api_type.h"
#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/api/tensor_private.h"
#include "runtime/vision/format_string.h"

namespace synaptics::synap {
namespace {

using ::synap_internal::NoThrow;
using ::synap_internal::ToApi;

bool IsAligned(const void* data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

// Whether the tensor's items are of type T and need no conversion.
template <typename T>
bool Holds(const Tensor::Private& d) {
  return d.metadata.dtype == ::synap_internal::DataTypeOf<T>() &&
         ::synap_internal::IsCopy(d.normalization);
}

template <typename V>
bool Assign(const Tensor& tensor, const V* data, size_t count) {
  Tensor::Private* d = tensor.priv();
  if (count != tensor.item_count() || data == nullptr) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "' gets ", data == nullptr ? 0 : count,
              " items, expected ", tensor.item_count());
    return false;
  }
  void* destination = d->Allocate();
  if (destination == nullptr) return false;
  std::vector<uint8_t> items;  // of a buffer that isn't aligned for them
  const bool is_aligned = IsAligned(destination, ::synap_internal::SizeOf(d->metadata.dtype));
  if (!is_aligned) items.resize(d->size);
  const absl::Status status = ::synap_internal::Normalize(
      d->normalization, absl::MakeConstSpan(data, count), is_aligned ? destination : items.data());
  if (!status.ok()) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "': ", status.message());
    return false;
  }
  if (!is_aligned) std::memcpy(destination, items.data(), items.size());
  return true;
}

// Converts values, or copies raw data of a type that raw data often has.
template <typename V>
bool AssignOrCopy(Tensor& tensor, const V* data, size_t count) {
  if (count == tensor.size() && count != tensor.item_count()) {
    return tensor.assign(static_cast<const void*>(data), count);
  }
  return Assign(tensor, data, count);
}

// Whether the tensor is a chroma plane of signed values without a pixel mapping: if bytes were
// copied to it, 128 to 255 would all saturate to 127.
bool IsUnmappedChroma(const ::synap_internal::TensorMetadata& metadata) {
  using ::synap_internal::DataType;
  const bool is_signed = metadata.dtype == DataType::kInt8 || metadata.dtype == DataType::kInt16;
  return is_signed && metadata.quant.scheme == ::synap_internal::QuantScheme::kAsymmetricAffine &&
         metadata.channels() == 2 && !metadata.pixels.has_value() && !metadata.scale.has_value() &&
         metadata.mean.empty();
}

bool AssignScalar(Tensor& tensor, int32_t value) {
  using ::synap_internal::DataType;
  const DataType type = tensor.priv()->metadata.dtype;
  const bool integral = !::synap_internal::IsFloat(type) && type != DataType::kBool;
  if (!tensor.is_scalar() || !integral) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "' is no scalar integer, expected one");
    return false;
  }
  const absl::StatusOr<int> dim =
      ::synap_internal::FormatString::Parse(tensor.priv()->metadata.data_format)
          .Int("tensor_dim", 0);
  if (!dim.ok() || *dim < 0) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "': ",
              dim.ok() ? "format attribute 'tensor_dim' is negative, expected a positive number"
                       : dim.status().message());
    return false;
  }
  const int64_t scaled = *dim == 0 ? value : int64_t{value} * 32768 / *dim;
  const ::synap_internal::IntegerRange range = ::synap_internal::RangeOf(type);
  if (scaled < range.min || scaled > range.max) {
    SYNAP_LOG(kError, "tensor '", tensor.name(), "' can't hold ", scaled, ", expected ", range.min,
              " to ", range.max);
    return false;
  }
  const auto bits = static_cast<uint64_t>(scaled);  // little endian: the low bytes are first
  return tensor.assign(static_cast<const void*>(&bits), tensor.size());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tensor::Private>> Tensor::Private::Make(
    const ::synap_internal::TensorMetadata& metadata, bool is_input) {
  auto d = std::make_unique<Private>();
  RETURN_IF_ERROR(metadata.shape.Validate());
  if (ToApi(metadata.dtype) == DataType::invalid) {
    return absl::InvalidArgumentError(absl::StrCat("tensor '", metadata.name, "' is ",
                                                   ::synap_internal::Name(metadata.dtype),
                                                   ", which the API doesn't support for inputs and "
                                                   "outputs"));
  }
  d->metadata = metadata;
  d->is_input = is_input;
  ASSIGN_OR_RETURN(d->normalization, ::synap_internal::MakeNormalization(metadata, is_input));
  for (const int64_t dim : metadata.shape.dims()) {
    if (dim > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor '", metadata.name, "' has the shape ", metadata.shape.ToString(),
                       ", expected dimensions of at most ", std::numeric_limits<int32_t>::max()));
    }
    d->shape.push_back(static_cast<int32_t>(dim));
  }
  if (d->shape.empty()) d->shape.push_back(1);
  d->size =
      static_cast<size_t>(metadata.shape.elements()) * ::synap_internal::SizeOf(metadata.dtype);
  d->Attach(&d->own_buffer);
  if (metadata.security == ::synap_internal::TensorSecurity::kSecure) {
    d->own_buffer.set_allocator(secure_allocator());
  }
  return d;
}

Tensor::Private::~Private() { Attach(nullptr); }

void Tensor::Private::Attach(Buffer* to) {
  if (to != nullptr) Buffer::Private::Of(*to).users.push_back(this);
  if (buffer != nullptr) {
    // Of the two entries if `to` is the same buffer, only one goes.
    std::list<BufferUser*>& users = buffer->priv()->users;
    users.erase(std::find(users.begin(), users.end(), this));
  }
  buffer = to;
}

bool Tensor::Private::SetBuffer(Buffer* to) {
  if (to == buffer) return true;
  if (to != nullptr) {
    if (to->size() == 0 && !to->resize(size)) return false;
    if (to->size() != size) {
      SYNAP_LOG(kError, "tensor '", metadata.name, "' gets a buffer of ", to->size(),
                " bytes, expected ", size);
      return false;
    }
  }
  Attach(to);
  return true;
}

bool Tensor::Private::MakeFloats() const {
  const size_t count = shape.item_count();
  if (count == floats.size()) return true;
  if (!::synap_internal::IsAvailable(count * sizeof(float))) {
    SYNAP_LOG(kError, "tensor '", metadata.name, "': can't allocate ",
              ::synap_internal::MemorySizeText(count * sizeof(float)), " for float values");
    return false;
  }
  floats.resize(count);
  return true;
}

bool Tensor::Private::IsReadable() const {
  if (!IsSecure()) return true;
  SYNAP_LOG(kError, "tensor '", metadata.name,
            "' is in secure memory, which an application can't read or write directly");
  return false;
}

const float* Tensor::Private::AsFloat() const {
  const void* items = FindExistingData();
  if (items == nullptr || !IsReadable()) return nullptr;
  const bool is_aligned = IsAligned(items, ::synap_internal::SizeOf(metadata.dtype));
  if (metadata.dtype == ::synap_internal::DataType::kFloat32 && is_aligned) {
    return static_cast<const float*>(items);
  }
  if (!MakeFloats()) return nullptr;
  std::vector<uint8_t> copy;
  if (!is_aligned) {
    const auto* bytes = static_cast<const uint8_t*>(items);
    copy.assign(bytes, bytes + size);
    items = copy.data();
  }
  ::synap_internal::Dequantize(metadata.dtype, metadata.quant, items, absl::MakeSpan(floats));
  return floats.data();
}

bool Tensor::Private::HasBuffer() const {
  if (buffer == nullptr) {
    SYNAP_LOG(kError, "tensor '", metadata.name, "' has no buffer; call set_buffer() with one");
    return false;
  }
  if (buffer->size() == 0 || buffer->size() == size) return true;
  SYNAP_LOG(kError, "tensor '", metadata.name, "' has a buffer of ", buffer->size(),
            " bytes, expected ", size);
  return false;
}

void* Tensor::Private::Allocate() {
  if (!HasBuffer()) return nullptr;
  if (buffer->size() == 0 && !buffer->resize(size)) return nullptr;
  return buffer->priv()->bytes();
}

const void* Tensor::Private::FindExistingData() const {
  if (!HasBuffer()) return nullptr;
  if (buffer->size() != 0) return buffer->priv()->bytes();
  SYNAP_LOG(kError, "tensor '", metadata.name, "' has no data; ",
            is_input ? "assign data before" : "run the network before");
  return nullptr;
}

bool Tensor::Private::FindData(bool* has_moved) {
  void* const found = Allocate();
  if (found == nullptr) return false;
  void* for_kernels = found;
  if (!IsAligned(found, ::synap_internal::kDataAlignment)) {
    if (!aligned_copy.resize(size)) return false;
    for_kernels = aligned_copy.data();
  }
  *has_moved = *has_moved || found != found_data || for_kernels != kernel_data;
  found_data = found;
  kernel_data = for_kernels;
  return true;
}

Tensor::Tensor(std::unique_ptr<Private> d) : d_(std::move(d)) {}
Tensor::~Tensor() = default;

const std::string& Tensor::name() const { return d_->metadata.name; }

const Shape& Tensor::shape() const { return d_->shape; }

const Dimensions Tensor::dimensions() const {
  const Shape& s = d_->shape;
  if (s.size() != 4) return {};
  switch (layout()) {
    case Layout::nchw:
      return {s[0], s[2], s[3], s[1]};
    case Layout::nhwc:
      return {s[0], s[1], s[2], s[3]};
    case Layout::none:
      break;
  }
  return {};
}

Layout Tensor::layout() const {
  switch (d_->metadata.layout) {
    case ::synap_internal::TensorLayout::kNchw:
      return Layout::nchw;
    case ::synap_internal::TensorLayout::kNhwc:
      return Layout::nhwc;
    case ::synap_internal::TensorLayout::kNone:
      break;
  }
  return Layout::none;
}

std::string Tensor::format() const {
  return NoThrow(__func__, std::string(), [&] { return d_->metadata.data_format; });
}

DataType Tensor::data_type() const { return ToApi(d_->metadata.dtype); }

Security Tensor::security() const {
  switch (d_->metadata.security) {
    case ::synap_internal::TensorSecurity::kAny:
      return Security::any;
    case ::synap_internal::TensorSecurity::kSecure:
      return Security::secure;
    case ::synap_internal::TensorSecurity::kNonSecure:
      return Security::non_secure;
    case ::synap_internal::TensorSecurity::kSecureIfInputSecure:
      return Security::secure_if_input_secure;
    case ::synap_internal::TensorSecurity::kNone:
      break;
  }
  return Security::none;
}

bool Tensor::takes_pictures() const {
  return !d_->metadata.pixels_unknown && !IsUnmappedChroma(d_->metadata);
}

size_t Tensor::size() const { return d_->size; }

size_t Tensor::item_count() const { return d_->shape.item_count(); }

bool Tensor::is_scalar() const { return d_->shape.size() == 1 && d_->shape[0] == 1; }

bool Tensor::assign(const uint8_t* data, size_t count) {
  return NoThrow(__func__, false, [&] { return Assign(*this, data, count); });
}

bool Tensor::assign(const int16_t* data, size_t count) {
  return NoThrow(__func__, false, [&] { return Assign(*this, data, count); });
}

bool Tensor::assign(const float* data, size_t count) {
  return NoThrow(__func__, false, [&] { return Assign(*this, data, count); });
}

bool Tensor::assign(const uint16_t* data, size_t count) {
  return NoThrow(__func__, false, [&] { return AssignOrCopy(*this, data, count); });
}

bool Tensor::assign(const int32_t* data, size_t count) {
  return NoThrow(__func__, false, [&] { return AssignOrCopy(*this, data, count); });
}

bool Tensor::assign(const uint32_t* data, size_t count) {
  return NoThrow(__func__, false, [&] { return AssignOrCopy(*this, data, count); });
}

bool Tensor::assign(const void* data, size_t size) {
  if (size != d_->size || data == nullptr) {
    SYNAP_LOG(kError, "tensor '", name(), "' gets ", data == nullptr ? 0 : size,
              " bytes, expected ", d_->size);
    return false;
  }
  void* destination = d_->Allocate();
  if (destination == nullptr) return false;
  std::memmove(destination, data, size);
  return true;
}

bool Tensor::assign(const Tensor& src) {
  if (src.data_type() != data_type() || src.size() != size()) {
    SYNAP_LOG(kError, "tensor '", name(), "' and its source '", src.name(),
              "' differ in data type or size, expected the same");
    return false;
  }
  const void* const data = src.d_->FindExistingData();
  if (data == nullptr || (src.d_->IsSecure() && !d_->IsSecure() && !src.d_->IsReadable())) {
    return false;
  }
  return assign(data, src.size());
}

bool Tensor::assign(int32_t value) {
  return NoThrow(__func__, false, [&] { return AssignScalar(*this, value); });
}

template <typename T>
const T* Tensor::data() const {
  const void* const items = data();
  return Holds<T>(*d_) && IsAligned(items, alignof(T)) ? static_cast<const T*>(items) : nullptr;
}

template <typename T>
T* Tensor::data() {
  if (!Holds<T>(*d_)) return nullptr;  // without allocating
  void* const items = data();
  return IsAligned(items, alignof(T)) ? static_cast<T*>(items) : nullptr;
}

template uint8_t* Tensor::data<uint8_t>();
template const uint8_t* Tensor::data<uint8_t>() const;
template int8_t* Tensor::data<int8_t>();
template const int8_t* Tensor::data<int8_t>() const;
template int16_t* Tensor::data<int16_t>();
template const int16_t* Tensor::data<int16_t>() const;
template uint16_t* Tensor::data<uint16_t>();
template const uint16_t* Tensor::data<uint16_t>() const;
template int32_t* Tensor::data<int32_t>();
template const int32_t* Tensor::data<int32_t>() const;
template uint32_t* Tensor::data<uint32_t>();
template const uint32_t* Tensor::data<uint32_t>() const;
template int64_t* Tensor::data<int64_t>();
template const int64_t* Tensor::data<int64_t>() const;
template float* Tensor::data<float>();
template const float* Tensor::data<float>() const;

void* Tensor::data() {
  if (d_->buffer == nullptr) return nullptr;
  void* const data = d_->Allocate();
  return data != nullptr && d_->IsReadable() ? data : nullptr;
}

const void* Tensor::data() const {
  const Buffer* buffer = d_->buffer;
  return buffer == nullptr || buffer->size() != d_->size ? nullptr : buffer->data();
}

const float* Tensor::as_float() const {
  return NoThrow(__func__, static_cast<const float*>(nullptr), [&] { return d_->AsFloat(); });
}

Buffer* Tensor::buffer() { return d_->buffer; }

bool Tensor::set_buffer(Buffer* buffer) {
  return NoThrow(__func__, false, [&] { return d_->SetBuffer(buffer); });
}

}  // namespace synaptics::synap

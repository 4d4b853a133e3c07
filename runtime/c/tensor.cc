// Tensors of the C interface.
#include "synap/tensor.hpp"

#include "runtime/api/logging.h"
#include "runtime/api/no_throw.h"
#include "runtime/api/tensor_private.h"
#include "runtime/api/tensor_quantizer.h"
#include "runtime/c/handles.h"
#include "synap/synap.h"
#include "synap/types.hpp"

using synap_internal::FromHandle;
using synap_internal::IsGiven;
using synap_internal::NoThrow;
using synap_internal::Quantizer;
using synaptics::synap::DataType;
using synaptics::synap::Layout;

namespace {

constexpr bool IsSame(synap_data_type c, DataType type) { return c == static_cast<int>(type); }
static_assert(IsSame(SYNAP_DATA_TYPE_INVALID, DataType::invalid));
static_assert(IsSame(SYNAP_DATA_TYPE_BYTE, DataType::byte));
static_assert(IsSame(SYNAP_DATA_TYPE_INT8, DataType::int8));
static_assert(IsSame(SYNAP_DATA_TYPE_UINT8, DataType::uint8));
static_assert(IsSame(SYNAP_DATA_TYPE_INT16, DataType::int16));
static_assert(IsSame(SYNAP_DATA_TYPE_UINT16, DataType::uint16));
static_assert(IsSame(SYNAP_DATA_TYPE_INT32, DataType::int32));
static_assert(IsSame(SYNAP_DATA_TYPE_UINT32, DataType::uint32));
static_assert(IsSame(SYNAP_DATA_TYPE_FLOAT16, DataType::float16));
static_assert(IsSame(SYNAP_DATA_TYPE_FLOAT32, DataType::float32));
static_assert(IsSame(SYNAP_DATA_TYPE_INT64, DataType::int64));

constexpr bool IsSame(synap_layout c, Layout layout) { return c == static_cast<int>(layout); }
static_assert(IsSame(SYNAP_LAYOUT_NONE, Layout::none));
static_assert(IsSame(SYNAP_LAYOUT_NCHW, Layout::nchw));
static_assert(IsSame(SYNAP_LAYOUT_NHWC, Layout::nhwc));

// Tensor::assign for `count` values of type T.
template <typename T>
bool Assign(const char* function, synap_tensor* tensor, const T* data, size_t count) {
  if (!IsGiven(function, "tensor", tensor) || !IsGiven(function, "data", data)) return false;
  return NoThrow(function, false, [&] { return FromHandle(tensor)->assign(data, count); });
}

}  // namespace

const char* synap_tensor_name(const synap_tensor* tensor) {
  return IsGiven(__func__, "tensor", tensor) ? FromHandle(tensor)->name().c_str() : "";
}

const char* synap_tensor_format(const synap_tensor* tensor) {
  if (!IsGiven(__func__, "tensor", tensor)) return "";
  return FromHandle(tensor)->priv()->metadata.data_format.c_str();
}

synap_data_type synap_tensor_data_type(const synap_tensor* tensor) {
  if (!IsGiven(__func__, "tensor", tensor)) return SYNAP_DATA_TYPE_INVALID;
  return static_cast<synap_data_type>(FromHandle(tensor)->data_type());
}

synap_layout synap_tensor_layout(const synap_tensor* tensor) {
  if (!IsGiven(__func__, "tensor", tensor)) return SYNAP_LAYOUT_NONE;
  return static_cast<synap_layout>(FromHandle(tensor)->layout());
}

size_t synap_tensor_rank(const synap_tensor* tensor) {
  return IsGiven(__func__, "tensor", tensor) ? FromHandle(tensor)->shape().size() : 0;
}

const int32_t* synap_tensor_shape(const synap_tensor* tensor) {
  return IsGiven(__func__, "tensor", tensor) ? FromHandle(tensor)->shape().data() : nullptr;
}

size_t synap_tensor_size(const synap_tensor* tensor) {
  return IsGiven(__func__, "tensor", tensor) ? FromHandle(tensor)->size() : 0;
}

size_t synap_tensor_item_count(const synap_tensor* tensor) {
  return IsGiven(__func__, "tensor", tensor) ? FromHandle(tensor)->item_count() : 0;
}

bool synap_tensor_quantizer(const synap_tensor* tensor, float* scale, int32_t* zero_point) {
  Quantizer quantizer;
  if (IsGiven(__func__, "tensor", tensor)) {
    quantizer = synap_internal::QuantizerOf(*FromHandle(tensor));
  }
  if (scale != nullptr) *scale = quantizer.scale;
  if (zero_point != nullptr) *zero_point = quantizer.zero_point;
  return quantizer.is_quantized;
}

void* synap_tensor_data(synap_tensor* tensor) {
  if (!IsGiven(__func__, "tensor", tensor)) return nullptr;
  return NoThrow(__func__, static_cast<void*>(nullptr), [&] { return FromHandle(tensor)->data(); });
}

const float* synap_tensor_as_float(synap_tensor* tensor) {
  return IsGiven(__func__, "tensor", tensor) ? FromHandle(tensor)->as_float() : nullptr;
}

bool synap_tensor_assign_bytes(synap_tensor* tensor, const void* data, size_t size) {
  return Assign(__func__, tensor, data, size);
}

bool synap_tensor_assign_uint8(synap_tensor* tensor, const uint8_t* data, size_t count) {
  return Assign(__func__, tensor, data, count);
}

bool synap_tensor_assign_int16(synap_tensor* tensor, const int16_t* data, size_t count) {
  return Assign(__func__, tensor, data, count);
}

bool synap_tensor_assign_float(synap_tensor* tensor, const float* data, size_t count) {
  return Assign(__func__, tensor, data, count);
}

bool synap_tensor_assign_int32(synap_tensor* tensor, const int32_t* data, size_t count) {
  // Tensor::assign() would copy bytes if count were the tensor's size.
  if (tensor != nullptr && count != FromHandle(tensor)->item_count()) {
    return NoThrow(__func__, false, [&] {
      SYNAP_LOG(kError, "tensor '", FromHandle(tensor)->name(), "' gets ", count,
                " items, expected ", FromHandle(tensor)->item_count());
      return false;
    });
  }
  return Assign(__func__, tensor, data, count);
}

bool synap_tensor_assign_scalar(synap_tensor* tensor, int32_t value) {
  return IsGiven(__func__, "tensor", tensor) && FromHandle(tensor)->assign(value);
}

bool synap_tensor_assign_tensor(synap_tensor* tensor, const synap_tensor* source) {
  if (!IsGiven(__func__, "tensor", tensor) || !IsGiven(__func__, "source", source)) return false;
  return NoThrow(__func__, false, [&] { return FromHandle(tensor)->assign(*FromHandle(source)); });
}

#include "runtime/api/secure_buffers.h"

#include <algorithm>

#include "runtime/api/logging.h"
#include "runtime/api/tensor_private.h"
#include "synap/allocator.hpp"

namespace synaptics::synap {
namespace {

using ::synap_internal::TensorSecurity;

// What a buffer has to be.
enum class Place { kAny, kSecure, kNonSecure };

Place PlaceFor(TensorSecurity policy, bool has_secure_input) {
  switch (policy) {
    case TensorSecurity::kSecure:
      return Place::kSecure;
    case TensorSecurity::kSecureIfInputSecure:
      return has_secure_input ? Place::kSecure : Place::kAny;
    case TensorSecurity::kAny:
      return Place::kAny;
    case TensorSecurity::kNonSecure:
    case TensorSecurity::kNone:
      break;
  }
  return Place::kNonSecure;
}

bool Check(const Tensor& tensor, Place place) {
  const bool is_secure = tensor.priv()->IsSecure();
  if (place == Place::kAny || is_secure == (place == Place::kSecure)) return true;
  SYNAP_LOG(kError, "tensor '", tensor.name(), "' is ", is_secure ? "" : "not ",
            "in secure memory, expected ", is_secure ? "other" : "secure",
            " memory for its policy ", Name(tensor.priv()->metadata.security),
            "; choose its buffer's allocator");
  return false;
}

// Its content is lost, as the run would overwrite it anyway.
bool MakeSecure(Tensor::Private& tensor) {
  return tensor.own_buffer.resize(0) && tensor.own_buffer.set_allocator(secure_allocator());
}

}  // namespace

bool FollowPolicies(Tensors& in, Tensors& out) {
  const auto is_secure = [](const Tensor& tensor) { return tensor.priv()->IsSecure(); };
  const bool has_secure_input = std::any_of(in.begin(), in.end(), is_secure);
  for (Tensor& tensor : in) {
    if (!Check(tensor, PlaceFor(tensor.priv()->metadata.security, has_secure_input))) return false;
  }
  for (Tensor& tensor : out) {
    Tensor::Private& d = *tensor.priv();
    const Place place = PlaceFor(d.metadata.security, has_secure_input);
    const bool moves = place == Place::kSecure && d.buffer == &d.own_buffer && !d.IsSecure();
    if (moves && !MakeSecure(d)) return false;
    if (!Check(tensor, place)) return false;
  }
  return true;
}

}  // namespace synaptics::synap

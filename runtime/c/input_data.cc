// Input data and preprocessing of the C interface.
#include "synap/input_data.hpp"

#include <memory>
#include <string>
#include <utility>

#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "synap/preprocessor.hpp"
#include "synap/synap.h"
#include "synap/types.hpp"

using synap_internal::IsGiven;
using synap_internal::IsIndex;
using synap_internal::LogError;
using synap_internal::NoThrow;
using synaptics::synap::InputData;
using synaptics::synap::InputType;
using synaptics::synap::Layout;
using synaptics::synap::Preprocessor;
using synaptics::synap::Rect;
using synaptics::synap::Shape;

namespace {

constexpr bool IsSame(synap_input_type c, InputType type) { return c == static_cast<int>(type); }
static_assert(IsSame(SYNAP_INPUT_INVALID, InputType::invalid));
static_assert(IsSame(SYNAP_INPUT_RAW, InputType::raw));
static_assert(IsSame(SYNAP_INPUT_ENCODED_IMAGE, InputType::encoded_image));
static_assert(IsSame(SYNAP_INPUT_IMAGE_8BITS, InputType::image_8bits));
static_assert(IsSame(SYNAP_INPUT_NV12, InputType::nv12));
static_assert(IsSame(SYNAP_INPUT_NV21, InputType::nv21));

// A handle of what `make` makes; null if that is empty, which the constructor has logged.
template <typename Make>
synap_input_data* MakeHandle(const char* function, Make make) {
  return NoThrow(function, static_cast<synap_input_data*>(nullptr), [&] {
    std::unique_ptr<synap_input_data> handle(new synap_input_data{make()});
    return handle->data.empty() ? nullptr : handle.release();
  });
}

}  // namespace

synap_input_data* synap_input_data_create_from_file(const char* file) {
  if (!IsGiven(__func__, "file", file)) return nullptr;
  return MakeHandle(__func__, [&] { return InputData(std::string(file)); });
}

synap_input_data* synap_input_data_create(const void* data, size_t size, synap_input_type type) {
  if (!IsGiven(__func__, "data", data)) return nullptr;
  if (type != SYNAP_INPUT_RAW && type != SYNAP_INPUT_ENCODED_IMAGE) {
    LogError(__func__,
             "'type' is neither raw data nor an encoded image; call "
             "synap_input_data_create_pixels() for pixels");
    return nullptr;
  }
  return MakeHandle(__func__, [&] { return InputData(data, size, static_cast<InputType>(type)); });
}

synap_input_data* synap_input_data_create_pixels(const void* data, size_t size,
                                                 synap_input_type type, int32_t width,
                                                 int32_t height, int32_t channels,
                                                 synap_layout layout, const char* format) {
  if (!IsGiven(__func__, "data", data)) return nullptr;
  if (type == SYNAP_INPUT_NV12 || type == SYNAP_INPUT_NV21) {
    return MakeHandle(__func__, [&] {
      return InputData(data, size, static_cast<InputType>(type), Shape{1, height, width, 3});
    });
  }
  if (type != SYNAP_INPUT_IMAGE_8BITS) {
    LogError(__func__, "'type' isn't one of pixels, expected 8-bit pixels, nv12 or nv21");
    return nullptr;
  }
  return MakeHandle(__func__, [&] {
    const bool is_planar = layout == SYNAP_LAYOUT_NCHW;
    Shape shape = is_planar ? Shape{1, channels, height, width} : Shape{1, height, width, channels};
    return InputData(data, size, static_cast<InputType>(type), std::move(shape),
                     is_planar ? Layout::nchw : Layout::nhwc, format == nullptr ? "" : format);
  });
}

void synap_input_data_destroy(synap_input_data* data) { delete data; }

synap_input_type synap_input_data_type(const synap_input_data* data) {
  if (!IsGiven(__func__, "data", data)) return SYNAP_INPUT_INVALID;
  return static_cast<synap_input_type>(data->data.type());
}

int32_t synap_input_data_width(const synap_input_data* data) {
  return IsGiven(__func__, "data", data) ? data->data.dimensions().w : 0;
}

int32_t synap_input_data_height(const synap_input_data* data) {
  return IsGiven(__func__, "data", data) ? data->data.dimensions().h : 0;
}

bool synap_network_preprocess(synap_network* network, size_t index, const synap_input_data* data,
                              const synap_rect* roi, synap_rect* assigned) {
  if (!IsGiven(__func__, "network", network) || !IsGiven(__func__, "data", data) ||
      !IsIndex(__func__, "input", index, network->network.inputs.size())) {
    return false;
  }
  Preprocessor preprocessor;
  if (roi != nullptr) preprocessor.set_roi({{roi->x, roi->y}, {roi->width, roi->height}});
  Rect rect;
  if (!preprocessor.assign(network->network.inputs, data->data, index, &rect)) return false;
  if (assigned != nullptr) *assigned = {rect.origin.x, rect.origin.y, rect.size.x, rect.size.y};
  return true;
}

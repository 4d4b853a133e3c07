// Images that networks make, of the C interface.
#include <memory>

#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "synap/image_postprocessor.hpp"
#include "synap/synap.h"

using synap_internal::IsGiven;
using synap_internal::NoThrow;
using synaptics::synap::ImagePostprocessor;

synap_output_image* synap_output_image_create(const synap_network* network) {
  if (!IsGiven(__func__, "network", network)) return nullptr;
  return NoThrow(__func__, static_cast<synap_output_image*>(nullptr), [&] {
    auto image = std::make_unique<synap_output_image>();
    image->result = ImagePostprocessor().process(network->network.outputs);
    return image->result.success ? image.release() : nullptr;
  });
}

void synap_output_image_destroy(synap_output_image* image) { delete image; }

const void* synap_output_image_data(const synap_output_image* image) {
  return IsGiven(__func__, "image", image) ? image->result.data.data() : nullptr;
}

size_t synap_output_image_size(const synap_output_image* image) {
  return IsGiven(__func__, "image", image) ? image->result.data.size() : 0;
}

const char* synap_output_image_format(const synap_output_image* image) {
  return IsGiven(__func__, "image", image) ? image->result.ext.c_str() : "";
}

int32_t synap_output_image_width(const synap_output_image* image) {
  return IsGiven(__func__, "image", image) ? image->result.dim.x : 0;
}

int32_t synap_output_image_height(const synap_output_image* image) {
  return IsGiven(__func__, "image", image) ? image->result.dim.y : 0;
}

// Networks of the C interface.
#include "synap/network.hpp"

#include <memory>

#include "runtime/api/no_throw.h"
#include "runtime/c/handles.h"
#include "synap/synap.h"

using synap_internal::IsGiven;
using synap_internal::IsIndex;
using synap_internal::NoThrow;
using synap_internal::ToHandle;

synap_network* synap_network_create() {
  return NoThrow(__func__, static_cast<synap_network*>(nullptr), [] { return new synap_network; });
}

void synap_network_destroy(synap_network* network) { delete network; }

bool synap_network_load_file(synap_network* network, const char* model_file,
                             const char* meta_file) {
  if (!IsGiven(__func__, "network", network) || !IsGiven(__func__, "model_file", model_file)) {
    return false;
  }
  return NoThrow(__func__, false, [&] {
    return network->network.load_model(std::string(model_file),
                                       meta_file == nullptr ? "" : meta_file);
  });
}

bool synap_network_load_memory(synap_network* network, const void* model_data, size_t model_size,
                               const char* meta_data) {
  if (!IsGiven(__func__, "network", network) || !IsGiven(__func__, "model_data", model_data)) {
    return false;
  }
  return network->network.load_model(model_data, model_size, meta_data);
}

size_t synap_network_input_count(const synap_network* network) {
  return IsGiven(__func__, "network", network) ? network->network.inputs.size() : 0;
}

size_t synap_network_output_count(const synap_network* network) {
  return IsGiven(__func__, "network", network) ? network->network.outputs.size() : 0;
}

synap_tensor* synap_network_input(synap_network* network, size_t index) {
  if (!IsGiven(__func__, "network", network)) return nullptr;
  synaptics::synap::Tensors& inputs = network->network.inputs;
  return IsIndex(__func__, "input", index, inputs.size()) ? ToHandle(&inputs[index]) : nullptr;
}

synap_tensor* synap_network_output(synap_network* network, size_t index) {
  if (!IsGiven(__func__, "network", network)) return nullptr;
  synaptics::synap::Tensors& outputs = network->network.outputs;
  return IsIndex(__func__, "output", index, outputs.size()) ? ToHandle(&outputs[index]) : nullptr;
}

bool synap_network_predict(synap_network* network) {
  if (!IsGiven(__func__, "network", network)) return false;
  return NoThrow(__func__, false, [&] { return network->network.predict(); });
}

void synap_network_set_profiling(synap_network* network, bool on) {
  if (IsGiven(__func__, "network", network)) network->network.set_profiling(on);
}

const char* synap_network_profile(synap_network* network) {
  if (!IsGiven(__func__, "network", network)) return "";
  network->profile = network->network.profile();
  return network->profile.c_str();
}

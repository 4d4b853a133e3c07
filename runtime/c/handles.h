// The objects behind the handles of the C interface, and the checks of its arguments.
#ifndef RUNTIME_C_HANDLES_H_
#define RUNTIME_C_HANDLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "synap/detector.hpp"
#include "synap/image_postprocessor.hpp"
#include "synap/input_data.hpp"
#include "synap/network.hpp"
#include "synap/npu.hpp"
#include "synap/synap.h"
#include "synap/tensor.hpp"

struct synap_network {
  synaptics::synap::Network network;
  std::string profile;  // what synap_network_profile() points to
};

struct synap_input_data {
  synaptics::synap::InputData data;
};

struct synap_labels {
  std::vector<std::string> names;  // of the classes
};

struct synap_detector {
  synaptics::synap::Detector detector;
};

struct synap_detections {
  synaptics::synap::Detector::Result result;
};

struct synap_output_image {
  synaptics::synap::ImagePostprocessor::Result result;
};

struct synap_npu {
  synaptics::synap::Npu npu;
};

namespace synap_internal {

// A synap_tensor is a Tensor of the network: it needs no object of its own.
inline synap_tensor* ToHandle(synaptics::synap::Tensor* tensor) {
  return reinterpret_cast<synap_tensor*>(tensor);
}
inline synaptics::synap::Tensor* FromHandle(synap_tensor* tensor) {
  return reinterpret_cast<synaptics::synap::Tensor*>(tensor);
}
inline const synaptics::synap::Tensor* FromHandle(const synap_tensor* tensor) {
  return reinterpret_cast<const synaptics::synap::Tensor*>(tensor);
}

// Logs an error about an argument of `function`.
void LogError(const char* function, const char* message) noexcept;

// Whether an argument isn't null; otherwise an error of `function` is logged. `name`: of the
// argument.
bool IsGiven(const char* function, const char* name, const void* argument) noexcept;

// Whether index < count; otherwise an error of `function` is logged. `what`: "input", for example.
bool IsIndex(const char* function, const char* what, size_t index, size_t count) noexcept;

// Whether a caller's structure has at least the `least` bytes of the first version; otherwise an
// error of `function` is logged.
bool IsStructSize(const char* function, const char* name, size_t struct_size,
                  size_t least) noexcept;

}  // namespace synap_internal

#endif  // RUNTIME_C_HANDLES_H_

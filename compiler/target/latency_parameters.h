// Parameters of the latency model (compiler/target), which target files give by name.
#ifndef COMPILER_TARGET_LATENCY_PARAMETERS_H_
#define COMPILER_TARGET_LATENCY_PARAMETERS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace synap_internal {

// Prices of a target, from `latency` of its file (docs/latency.md). The defaults are those of an
// NPU that reaches its peaks and moves data for nothing. Prices of an element are those of 8 bits;
// 16 bits cost twice as much.
struct LatencyParameters {
  double memory_part = 1;     // of the memory's peak that layers reach
  double kept_kilobytes = 0;  // of 1000 bytes; so much of each tensor doesn't go to memory
  double batch_traffic = 0;   // bytes to memory for each byte of a batch, beyond the rest
  double window_1 = 1;        // time of a 1x1 convolution as a multiple of that at the peak
  double window_9 = 1;        // the same of other windows of fewer than 25 positions
  double depthwise = 1;       // the same of a depthwise one
  double stream_ns = 0;       // nanoseconds an element, as the WorkKind says; copies too
  double scatter_ns = 0;
  double function_ns = 0;
  double product_ns = 0;
  double interpolation_ns = 0;
  double layer_us = 0;          // microseconds of every layer
  double network_us = 0;        // microseconds of every inference
  double slow_gigamacs = 1000;  // 10^9 multiply-accumulates per second of types and ops that the NN
                                // cores don't run
  double interval = 1;          // 90 % of the measured times are between estimate / interval and
                                // estimate * interval

  // The CPU, all of its cores together. Its layers take the time of their multiply-accumulates and
  // that of the elements that they read and write.
  double cpu_gigamacs_8 = 1000;  // 10^9 multiply-accumulates per second; 16 bits take twice as long
  double cpu_gigamacs_float16 = 1000;
  double cpu_gigamacs_float32 = 1000;
  double cpu_element_ns_8 = 0;  // nanoseconds an element of integers
  double cpu_element_ns_float = 0;
  double cpu_network_us = 0;
  double cpu_interval = 1;
  // The GPU, which computes all types as floats.
  double gpu_gigamacs = 1000;
  double gpu_element_ns = 0;
  double gpu_network_us = 0;
  double gpu_interval = 1;
};

struct LatencyParameterRow {
  absl::string_view name;
  double LatencyParameters::*value;
};

// Every field.
absl::Span<const LatencyParameterRow> LatencyParameterRows();

}  // namespace synap_internal

#endif  // COMPILER_TARGET_LATENCY_PARAMETERS_H_

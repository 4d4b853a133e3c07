#include "compiler/target/latency_parameters.h"

namespace synap_internal {
namespace {

constexpr LatencyParameterRow kRows[] = {
    {"memory_part", &LatencyParameters::memory_part},
    {"kept_kilobytes", &LatencyParameters::kept_kilobytes},
    {"batch_traffic", &LatencyParameters::batch_traffic},
    {"window_1", &LatencyParameters::window_1},
    {"window_9", &LatencyParameters::window_9},
    {"depthwise", &LatencyParameters::depthwise},
    {"stream_ns", &LatencyParameters::stream_ns},
    {"scatter_ns", &LatencyParameters::scatter_ns},
    {"function_ns", &LatencyParameters::function_ns},
    {"product_ns", &LatencyParameters::product_ns},
    {"interpolation_ns", &LatencyParameters::interpolation_ns},
    {"layer_us", &LatencyParameters::layer_us},
    {"network_us", &LatencyParameters::network_us},
    {"slow_gigamacs", &LatencyParameters::slow_gigamacs},
    {"interval", &LatencyParameters::interval},
    {"cpu_gigamacs_8", &LatencyParameters::cpu_gigamacs_8},
    {"cpu_gigamacs_float16", &LatencyParameters::cpu_gigamacs_float16},
    {"cpu_gigamacs_float32", &LatencyParameters::cpu_gigamacs_float32},
    {"cpu_element_ns_8", &LatencyParameters::cpu_element_ns_8},
    {"cpu_element_ns_float", &LatencyParameters::cpu_element_ns_float},
    {"cpu_network_us", &LatencyParameters::cpu_network_us},
    {"cpu_interval", &LatencyParameters::cpu_interval},
    {"gpu_gigamacs", &LatencyParameters::gpu_gigamacs},
    {"gpu_element_ns", &LatencyParameters::gpu_element_ns},
    {"gpu_network_us", &LatencyParameters::gpu_network_us},
    {"gpu_interval", &LatencyParameters::gpu_interval},
};

}  // namespace

absl::Span<const LatencyParameterRow> LatencyParameterRows() { return kRows; }

}  // namespace synap_internal

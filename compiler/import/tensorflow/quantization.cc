// Operators that training with quantization leaves in a graph.
#include "compiler/import/tensorflow/op_table.h"

namespace synap_internal::tensorflow_import {
namespace {

// Hands on its input: numbers are real until the metafile asks for quantized ones.
absl::Status MapFakeQuant(NodeContext& node) { return node.SetOutput(node.input(0)); }

constexpr OpMapping kQuantizationMappings[] = {
    {"FakeQuantWithMinMaxArgs", 1, 1, MapFakeQuant},
    {"FakeQuantWithMinMaxVars", 3, 3, MapFakeQuant},
    {"FakeQuantWithMinMaxVarsPerChannel", 3, 3, MapFakeQuant},
};

}  // namespace

absl::Span<const OpMapping> QuantizationMappings() { return kQuantizationMappings; }

}  // namespace synap_internal::tensorflow_import
